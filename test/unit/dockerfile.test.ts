import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Lines of a file that are neither empty nor comments. */
const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Paths that the Dockerfile copies from the repository; an asterisk stands for any name. */
const copied = (): string[] =>
  linesOf('Dockerfile')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(/\s+/).slice(1, -1))
    .filter((path) => path !== '.');

describe('the Dockerfile', () => {
  it('copies only files that exist and that .dockerignore lets through', () => {
    const [first, ...others] = linesOf('.dockerignore');
    expect(first).to.equal('*');
    expect(others.filter((line) => !/^![\w./-]+$/.test(line))).to.deep.equal([]);
    const admitted = others.map((line) => line.slice(1));
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
    const isUnder = (path: string, folder: string) =>
      path === folder || path.startsWith(`${folder}/`);

    expect(copied()).to.include('package.json');
    for (const source of copied()) {
      const [folder = ''] = source.split('/*');
      expect(
        files.some((file) => isUnder(file, folder)),
        `${source} exists`,
      ).to.equal(true);
      expect(
        admitted.some((path) => isUnder(folder, path)),
        `${source} is let through`,
      ).to.equal(true);
    }
  });
});

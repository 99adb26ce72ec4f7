import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openApiPage } from '../../scripts/docs.ts';
import { browser } from '../support/browser.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';
import { HEY_API, MISTAKES, OPENAPI_FETCH, VISIT } from './programs.ts';

const run = promisify(execFile);
const generator = (name: string) => path.resolve('generators/node_modules/.bin', name);

/**
 * Guide with the commands that generate the clients, and with one of the programs that the tests
 * run.
 */
const GUIDE = readFileSync('docs/api.md', 'utf8');

function programOfTheGuide(): string {
  const [, program = ''] = /^```ts [^\n]*\n([^]*?)^```/m.exec(GUIDE)!;
  const { apiUrl } = stack();
  return `const { API_KEY: apiKey = '' } = process.env;\n${program.replaceAll('http://localhost:3000', apiUrl)}`;
}

const STRICT = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
    skipLibCheck: false,
    outDir: 'dist',
  },
};

describe('clients that are generated from the reference', () => {
  let folder: string;

  before(async function () {
    folder = mkdtempSync(path.join(tmpdir(), 'clients-'));
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    write('package.json', JSON.stringify({ type: 'module' }));
    write('openapi.json', openApiPage());
    const commands = [...GUIDE.matchAll(/^npx (\S+) ([^#\n]+)/gm)].map(([, name, args]) => {
      const own = args!.replace('http://localhost:3000', '.').trim().split(' ');
      return run(generator(name!.replace('@hey-api/', '')), own, { cwd: folder });
    });
    expect(commands).to.have.length(2);
    await Promise.all(commands);
    write('of-the-guide.ts', programOfTheGuide());
    write('visit.ts', VISIT);
    write('openapi-fetch.ts', OPENAPI_FETCH);
    write('with-hey-api.ts', HEY_API);
    write('tsconfig.json', JSON.stringify({ ...STRICT, include: ['*.ts', 'client'] }));
    await compile('.');
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }

  /**
   * Runs the compiler on a project.
   * @throws the failed process with its output
   */
  const compile = (project: string) =>
    run(path.resolve('node_modules/.bin/tsc'), ['-p', project], { cwd: folder });

  it('create a link by the program of the guide', async () => {
    const { apiKey, domain } = await aWorkspace();
    const { stdout } = await run(process.execPath, [path.join('dist', 'of-the-guide.js')], {
      cwd: folder,
      env: { ...process.env, API_KEY: apiKey },
    });
    expect(stdout).to.match(new RegExp(`^https://${domain}/\\w+\n$`));
  });

  for (const program of ['openapi-fetch', 'with-hey-api']) {
    it(`create a link, find its visit and create a QR code: ${program}`, async function () {
      const { apiKey, domain } = await aWorkspace();
      const { stdout } = await run(process.execPath, [path.join('dist', `${program}.js`)], {
        cwd: folder,
        env: {
          ...process.env,
          API_URL: stack().apiUrl,
          API_KEY: apiKey,
          VISIT_URL: `http://127.0.0.1:${stack().redirectPort}/`,
          VISIT_HOST: domain,
          AGENT: browser(),
        },
      });
      expect(JSON.parse(stdout)).to.deep.equal({
        status: 302,
        type: 'url',
        tagNames: ['Clients'],
        clicks: 1,
        reason: 'not_found',
      });
    });
  }

  it('do not compile with a number as a list of ids', async function () {
    for (const [client, program] of Object.entries(MISTAKES)) {
      write(`mistake-${client}.ts`, program);
      write(
        `mistake-${client}.json`,
        JSON.stringify({
          compilerOptions: { ...STRICT.compilerOptions, noEmit: true },
          files: [`mistake-${client}.ts`],
        }),
      );
      const failed = await compile(`mistake-${client}.json`).then(
        () => undefined,
        (error: ExecFileException) => error.stdout,
      );
      expect(failed, client).to.contain("Type 'number' is not assignable to type 'string[]'");
    }
  });
});

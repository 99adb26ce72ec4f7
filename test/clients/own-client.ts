import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '#lock';

const run = promisify(execFile);
const ROOT = path.resolve('.');

/** A project of a user that has installed the package of `clients/typescript`. */
export interface Project {
  folder: string;
  remove(): void;
}

/**
 * Packs the client, installs it in an empty project, and compiles programs there as strictly as
 * TypeScript can.
 *
 * @param files programs by name
 * @param linked packages of this repository that the programs use
 * @throws Error with the errors of the compiler
 */
export async function projectWithClient(
  files: Readonly<Record<string, string>>,
  linked: readonly string[] = [],
): Promise<Project> {
  const folder = mkdtempSync(path.join(tmpdir(), 'typescript-client-'));
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  // Files of tests run at the same time, and all build the client in the same folder.
  await withLock(path.join(ROOT, 'dist', 'client.lock'), async () => {
    await run(process.execPath, ['scripts/build-client.mjs']);
    await run('npm', ['pack', '--pack-destination', folder], { cwd: 'clients/typescript' });
  });
  const [file] = readdirSync(folder);
  write('package.json', JSON.stringify({ type: 'module', private: true }));
  const offline = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', `./${file!}`, ...offline], { cwd: folder });
  for (const name of linked) {
    const target = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', name), target);
  }
  for (const [name, text] of Object.entries(files)) write(name, text);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    types: ['node'],
    outDir: 'dist',
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const compiler = path.join(ROOT, 'generators/node_modules/.bin/tsc');
  await run(compiler, ['-p', '.'], { cwd: folder }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

/** The folder of package.json. */
export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const OLDEST_NODE = [20, 19];
/** Folders with TypeScript; `dist` mirrors them. */
const SOURCES = ['src', 'workers', 'migrations', 'scripts', 'test', 'bench'];

/** The folder of `src` that scripts/build-console.mjs builds. */
const CONSOLE = `console${path.sep}`;

/** A requirement of the command could not be installed; the message is one line for the user. */
export class NotReady extends Error {}

/**
 * Makes the clone ready to run: checks Node, installs packages when they are missing or outdated, compiles.
 * Safe to run several times at once.
 *
 * @param {(line: string) => void} log receives a line for each thing that takes long
 */
export async function prepare(log) {
  checkNode();
  // An image holds what was compiled, and no sources.
  if (!existsSync(path.join(ROOT, 'tsconfig.json'))) return;
  await withLock(
    path.join(ROOT, 'dist', '.lock'),
    async () => {
      if (!isInstalled()) await install(log);
      await build();
    },
    () => log('Waiting for another command that installs or builds …'),
  );
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new NotReady(
    `Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.versions.node}: install it from https://nodejs.org.`,
  );
}

/**
 * True if npm's own record of node_modules (written as the last step of an installation) holds every package
 * of the lock file. Optional packages may be missing: they depend on the platform.
 */
function isInstalled() {
  const record = readJson('node_modules/.package-lock.json')?.packages;
  const locked = readJson('package-lock.json')?.packages;
  const wanted = readJson('package.json');
  if (record === undefined || locked === undefined) return false;
  if (directPackages(wanted) !== directPackages(locked[''])) return false;
  return Object.entries(locked).every(
    ([place, { version, optional, devOptional }]) =>
      place === '' || optional || devOptional || record[place]?.version === version,
  );
}

/** In one text, because npm lists an optional package that it could not find under another heading. */
function directPackages({ dependencies, devDependencies, optionalDependencies }) {
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
  return JSON.stringify(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readJson(file) {
  const full = path.join(ROOT, file);
  return existsSync(full) ? JSON.parse(readFileSync(full, 'utf8')) : undefined;
}

async function install(log) {
  log('Installing packages (npm ci) …');
  const { code, output } = await npm('ci');
  if (code === 0) return;
  // `npm ci` also refuses a lock file that lacks packages of other platforms, as it comes from some registries.
  if (output.includes('EUSAGE') && (await npm('install', '--no-save')).code === 0) return;
  process.stderr.write(output);
  throw new NotReady('npm ci failed, see above: packages could not be installed.');
}

function npm(...args) {
  const own = process.env.npm_execpath ?? '';
  const [command, ...before] = own.endsWith('npm-cli.js') ? [process.execPath, own] : ['npm'];
  // The compiler is a development package: NODE_ENV=production must not leave it out.
  return run(command, [...before, ...args, '--include=dev', '--include=optional']);
}

/** Names, sizes and times of the sources and of what was made of them, when that was complete. */
const RECORD = path.join(ROOT, 'dist', '.built');

/** Differs when a source, a package or a compiled file was changed, added or removed. */
function stateOfBuild() {
  const inputs = [
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'scripts/build-console.mjs',
  ];
  const folders = [...SOURCES, ...[...SOURCES, 'console'].map((name) => path.join('dist', name))];
  const files = folders.flatMap((folder) =>
    filesIn(path.join(ROOT, folder)).map((file) => path.join(folder, file)),
  );
  const hash = createHash('sha256').update(process.version);
  for (const file of [...inputs, ...files]) {
    const { size, mtimeMs } = statSync(path.join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

async function build() {
  if (existsSync(RECORD) && readFileSync(RECORD, 'utf8') === stateOfBuild()) return;
  sweep();
  const [compiled, bundled] = await Promise.all([
    run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', '.']),
    run(process.execPath, [path.join(ROOT, 'scripts', 'build-console.mjs')]),
  ]);
  if (compiled.code !== 0) {
    process.stderr.write(compiled.output);
    throw new NotReady('The sources do not compile, see above.');
  }
  if (bundled.code !== 0) {
    process.stderr.write(bundled.output);
    throw new NotReady('The console could not be built, see above.');
  }
  writeFileSync(RECORD, stateOfBuild());
}

/** The compiler removes nothing, and does not notice what was removed from `dist`: both are done here. */
function sweep() {
  const dist = path.join(ROOT, 'dist');
  let complete = true;
  for (const folder of SOURCES) {
    const sources = new Set(
      filesIn(path.join(ROOT, folder))
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
        .filter((file) => folder !== 'src' || !file.startsWith(CONSOLE))
        .map((file) => file.replace(/\.ts$/, '')),
    );
    const compiled = new Set();
    for (const file of filesIn(path.join(dist, folder))) {
      const stem = file.replace(/\.js(\.map)?$/, '');
      if (!sources.has(stem)) rmSync(path.join(dist, folder, file), { force: true });
      else if (file.endsWith('.js')) compiled.add(stem);
    }
    complete &&= compiled.size === sources.size;
  }
  if (!complete) rmSync(path.join(dist, 'tsconfig.tsbuildinfo'), { force: true });
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)));
}

/**
 * Runs a command in the clone and gathers what it prints.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>} code 127 when it could not be run
 */
export function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.stderr.on('data', (part) => parts.push(part));
    child.on('error', (error) => resolve({ code: 127, output: `${error.message}\n` }));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(parts).toString() }),
    );
  });
}

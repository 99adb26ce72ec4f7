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
/** Folders with TypeScript of the service, and those of tests and benchmarks; `dist` mirrors them. */
const SERVICE = ['src', 'workers', 'migrations', 'scripts'];
const COMPILED = [...SERVICE, 'test', 'bench'];

/** The folder of `src` that scripts/build-console.mjs builds. */
const CONSOLE = `console${path.sep}`;

const INSTALL_LOCK = path.join(ROOT, 'dist', '.lock-packages');

/** A requirement of the command could not be installed; the message is one line for the user. */
export class NotReady extends Error {}

/**
 * Makes the clone ready to run: checks Node, installs packages when they are missing or outdated, compiles.
 * Safe to run several times at once.
 *
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ withTests?: boolean }} options withTests: also installs what tests, checks and generators need, and compiles every
 *   file and checks its types; otherwise only the programs of the service are installed and built
 */
export async function prepare(progress, { withTests = false } = {}) {
  checkNode();
  // An image holds what was compiled, and no sources.
  if (!existsSync(path.join(ROOT, 'tsconfig.json'))) return;
  await withLock(
    path.join(ROOT, 'dist', '.lock'),
    async () => {
      await install(progress, withTests);
      await build(progress, withTests);
    },
    () => progress.line('Waiting for another command that installs or builds …'),
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
 * True if npm's own record of node_modules (written as the last step of an installation) has the packages of the lock file:
 * all of them, or those that are no development packages. Optional packages may be missing: they depend on the platform.
 */
function isInstalled(withTests) {
  const record = installedPackages();
  const locked = readJson('package-lock.json')?.packages;
  if (record === undefined || locked === undefined) return false;
  const projects = ['', ...(readJson('package.json').workspaces ?? [])];
  const isLocked = (project) =>
    directPackages(readJson(path.join(project, 'package.json'))) ===
    directPackages(locked[project] ?? {});
  if (!projects.every(isLocked)) return false;
  const packages = Object.entries(locked).filter(([place]) => place.includes('node_modules/'));
  return packages.every(
    ([place, { version, dev, optional, devOptional }]) =>
      record[place]?.version === version || optional || devOptional || (dev && !withTests),
  );
}

/** In one text, because npm lists an optional package that it could not find under another heading. */
function directPackages({ dependencies, devDependencies, optionalDependencies }) {
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
  return JSON.stringify(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The packages in node_modules by their place; `undefined` before npm has installed any, or while it writes them down. */
function installedPackages() {
  try {
    return readJson('node_modules/.package-lock.json')?.packages;
  } catch {
    return undefined;
  }
}

/** Reads a JSON file of the clone; `undefined` where there is none. */
export function readJson(file) {
  const full = path.join(ROOT, file);
  return existsSync(full) ? JSON.parse(readFileSync(full, 'utf8')) : undefined;
}

async function install(progress, withTests) {
  if (isInstalled(withTests)) return;
  const work = async () => {
    if (!isInstalled(withTests)) await installPackages(progress, withTests);
  };
  await withPackages(work, () =>
    progress.line('Waiting for another command that installs packages …'),
  );
}

/** Keeps other commands from changing node_modules. */
export const withPackages = (work, onWait) => withLock(INSTALL_LOCK, work, onWait);

async function installPackages(progress, withTests) {
  const installed = installedPackages();
  const locked = readJson('package-lock.json')?.packages ?? {};
  // Existing packages stay: another command may be running with them.
  const isAll = withTests || Object.keys(installed ?? {}).some((place) => locked[place]?.dev);
  const part = isAll
    ? ['--include=dev']
    : // What builds is among the packages of the console. NODE_ENV=production leaves out no more.
      ['--omit=dev', '--workspace=console', '--include-workspace-root'];
  // Its errors are read below, also if the npm that runs this is silent.
  const options = [...part, '--include=optional', '--loglevel=error'];
  const addMissing = () => npm('install', '--no-save', ...options);
  const { code, output } = await progress.during('Installing packages with npm', async () => {
    if (installed !== undefined) return addMissing();
    const clean = await npm('ci', ...options);
    // `npm ci` also refuses a lock file that lacks packages of other platforms, as it comes from some registries.
    return clean.output.includes('EUSAGE') ? addMissing() : clean;
  });
  if (code === 0) return;
  process.stderr.write(output);
  throw new NotReady('npm could not install the packages, see above.');
}

/** Runs npm, the one that runs us if there is one. */
export function npm(...args) {
  const own = process.env.npm_execpath ?? '';
  const [command, ...before] = own.endsWith('npm-cli.js') ? [process.execPath, own] : ['npm'];
  return run(command, [...before, ...args]);
}

/** Record of finished builds: names, sizes and times of their sources and of their output. */
const RECORD = path.join(ROOT, 'dist', '.built');

/** Differs when a source, a package or a compiled file was changed, added or removed. */
function stateOf(folders, others = []) {
  const inputs = [
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'scripts/build-console.mjs',
    'scripts/build-programs.mjs',
  ];
  const files = folders.flatMap((folder) =>
    filesIn(path.join(ROOT, folder)).map((file) => path.join(folder, file)),
  );
  const hash = createHash('sha256').update(process.version);
  for (const file of [...inputs, ...files, ...others]) {
    if (!existsSync(path.join(ROOT, file))) continue;
    const { size, mtimeMs } = statSync(path.join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Parts that are built separately, and their states. The console also uses files of the service. */
const PARTS = {
  files: () => stateOf([...COMPILED, ...COMPILED.map((name) => path.join('dist', name))]),
  programs: () => stateOf([...SERVICE, path.join('dist', 'programs')]),
  console: () => stateOf(['src', path.join('dist', 'console')]),
  // The types of the API, which the linter reads.
  reference: () =>
    stateOf([], ['docs/openapi.json', 'scripts/build-reference.mjs', 'dist/reference.d.ts']),
};

async function build(progress, withTests) {
  const built = readRecord();
  const wanted = withTests ? Object.keys(PARTS) : ['programs', 'console'];
  const stale = wanted.filter((part) => built[part] !== PARTS[part]());
  if (stale.length === 0) return;
  await progress.during(withTests ? 'Compiling' : 'Building', () =>
    Promise.all(stale.map((part) => (part === 'files' ? compile() : bundle(part)))),
  );
  for (const part of stale) built[part] = PARTS[part]();
  writeFileSync(RECORD, JSON.stringify(built));
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(RECORD, 'utf8'));
  } catch {
    // There is none, or one of an earlier version.
    return {};
  }
}

/** Compiles every file by itself, and checks types. */
async function compile() {
  sweep(COMPILED);
  const { code, output } = await run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', '.']);
  if (code === 0) return;
  process.stderr.write(output);
  throw new NotReady('The sources do not compile, see above.');
}

/** Runs the script that builds a part, such as scripts/build-console.mjs. */
async function bundle(part) {
  const script = path.join(ROOT, 'scripts', `build-${part}.mjs`);
  const { code, output } = await run(process.execPath, [script]);
  if (code === 0) return;
  process.stderr.write(output);
  throw new NotReady(`The ${part} could not be built, see above.`);
}

/** The compiler removes nothing, and does not notice what was removed from `dist`: both are done here. */
function sweep(folders) {
  const dist = path.join(ROOT, 'dist');
  let complete = true;
  for (const folder of folders) {
    const sources = new Set(
      filesIn(path.join(ROOT, folder))
        .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
        .map((file) => file.replace(/\.tsx?$/, '')),
    );
    // Of the console, only what tests import is compiled.
    const isCompiled = (stem) => folder !== 'src' || !stem.startsWith(CONSOLE);
    const expected = [...sources].filter(isCompiled);
    const compiled = new Set();
    for (const file of filesIn(path.join(dist, folder))) {
      const stem = file.replace(/\.js(\.map)?$/, '');
      if (!sources.has(stem)) rmSync(path.join(dist, folder, file), { force: true });
      else if (file.endsWith('.js') && isCompiled(stem)) compiled.add(stem);
    }
    complete &&= compiled.size === expected.length;
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

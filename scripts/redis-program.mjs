// Plain JavaScript: `npm start` looks for Redis while packages are installed. Compiled code imports
// it as `#redis-program`.
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * A Redis or Valkey server, and its environment.
 *
 * @typedef {{ command: string, env: Record<string, string> }} RedisProgram
 */

const NAMES = ['redis-server', 'valkey-server'];
const OLDEST = [6, 2];
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

/**
 * Packages in a plan of apt that form a server: its own, the one with its program, and libraries.
 */
const PARTS_OF_SERVER = /^(?:(?:redis|valkey)-|zlib1g|lib(?!c6$|perl|.*-perl$))/;

const INSTALL =
  'install it ("sudo apt-get install redis-server", "brew install redis" or "sudo dnf install redis")';
const IN_DOCKER =
  'run one in Docker ("docker run -d -p 127.0.0.1:6379:6379 redis:7", then "REDIS_URL=redis://127.0.0.1:6379 npm start")';

/** Package managers other than apt whose package does not start a service by itself. */
const MANAGERS = [
  { command: 'brew', args: ['install', 'redis'], asRoot: false },
  { command: 'dnf', args: ['install', '-y', 'redis'], asRoot: true },
  { command: 'apk', args: ['add', 'redis'], asRoot: true },
];

/** Options of apt for giving up on a server that does not answer. */
const PATIENCE = ['Acquire::Retries=1', 'Acquire::http::Timeout=20', 'Acquire::https::Timeout=20'];

/**
 * Finds a server on this machine, or installs one.
 *
 * @param {(line: string) => void} log receives a line for each slow step
 * @returns {Promise<RedisProgram>}
 * @throws {SetupError} if that is not possible
 */
export async function findRedis(log) {
  return (await installed()) ?? (await unpacked()) ?? (await install(log));
}

const installed = () => firstUsable(candidates());

function candidates() {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...PLACES];
  return folders.flatMap((folder) =>
    NAMES.map((name) => ({ command: path.join(folder, name), env: {} })),
  );
}

const firstUsable = (programs) =>
  firstOf(programs, async (program) => isNewEnough(await versionOf(program)));

function isNewEnough([major, minor] = [0, 0]) {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** `undefined` if there is no such program, or not for this machine. */
async function versionOf({ command, env }) {
  if (!path.isAbsolute(command) || !existsSync(command)) return undefined;
  const { output } = await run(command, ['--version'], { env: { ...process.env, ...env } });
  return versionIn(/\bv=(\d+)\.(\d+)/.exec(output));
}

const versionIn = (match) => (match ? [Number(match[1]), Number(match[2])] : undefined);

async function install(log) {
  const isRoot = process.getuid?.() === 0;
  const other = await firstOf(
    MANAGERS,
    async ({ command, asRoot }) => (isRoot || !asRoot) && (await exists(command)),
  );
  let problem;
  if ((await exists('apt-get')) && (await exists('dpkg-deb'))) {
    problem = await unpackWithApt(log);
  } else if (other) {
    log(`Redis is missing: installing it with ${other.command} …`);
    await run(other.command, other.args);
    problem = { text: `${other.command} has none that runs here` };
  }
  const program = (await installed()) ?? (await unpacked());
  if (program) return program;
  const old = await firstOf(candidates(), versionOf);
  const reasons = [
    old && `${old.command} is of version ${(await versionOf(old)).join('.')}`,
    problem?.text,
  ].filter(Boolean);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  const remedies = problem?.isTooOld ? [IN_DOCKER] : [INSTALL, IN_DOCKER];
  throw new SetupError(
    `Redis ${OLDEST.join('.')} or newer is missing${why}: ${remedies.join(', ')}, or set REDIS_URL to any other.`,
  );
}

async function firstOf(items, isWanted) {
  for (const item of items) if (await isWanted(item)) return item;
  return undefined;
}

const exists = async (command) => (await run('/bin/sh', ['-c', `command -v ${command}`])).ok;

const cache = () =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'shortlinks', 'redis');

/** Finds the server that `unpackWithApt` has unpacked, now or earlier. */
export const unpacked = () => firstUsable(programsIn(cache()));

/** Returns the programs unpacked in a folder, with their libraries. */
function programsIn(root) {
  // Debian keeps libraries in a folder named after the machine, such as x86_64-linux-gnu.
  const libraries = ['lib', 'usr/lib']
    .map((folder) => path.join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((entry) => path.join(folder, entry))]);
  return NAMES.map((name) => ({
    command: path.join(root, 'usr', 'bin', name),
    env: { LD_LIBRARY_PATH: libraries.join(':') },
  }));
}

/**
 * Downloads a server with all its libraries, whichever the system has, and keeps it in the user's
 * cache if it runs. Unlike an installation, this needs neither root nor the system's package lock,
 * and leaves no service that starts with the machine.
 *
 * @returns {Promise<{ text: string, isTooOld?: boolean } | undefined>} why there is none
 */
export async function unpackWithApt(log) {
  const target = cache();
  makeCache(path.dirname(target));
  const waits = () => log('Waiting until Redis is unpacked …');
  return withLock(`${target}.lock`, () => unpackTo(target, log), waits);
}

async function unpackTo(target, log) {
  if (await unpacked()) return undefined;
  log('Redis is missing: unpacking it with apt-get …');
  // Other drafts were left by killed commands.
  const drafts = `${path.basename(target)}.new.`;
  for (const entry of readdirSync(path.dirname(target))) {
    if (!entry.startsWith(drafts)) continue;
    rmSync(path.join(path.dirname(target), entry), { recursive: true, force: true });
  }
  const draft = mkdtempSync(`${target}.new.`);
  try {
    let problem = await unpackInto(draft, systemApt(draft));
    if (problem && !problem.isTooOld) {
      // The system's lists may be missing or old, and only root can update them, so others are
      // fetched.
      log('Fetching the lists of packages …');
      const options = ownApt(draft);
      const { ok } = await apt([...options, 'update'], draft);
      problem = ok
        ? await unpackInto(draft, options)
        : { text: 'apt-get could not fetch the lists of packages' };
    }
    if (problem) return problem;
    rmSync(target, { recursive: true, force: true });
    renameSync(path.join(draft, 'root'), target);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Options of apt-get for the system's lists of packages. */
function systemApt(draft) {
  // Without installed packages, a plan contains everything: the system may have other versions.
  const status = path.join(draft, 'status');
  writeFileSync(status, '');
  return optionsOf([
    `Dir::State::status=${status}`,
    // The second command reuses the caches of the first, even in images whose apt stores none.
    `Dir::Cache=${emptied(draft, 'cache')}`,
    'Dir::Cache::pkgcache=pkgcache.bin',
    'Dir::Cache::srcpkgcache=srcpkgcache.bin',
    // As root, apt would fetch under another account, which cannot read the draft.
    'APT::Sandbox::User=root',
    ...PATIENCE,
  ]);
}

/** Options of apt-get for lists that are fetched into the draft. */
function ownApt(draft) {
  return [...systemApt(draft), ...optionsOf([`Dir::State::lists=${emptied(draft, 'lists')}`])];
}

const optionsOf = (settings) => settings.flatMap((setting) => ['-o', setting]);

/** Creates an empty folder for files of apt. */
function emptied(draft, name) {
  const folder = path.join(draft, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'partial'), { recursive: true });
  return folder;
}

/** Downloads and unpacks a server into the draft. @returns the reason of a failure */
async function unpackInto(draft, options) {
  const root = path.join(draft, 'root');
  let problem = { text: 'apt-get has none' };
  for (const name of NAMES) {
    const { packages, version } = await planOf(name, draft, options);
    if (version === undefined) continue;
    if (!isNewEnough(version)) {
      problem = { text: `apt-get has ${name} ${version.join('.')}`, isTooOld: true };
      continue;
    }
    if (!(await apt([...options, 'download', ...packages], draft)).ok) {
      problem = { text: `apt-get could not download ${name}` };
      continue;
    }
    rmSync(root, { recursive: true, force: true });
    for (const file of readdirSync(draft).filter((entry) => entry.endsWith('.deb'))) {
      await run('dpkg-deb', ['--extract', file, 'root'], { cwd: draft });
      rmSync(path.join(draft, file));
    }
    if (await firstUsable(programsIn(root))) return undefined;
    problem = { text: `${name} of apt-get does not run here` };
  }
  return problem;
}

/**
 * Returns the packages of a server, its program and their libraries, each with its version; and the
 * version of the server.
 */
async function planOf(name, draft, options) {
  const args = [...options, 'install', '--simulate', '--no-install-recommends', name];
  const { ok, output } = await apt(args, draft);
  // "Inst name (version …" is a package of the plan. The C library must be that of the system, as
  // for every running program.
  const plan = ok ? [...output.matchAll(/^Inst (\S+) \((\S+)/gm)] : [];
  const [, , version] = plan.find(([, one]) => one === name) ?? [];
  return {
    packages: plan
      .filter(([, one]) => PARTS_OF_SERVER.test(one))
      .map((one) => one.slice(1).join('=')),
    version: versionIn(/^(?:\d+:)?(\d+)\.(\d+)/.exec(version ?? '')),
  };
}

/**
 * @throws {SetupError} if this account cannot write there; names the variable that chose the folder
 */
function makeCache(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const variable = process.env['XDG_CACHE_HOME'] ? 'XDG_CACHE_HOME' : 'HOME';
    throw new SetupError(
      `${variable}: Redis is missing, and cannot be unpacked in ${folder} (${error.code}). Set ${variable} to a folder that this account can write to, install Redis, or set REDIS_URL.`,
    );
  }
}

const apt = (args, cwd) =>
  run('apt-get', ['-q', ...args], { cwd, env: { ...process.env, LC_ALL: 'C' } });

/**
 * Runs a program. @returns {Promise<{ ok: boolean, output: string }>} its standard output, also if
 * it fails
 */
function run(command, args, options = {}) {
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 2 ** 26, ...options }, (error, stdout) =>
      resolve({ ok: error === null, output: stdout }),
    );
  });
}

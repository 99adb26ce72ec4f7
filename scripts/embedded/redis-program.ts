import { spawnSync } from 'node:child_process';
import {
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
import { SetupError } from './setup-error.ts';

/** A Redis or Valkey server, and the environment that it needs. */
export interface RedisProgram {
  command: string;
  env: Record<string, string>;
}

const NAMES = ['redis-server', 'valkey-server'];
const OLDEST = [6, 2];
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

/** Packages of a plan of apt that a server is made of: its own, the one with its program, and libraries. */
const PARTS_OF_SERVER = /^(?:(?:redis|valkey)-|zlib1g|lib(?!c6$|perl|.*-perl$))/;

const ADVICE =
  'install one ("sudo apt-get install redis-server" where the distribution has that version, "brew install redis", "sudo dnf install redis"), or set REDIS_URL to one that runs, such as one in Docker ("docker run -d -p 127.0.0.1:6379:6379 redis:7", then "REDIS_URL=redis://127.0.0.1:6379 npm start")';

/** Package managers other than apt whose package starts no service of its own accord. */
const MANAGERS = [
  { command: 'brew', args: ['install', 'redis'], asRoot: false },
  { command: 'dnf', args: ['install', '-y', 'redis'], asRoot: true },
  { command: 'apk', args: ['add', 'redis'], asRoot: true },
];

/**
 * A server from this machine; where there is none, one is installed.
 *
 * @throws SetupError when that is not possible
 */
export function findRedis(log: (line: string) => void): RedisProgram {
  return installed() ?? unpacked() ?? install(log);
}

const installed = (): RedisProgram | undefined => candidates().find(isUsable);

function candidates(): RedisProgram[] {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...PLACES];
  return folders.flatMap((folder) =>
    NAMES.map((name) => ({ command: path.join(folder, name), env: {} })),
  );
}

const isUsable = (program: RedisProgram): boolean => {
  const [major, minor] = versionOf(program) ?? [0, 0];
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
};

/** `undefined` where there is no such program, or none for this machine. */
function versionOf({ command, env }: RedisProgram): [major: number, minor: number] | undefined {
  if (!path.isAbsolute(command) || !existsSync(command)) return undefined;
  const { stdout } = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

function install(log: (line: string) => void): RedisProgram {
  const isRoot = process.getuid?.() === 0;
  const other = MANAGERS.find(({ command, asRoot }) => exists(command) && (isRoot || !asRoot));
  const manager = exists('apt-get') && exists('dpkg-deb') ? 'apt-get' : other?.command;
  if (manager !== undefined) {
    log(`redis-server is missing: installing it with ${manager} …`);
    if (manager === 'apt-get') unpackWithApt(log);
    else if (other) spawnSync(other.command, other.args, { stdio: 'ignore' });
    const program = installed() ?? unpacked();
    if (program) return program;
  }
  const old = candidates().find((one) => versionOf(one));
  const found =
    old === undefined
      ? `redis-server ${OLDEST.join('.')} or newer is missing`
      : `${old.command} is of version ${versionOf(old)!.join('.')}, and ${OLDEST.join('.')} or newer is needed`;
  const failed = manager === undefined ? '' : `, and ${manager} has none that runs here`;
  throw new SetupError(`${found}${failed}: ${ADVICE}.`);
}

function exists(command: string): boolean {
  return spawnSync('/bin/sh', ['-c', `command -v ${command}`]).status === 0;
}

const cache = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'shortlinks', 'redis');

/** The server that `unpackWithApt` left, now or earlier. */
export const unpacked = (): RedisProgram | undefined => programsIn(cache()).find(isUsable);

/** Programs that were unpacked in a folder, with their libraries. */
function programsIn(root: string): RedisProgram[] {
  // Debian keeps libraries in a folder named after the machine: x86_64-linux-gnu.
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
 * Downloads a server with the libraries that it needs, whatever the system has of them, and keeps it in the user's cache if
 * it runs. Unlike an installation this needs no root, no lock of the system's packages, and leaves no service behind that
 * starts with the machine.
 */
export function unpackWithApt(log: (line: string) => void): void {
  const target = cache();
  makeCache(path.dirname(target));
  const draft = mkdtempSync(`${target}.new.`);
  try {
    // The lists of the system may be missing or old, and only root may renew them: then others are fetched.
    const isDone = hasServer(draft, systemApt(draft)) || hasServer(draft, ownApt(draft, log));
    if (!isDone) return;
    rmSync(target, { recursive: true, force: true });
    renameSync(path.join(draft, 'root'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Options of apt-get for the lists of packages that the system has. */
function systemApt(draft: string): string[] {
  // With no package installed, a plan holds all that is needed: the system may have it in another version.
  const status = path.join(draft, 'status');
  writeFileSync(status, '');
  return ['-o', `Dir::State::status=${status}`];
}

/** The same for lists that are fetched into the draft. */
function ownApt(draft: string, log: (line: string) => void): string[] {
  log('Fetching the lists of packages …');
  const folders = ['lists', 'cache'].map((name) => path.join(draft, name));
  for (const folder of folders) mkdirSync(path.join(folder, 'partial'), { recursive: true });
  const [lists, cached] = folders;
  const settings = [
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cached}`,
    // As root, apt would fetch as another account, which may not read the draft.
    'APT::Sandbox::User=root',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ];
  const options = [...systemApt(draft), ...settings.flatMap((setting) => ['-o', setting])];
  apt([...options, 'update'], draft);
  return options;
}

/** Downloads and unpacks a server into the draft. @returns true if it runs */
function hasServer(draft: string, options: readonly string[]): boolean {
  const root = path.join(draft, 'root');
  return NAMES.some((name) => {
    rmSync(root, { recursive: true, force: true });
    const files = download(name, draft, options);
    for (const file of files) {
      spawnSync('dpkg-deb', ['--extract', file, 'root'], { cwd: draft, stdio: 'ignore' });
      rmSync(path.join(draft, file));
    }
    return files.length > 0 && programsIn(root).some(isUsable);
  });
}

/** @returns the files of a package, of its program and of their libraries */
function download(name: string, draft: string, options: readonly string[]): string[] {
  const plan = apt([...options, 'install', '--simulate', '--no-install-recommends', name], draft);
  // "Inst name (version …": a package of the plan. The C library is that of the system, as of every program that runs.
  const wanted = [...plan.output.matchAll(/^Inst (\S+) \((\S+)/gm)].flatMap(
    ([, one = '', version = '']) => (PARTS_OF_SERVER.test(one) ? [`${one}=${version}`] : []),
  );
  if (!plan.ok || wanted.length === 0 || !apt([...options, 'download', ...wanted], draft).ok) {
    return [];
  }
  return readdirSync(draft).filter((file) => file.endsWith('.deb'));
}

function makeCache(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new SetupError(
      `redis-server is missing, and cannot be unpacked in ${folder} (${(error as NodeJS.ErrnoException).code}): set XDG_CACHE_HOME to a folder that this account may write to, install redis-server, or set REDIS_URL.`,
    );
  }
}

function apt(args: string[], cwd: string): { ok: boolean; output: string } {
  const { status, stdout } = spawnSync('apt-get', ['-q', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { ok: status === 0, output: stdout ?? '' };
}

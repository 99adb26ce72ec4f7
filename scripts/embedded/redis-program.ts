import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
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

function installed(): RedisProgram | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...PLACES];
  return folders
    .flatMap((folder) => NAMES.map((name) => ({ command: path.join(folder, name), env: {} })))
    .find(isUsable);
}

function isUsable({ command, env }: RedisProgram): boolean {
  if (!path.isAbsolute(command) || !existsSync(command)) return false;
  const { stdout } = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const [, major = 0, minor = 0] = (/\bv=(\d+)\.(\d+)/.exec(stdout ?? '') ?? []).map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function install(log: (line: string) => void): RedisProgram {
  const isRoot = process.getuid?.() === 0;
  const other = MANAGERS.find(({ command, asRoot }) => exists(command) && (isRoot || !asRoot));
  const manager = exists('apt-get') && exists('dpkg-deb') ? 'apt-get' : other?.command;
  if (manager !== undefined) {
    log(`redis-server is missing: installing it with ${manager} …`);
    if (manager === 'apt-get') unpackWithApt(isRoot);
    else if (other) spawnSync(other.command, other.args, { stdio: 'ignore' });
    const program = installed() ?? unpacked();
    if (program) return program;
  }
  throw new SetupError(
    `redis-server ${OLDEST.join('.')} or newer is missing${manager ? ` and could not be installed with ${manager}` : ''}: install it ("sudo apt-get update && sudo apt-get install redis-server", "brew install redis", "sudo dnf install redis"), or set REDIS_URL.`,
  );
}

function exists(command: string): boolean {
  return spawnSync('/bin/sh', ['-c', `command -v ${command}`]).status === 0;
}

const cache = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'shortlinks', 'redis');

/** The server that `unpackWithApt` left, now or earlier. */
function unpacked(): RedisProgram | undefined {
  const root = cache();
  // Debian keeps libraries in a folder named after the machine: x86_64-linux-gnu.
  const libraries = ['lib', 'usr/lib']
    .map((folder) => path.join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((entry) => path.join(folder, entry))]);
  return NAMES.map((name) => ({
    command: path.join(root, 'usr', 'bin', name),
    env: { LD_LIBRARY_PATH: libraries.join(':') },
  })).find(isUsable);
}

/**
 * Downloads the package and what it needs, and unpacks them in the user's cache. Unlike an installation this
 * needs no root, and leaves no service behind that starts with the machine.
 */
function unpackWithApt(isRoot: boolean): void {
  const target = cache();
  mkdirSync(path.dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}.new.`);
  try {
    if (!downloadInto(draft)) {
      // No lists of packages, or old ones.
      if (!isRoot || !apt(['update'], draft).ok || !downloadInto(draft)) return;
    }
    for (const file of readdirSync(draft).filter((name) => name.endsWith('.deb'))) {
      spawnSync('dpkg-deb', ['--extract', file, 'root'], { cwd: draft, stdio: 'ignore' });
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(path.join(draft, 'root'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function downloadInto(folder: string): boolean {
  const plan = apt(['install', '--simulate', '--no-install-recommends', 'redis-server'], folder);
  // "Inst name (version …": a package to be added. One to be upgraded has its present version before that; it is
  // the system's own and stays as it is.
  const packages = [...plan.output.matchAll(/^Inst (\S+) \((\S+)/gm)].map(
    ([, name, version]) => `${name}=${version}`,
  );
  return plan.ok && packages.length > 0 && apt(['download', ...packages], folder).ok;
}

function apt(args: string[], cwd: string): { ok: boolean; output: string } {
  const { status, stdout } = spawnSync('apt-get', ['-q', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { ok: status === 0, output: stdout ?? '' };
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { copyClone } from '../support/clone.ts';

/** Release of Debian. */
export type Suite = 'bookworm' | 'bullseye';

/** Major version of npm that ships with each version of Node. */
const NPM_OF_NODE = { 20: 10, 22: 10, 24: 11 } as const;

/** Folder of the fresh releases, which are kept between runs. */
const RELEASES = path.join(
  process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'),
  'shortlinks',
  'machines',
);
const MIRROR = process.env['DEBIAN_MIRROR'] ?? 'http://deb.debian.org/debian';

/** Additional certificate authorities of this machine. */
const CERTIFICATES = '/etc/extra-ca.crt';

/** Unprivileged account of a machine. */
const USER = { id: 1_000, name: 'anna', home: '/home/anna' };

/** Options of a command. */
export interface Circumstances {
  cwd?: string;
  isRoot?: boolean;
  /** If true, the command has loopback as its only network. */
  isOffline?: boolean;
  /** Soft limit of open files, as macOS has it. */
  files?: number;
  /** Size of /dev/shm in the notation of mount(8). */
  sharedMemory?: string;
  env?: Record<string, string>;
}

/**
 * A new Debian in a folder: it has separate files, accounts and packages, and shares kernel and
 * addresses with this machine. Needs root, debootstrap and a Debian mirror (DEBIAN_MIRROR).
 */
export class Machine {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Installs Debian, Node and packages into a new folder.
   * @param packages Debian packages to install
   */
  static make(suite: Suite, node: keyof typeof NPM_OF_NODE, packages: string[] = []): Machine {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-machine-'));
    execFileSync('cp', ['-a', '--reflink=auto', `${release(suite)}/.`, folder]);
    const machine = new Machine(folder);
    machine.#installNode(node);
    for (const file of ['/etc/resolv.conf', '/etc/hosts']) cpSync(file, machine.in(file));
    const certificates = process.env['NODE_EXTRA_CA_CERTS'];
    if (certificates !== undefined) cpSync(certificates, machine.in(CERTIFICATES));
    writeFileSync(machine.in('/etc/npmrc'), `registry=${npmConfig('registry')}\n`);
    const { id, name, home } = USER;
    machine.run(`groupadd -g ${id} ${name} && useradd -m -u ${id} -g ${id} -d ${home} ${name}`);
    if (packages.length > 0) {
      machine.run(
        `apt-get -q update && apt-get -q install -y --no-install-recommends ${packages.join(' ')}`,
      );
    }
    return machine;
  }

  /** Returns the path of the machine's file on the host. */
  in(file: string): string {
    return path.join(this.folder, file);
  }

  /** Copies this clone to a folder of the machine, owned by its unprivileged account. */
  clone(folder: string): void {
    copyClone(this.in(folder));
    this.run(`chown -R ${USER.id}:${USER.id} '${folder}'`);
  }

  /** Runs a command as root, and returns its output. */
  run(command: string): string {
    const [file, ...args] = this.#enter(['sh', '-c', command], { isRoot: true });
    return execFileSync(file!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Starts a program in a new process group, by default as the unprivileged account. */
  start(command: string[], circumstances: Circumstances = {}): ChildProcess {
    const [file, ...args] = this.#enter(command, circumstances);
    return spawn(file!, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  }

  /** Kills all processes of the machine, and deletes it. */
  remove(): void {
    for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      if (rootOf(pid) === this.folder) process.kill(Number(pid), 'SIGKILL');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #installNode(version: keyof typeof NPM_OF_NODE): void {
    const cache = path.join(RELEASES, `node-${version}`);
    if (!existsSync(cache)) {
      const draft = mkdtempSync(`${cache}.new.`);
      const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
      unpackPackage(`node-linux-${arch}@${version}`, path.join(draft, 'node'));
      unpackPackage(`npm@${NPM_OF_NODE[version]}`, path.join(draft, 'npm'));
      renameSync(draft, cache);
    }
    cpSync(path.join(cache, 'node', 'bin', 'node'), this.in('/usr/local/bin/node'));
    execFileSync('cp', ['-a', path.join(cache, 'npm'), this.in('/usr/local/lib/npm')]);
    this.run('ln -s ../lib/npm/bin/npm-cli.js /usr/local/bin/npm');
  }

  /**
   * Builds the command that enters the machine; its mounts end with it, since they are in a
   * separate namespace.
   */
  #enter(command: string[], how: Circumstances): string[] {
    const { cwd = '/', isRoot = false, isOffline = false, files, sharedMemory = '64m' } = how;
    const home = isRoot ? '/root' : USER.home;
    const env = {
      HOME: home,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      DEBIAN_FRONTEND: 'noninteractive',
      NPM_CONFIG_GLOBALCONFIG: '/etc/npmrc',
      ...(existsSync(this.in(CERTIFICATES)) ? { NODE_EXTRA_CA_CERTS: CERTIFICATES } : {}),
      ...how.env,
    };
    const mounts = `
      mount -t proc proc "$0/proc"
      mount --bind /dev "$0/dev"
      mount -t tmpfs -o mode=1777,size=${sharedMemory} tmpfs "$0/dev/shm"
      ${isOffline ? 'ip link set lo up' : ''}
      ${files === undefined ? '' : `ulimit -S -n ${files}`}
      exec chroot --userspec=${isRoot ? '0:0' : `${USER.id}:${USER.id}`} "$0" env -i -C "$@"`;
    return [
      'unshare',
      '--mount',
      ...(isOffline ? ['--net'] : []),
      'sh',
      '-ec',
      mounts,
      this.folder,
      cwd,
      ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...command,
    ];
  }
}

/** Returns the folder of a fresh release, which is created once. */
function release(suite: Suite): string {
  const folder = path.join(RELEASES, suite);
  if (existsSync(folder)) return folder;
  mkdirSync(RELEASES, { recursive: true });
  const draft = mkdtempSync(`${folder}.new.`);
  const options = ['--variant=minbase', '--include=ca-certificates'];
  execFileSync('debootstrap', [...options, suite, draft, MIRROR], { stdio: 'pipe' });
  execFileSync('chmod', ['755', draft]);
  renameSync(draft, folder);
  return folder;
}

function unpackPackage(name: string, target: string): void {
  mkdirSync(target, { recursive: true });
  const options = ['pack', '--silent', '--pack-destination', target];
  const file = execFileSync('npm', [...options, name], { encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', path.join(target, file), '-C', target, '--strip-components=1']);
  rmSync(path.join(target, file));
}

const npmConfig = (name: string) =>
  execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();

function rootOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/root`);
  } catch {
    // The process has ended.
    return undefined;
  }
}

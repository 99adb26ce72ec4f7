import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { connectDb, type Knex, rows } from '../../src/infra/db.ts';
import { eventually } from './eventually.ts';

/** Account of the servers, which refuse to run as root. */
const OWNER = 'postgres';
const PACKAGES = '/usr/lib/postgresql';
const START_MS = 30_000;

/**
 * Folder of Debian's programs, including `pg_basebackup`; the embedded ones cannot create a
 * standby.
 */
const programs = (): string | undefined =>
  existsSync(PACKAGES)
    ? readdirSync(PACKAGES)
        .map((version) => path.join(PACKAGES, version, 'bin'))
        .findLast((folder) => existsSync(path.join(folder, 'pg_basebackup')))
    : undefined;

/** True if a pair of servers can be started. */
export const hasPostgresPair = (): boolean => programs() !== undefined;

/** A Postgres server with its data in a folder. */
export class PostgresServer {
  readonly port: number;
  readonly #data: string;
  readonly #ids: { uid: number; gid: number } | undefined;
  #child: ChildProcess | undefined;

  constructor(folder: string, name: string, port: number) {
    this.port = port;
    this.#data = path.join(folder, name);
    this.#ids = process.getuid?.() === 0 ? idsOf(OWNER) : undefined;
    this.#makeFolder();
  }

  #makeFolder(): void {
    mkdirSync(this.#data, { mode: 0o700 });
    if (this.#ids) chownSync(this.#data, this.#ids.uid, this.#ids.gid);
  }

  get url(): string {
    return `postgres://${OWNER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Creates an empty primary. */
  init(): void {
    this.#run('initdb', [`--username=${OWNER}`, '--auth=trust', '--encoding=UTF8', '--locale=C']);
    this.configure("listen_addresses = '127.0.0.1'", "unix_socket_directories = ''");
    this.configure('max_connections = 200', 'hot_standby_feedback = on');
  }

  /** Makes a standby of another, running server. Its own previous data are removed. */
  copy(primary: PostgresServer): void {
    rmSync(this.#data, { recursive: true });
    this.#makeFolder();
    this.#run('pg_basebackup', [
      `--dbname=${primary.url}`,
      '--checkpoint=fast',
      '--write-recovery-conf',
      '--wal-method=stream',
    ]);
    this.configure(`primary_conninfo = '${primary.url}?application_name=standby'`);
  }

  configure(...lines: string[]): void {
    appendFileSync(path.join(this.#data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  }

  async start(): Promise<void> {
    this.#child = spawn(this.#program('postgres'), ['-D', this.#data, '-p', String(this.port)], {
      ...this.#ids,
      cwd: '/',
      detached: true,
      stdio: 'ignore',
    });
    await eventually(() => this.query('SELECT 1'), START_MS);
  }

  /** Stops at once, as in a power failure. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill('SIGQUIT');
    await ended;
  }

  /** Suspends it until `goOn`, so that it keeps its connections without answering. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  /** Ends a suspension. */
  goOn(): void {
    this.#signal('SIGCONT');
  }

  /** Each of its processes has its own group. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child!;
    process.kill(pid!, signal);
    const { stdout } = spawnSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' });
    for (const child of stdout.split('\n').filter(Boolean)) {
      try {
        process.kill(Number(child), signal);
      } catch {
        // The process has ended.
      }
    }
  }

  /** Promotes a standby to a primary that waits for no other server. */
  async promote(): Promise<void> {
    await this.query("ALTER SYSTEM SET synchronous_standby_names = ''").catch(() => {});
    await this.query('SELECT pg_promote(true)');
    await this.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await this.query('SELECT pg_reload_conf()');
  }

  /** Runs a statement on a connection of its own. */
  async query(sql: string): Promise<object[]> {
    return this.withDb((db) => rows(db, sql));
  }

  async withDb<T>(work: (db: Knex) => Promise<T>): Promise<T> {
    const db = connectDb(this.url, 1, 'test');
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  #program(name: string): string {
    return path.join(programs()!, name);
  }

  #run(program: string, args: string[]): void {
    const { status, stderr } = spawnSync(this.#program(program), ['-D', this.#data, ...args], {
      ...this.#ids,
      cwd: '/',
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  }
}

/** A primary with a streaming standby. */
export class PostgresPair {
  primary: PostgresServer;
  standby: PostgresServer;

  private constructor(primary: PostgresServer, standby: PostgresServer) {
    this.primary = primary;
    this.standby = standby;
  }

  /** @param folder folder of their data, which their account can enter */
  static async start(folder: string, ...settings: string[]): Promise<PostgresPair> {
    const [first = 0, second = 0] = await freePorts(2);
    const primary = new PostgresServer(folder, 'primary', first);
    primary.init();
    primary.configure(...settings);
    await primary.start();
    const standby = new PostgresServer(folder, 'standby', second);
    standby.copy(primary);
    await standby.start();
    return new PostgresPair(primary, standby);
  }

  /** URL of both servers, of which the writable one is used. */
  get url(): string {
    const { primary, standby } = this;
    return `postgres://${OWNER}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`;
  }

  /** Makes commits wait for the standby. */
  async synchronize(): Promise<void> {
    await this.primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await this.primary.query('SELECT pg_reload_conf()');
    await this.inSync();
  }

  /** Resolves once the standby confirms commits. */
  async inSync(): Promise<void> {
    await eventually(async () => {
      const states = await this.primary.query(
        "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
      );
      expect(states).to.deep.equal([{ sync_state: 'sync' }]);
    }, START_MS);
  }

  /** Stops the primary at once and promotes the standby. @returns the stopped server */
  async failOver(): Promise<PostgresServer> {
    const ended = this.primary;
    await ended.stop();
    await this.standby.promote();
    this.primary = this.standby;
    this.standby = ended;
    return ended;
  }

  /** Makes the replaced server a standby, from a copy of its successor. */
  async rebuildStandby(): Promise<void> {
    this.standby.copy(this.primary);
    await this.standby.start();
    await this.synchronize();
  }

  async stop(): Promise<void> {
    await this.standby.stop();
    await this.primary.stop();
  }
}

function idsOf(account: string): { uid: number; gid: number } {
  const [uid = 0, gid = 0] = ['-u', '-g'].map((option) =>
    Number(spawnSync('id', [option, account], { encoding: 'utf8' }).stdout),
  );
  return { uid, gid };
}

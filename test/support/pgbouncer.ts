import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkPostgres } from '../../scripts/embedded/given.ts';
import { startServers } from '../../scripts/embedded/servers.ts';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { withoutServers } from './without-servers.ts';

/** Server connections per database, fewer than the processes of a service open to pgbouncer. */
const POOL_SIZE = 20;
/** The account `nobody`, since pgbouncer refuses to run as root. */
const NOBODY = 65_534;

/** Debian's pgbouncer with `pool_mode=transaction`, in front of every database of a server. */
export class Pgbouncer {
  readonly url: string;
  #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** @param databaseUrl URL of the server, with its account and password */
  static async start(databaseUrl: string): Promise<Pgbouncer> {
    const server = new URL(databaseUrl);
    const url = new URL(databaseUrl);
    url.port = String(await freePort());
    url.searchParams.set('pool_mode', 'transaction');
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-pgbouncer-'));
    chmodSync(folder, 0o755);
    const { hostname, port, username, password } = server;
    writeFileSync(
      configIn(folder),
      `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = 1000
server_check_delay = 0
${process.env['PGOPTIONS'] === undefined ? '' : 'ignore_startup_parameters = options'}
`,
    );
    const child = run(folder);
    await eventually(() => checkPostgres(url.href), 10_000);
    return new Pgbouncer(url.href, child, folder);
  }

  /** Kills it, like an accident; its address stays. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Restarts it after it was killed. */
  startAgain(): void {
    this.#child = run(this.#folder);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

const configIn = (folder: string) => path.join(folder, 'pgbouncer.ini');

function run(folder: string): ChildProcess {
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return spawn('pgbouncer', ['-q', configIn(folder)], { ...account, stdio: 'inherit' });
}

/** Starts a private Postgres with its data in the folder, and pgbouncer in front of it. */
export async function startPooled(dataDir: string) {
  const servers = await startServers({ dataDir, env: withoutServers() });
  const pgbouncer = await Pgbouncer.start(servers.databaseUrl);
  return {
    pgbouncer,
    databaseUrl: pgbouncer.url,
    secretKey: servers.secretKey,
    async stop() {
      await pgbouncer.stop();
      await servers.stop();
    },
  };
}

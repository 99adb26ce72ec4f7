import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkPostgres } from '../../scripts/embedded/given.ts';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';

/** Server connections of one database: fewer than the processes of a service open to pgbouncer. */
const POOL_SIZE = 20;
/** The account `nobody`: pgbouncer refuses to run as root. */
const NOBODY = 65_534;

/** Debian's pgbouncer with `pool_mode=transaction`, in front of every database of a server. */
export class Pgbouncer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** @param databaseUrl of the server, with its account and password */
  static async start(databaseUrl: string): Promise<Pgbouncer> {
    const server = new URL(databaseUrl);
    const url = new URL(databaseUrl);
    url.port = String(await freePort());
    url.searchParams.set('pool_mode', 'transaction');
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-pgbouncer-'));
    chmodSync(folder, 0o755);
    const file = path.join(folder, 'pgbouncer.ini');
    const { hostname, port, username, password } = server;
    writeFileSync(
      file,
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
    const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawn('pgbouncer', ['-q', file], { ...account, stdio: 'inherit' });
    await eventually(() => checkPostgres(url.href), 10_000);
    return new Pgbouncer(url.href, child, folder);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { postgresSettings } from '../sizes.ts';
import { type Account, postgresAccount } from './account.ts';
import { keptSecret } from './kept.ts';
import { findPostgres } from './postgres-programs.ts';
import { leaveSuperuser, SERVICE } from './postgres-roles.ts';
import { ensureRunning, type Greeting } from './private-server.ts';
import { summaryOf } from './server-log.ts';
import { SetupError } from './setup-error.ts';
import type { Started } from './stack.ts';

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** Starts one of Postgres' programs under the right account; `output` receives what it prints. */
type Run = (program: string, args: string[], output: number | 'pipe') => ChildProcess;

/**
 * Runs the private Postgres of `dataDir`, or adopts a running one. Must be called by one process at
 * a time.
 *
 * @param fixedPort 0: any
 * @returns the server and the URL of its database
 * @throws SetupError
 */
export async function startPostgres(
  dataDir: string,
  fixedPort: number,
  log: (line: string) => void,
): Promise<Started> {
  const data = path.join(dataDir, 'postgres');
  const { folder, major } = findPostgres(data);
  const account = postgresAccount(data, [folder, dataDir]);
  const run: Run = (program, args, output) =>
    runAs(account, path.join(folder, program), args, output);
  const password = keptSecret(path.join(dataDir, 'postgres.password'));
  if (!existsSync(path.join(data, 'PG_VERSION'))) {
    checkPath(folder);
    log(`Creating a private Postgres database in ${data} …`);
    await makeData(data, password, account, run);
  }
  const server = await ensureRunning(dataDir, {
    title: 'Postgres',
    name: 'postgres',
    portVariable: 'EMBEDDED_POSTGRES_PORT',
    fixedPort,
    spawn(port, logFile) {
      const settings = Object.entries({ ...SETTINGS, ...postgresSettings(major), port });
      const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      return run('postgres', ['-D', data, ...options], logFile);
    },
    greet: (port) => greet(port, password, data),
    stopSignal: 'SIGINT',
    cleanUp: (lastPid) => disownPidFile(data, lastPid),
  });
  await ensureDatabase(server.port, {
    service: password,
    superuser: keptSecret(path.join(dataDir, 'postgres-superuser.password')),
  });
  return { url: `postgres://${SERVICE}:${password}@127.0.0.1:${server.port}/${SERVICE}`, server };
}

/**
 * Refuses paths that initdb cannot pass to a shell in double quotes.
 *
 * @throws SetupError
 */
export function checkPath(folder: string): void {
  if (!/[$`"\\\n]/.test(folder)) return;
  throw new SetupError(
    `Postgres cannot be run from ${folder}: the path must not contain $, \`, " or \\. Move the project to another folder, or set DATABASE_URL.`,
  );
}

function runAs(
  account: Account | undefined,
  program: string,
  args: string[],
  output: number | 'pipe',
): ChildProcess {
  const [command = '', ...rest] = [...(account?.prefix ?? []), program, ...args];
  return spawn(command, rest, {
    ...account?.spawnOptions,
    // The account may be unable to enter the present folder.
    cwd: '/',
    // A clean environment: PGPORT and similar variables, or a locale unknown to the bundled
    // programs, would change their behavior.
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    // A separate process group, since on Ctrl-C in the terminal the server must stop after its
    // clients.
    detached: true,
    stdio: ['ignore', output, output],
  });
}

/** Creates the data in a temporary folder, and moves them to their place once they are complete. */
async function makeData(
  data: string,
  password: string,
  account: Account | undefined,
  run: Run,
): Promise<void> {
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new SetupError(`${data} holds something other than Postgres data: move it away.`);
  }
  const parent = path.dirname(data);
  for (const entry of readdirSync(parent).filter((name) => name.startsWith('postgres.new.'))) {
    rmSync(path.join(parent, entry), { recursive: true, force: true, maxRetries: 5 });
  }
  const draft = `${data}.new.${process.pid}`;
  const passwordFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const file of [draft, passwordFile]) chownSync(file, account.uid, account.gid);
  const failure = await outcome(
    run(
      'initdb',
      [
        `--pgdata=${draft}`,
        `--username=${SERVICE}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
      ],
      'pipe',
    ),
  );
  rmSync(passwordFile);
  if (failure !== undefined) {
    throw new SetupError(`The private database could not be made, initdb says: ${failure}`);
  }
  renameSync(draft, data);
}

/** Returns `undefined` if the process succeeds, otherwise its output about the cause. */
function outcome(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        output += part.toString();
      });
    }
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : summaryOf(output)));
  });
}

async function greet(port: number, password: string, data: string): Promise<Greeting> {
  try {
    return await withClient(port, password, 'postgres', async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
      // A copy of DATA_DIR has the same password, and its last server is the original's.
      return realpathSync(rows[0]?.data_directory ?? '/') === realpathSync(data)
        ? 'ready'
        : 'elsewhere';
    });
  } catch (error) {
    // Class 28 means a wrong password. Other errors mean that it is starting or recovering.
    return (error as { code?: string }).code?.startsWith('28') ? 'refused' : 'starting';
  }
}

/** Creates the database of the service, whose role is not a superuser. */
async function ensureDatabase(
  port: number,
  passwords: { service: string; superuser: string },
): Promise<void> {
  await withClient(port, passwords.service, 'postgres', async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      SERVICE,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${SERVICE}`);
  });
  await withClient(port, passwords.service, SERVICE, (client) => leaveSuperuser(client, passwords));
}

async function withClient<T>(
  port: number,
  password: string,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: SERVICE,
    password,
    database,
    ssl: false,
    connectionTimeoutMillis: 2_000,
  });
  // The caller of a query receives the error of a broken connection.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Removes a stale lock file. Postgres refuses to start while the process in its lock file runs and
 * could be a server; after a crash that number may belong to another program. A lock file with the
 * number of its own parent counts as stale; Postgres' other check, for processes that still use the
 * data, stays in force.
 */
function disownPidFile(data: string, lastPid: number): void {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [pid, ...rest] = readFileSync(file, 'utf8').split('\n');
  if (Number(pid) === lastPid) writeFileSync(file, [process.pid, ...rest].join('\n'));
}

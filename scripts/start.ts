import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { installPlaces } from '#places';
import { Progress } from '#progress';
import { type Config, ConfigError, reloadConfig } from '../src/config.ts';
import { closeDb, db } from '../src/infra/db.ts';
import { freeStartMemory } from '../src/infra/heap.ts';
import { listenFault } from '../src/infra/listen.ts';
import { closeRedis } from '../src/infra/redis.ts';
import { ROOT } from '../src/infra/root.ts';
import { consoleUrl, firstAddress } from '../src/users/accounts.ts';
import { ensureDemo } from '../src/workspaces/demo.ts';
import { type Servers, SetupError, serversEnv, startServers } from './embedded/servers.ts';
import { migrateEntries, migrateLatest } from './migrations.ts';
import { bindError, freePort, keepPort } from './ports.ts';
import { ProcessLogs } from './process-logs.ts';
import { parseProcfile, Runner } from './procfile.ts';
import { procfileFor, settingsFor } from './sizes.ts';

/**
 * Time within which a second signal counts as the same keypress, in ms: npm passes signals of the
 * terminal on.
 */
const SAME_KEYPRESS_MS = 1_000;
/** Time limit to wait for ports, in ms, since processes of a killed run may still be ending. */
const PORT_PATIENCE_MS = 3_000;
/**
 * Processes that answer requests, writes and clicks, which are started first: on two cores,
 * starting all at once takes twice as long.
 */
const FIRST = ['api', 'redirect', 'worker_writes', 'worker_clicks', 'worker_all'];
/** The worker for QR codes is next, which would otherwise wait for all others to start. */
const SECOND = ['worker_qr'];
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * Usage: `npm start [-- --verbose]`. Starts private servers if none are configured, creates the
 * schema and a demo workspace, and runs all processes of the Procfile or of Procfile.small, until
 * Ctrl-C or SIGTERM, after which everything ends in order.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { verbose: { type: 'boolean', default: false } } });
  const progress = new Progress(process.stdout);
  let servers: Servers | undefined;
  let runner: Runner | undefined;
  // A closed terminal, or a full disk behind it, must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const end = endOnSignal(() => {
    runner?.abandon();
    servers?.abandon();
  });
  try {
    Object.assign(process.env, settingsFor(process.env));
    const config = await choosePorts();
    servers = await progress.during('Starting Postgres and Redis', () =>
      startServers({ dataDir: config.DATA_DIR, log: (line) => progress.line(line) }),
    );
    servers.keepRunning();
    end.throwIfAborted();
    Object.assign(process.env, serversEnv(servers));
    reloadConfig();
    await progress.during('Preparing the database', () => prepareDatabase(servers!));
    const { slug, apiKey, isNew } = await ensureDemo(db());
    // Printed at the first start only, since the output goes to the log of a container, which
    // others may read.
    const secrets = isNew ? { apiKey, signIn: await firstAddress(db(), slug) } : undefined;
    end.throwIfAborted();

    const logs = new ProcessLogs(path.join(config.DATA_DIR, 'log'), values.verbose);
    runner = new Runner({
      processes: parseProcfile(readFileSync(path.join(ROOT, procfileFor(config)), 'utf8')),
      env: {
        ...process.env,
        // Node 22 and newer stores compiled code there, so that the next start need not compile it.
        NODE_COMPILE_CACHE:
          process.env['NODE_COMPILE_CACHE'] ?? path.join(config.DATA_DIR, 'compiled'),
      },
      yields: true,
      cwd: ROOT,
      onLine: (name, line) => logs.take(name, line),
    });
    const { names } = runner;
    const startThose = async (names: readonly string[]) => {
      await Promise.race([runner!.start(names), aborted(end)]);
      end.throwIfAborted();
    };
    await progress.during('Starting the processes', () =>
      startThose(names.filter((name) => FIRST.includes(name))),
    );
    console.log(welcome(config, secrets));
    await startThose(names.filter((name) => SECOND.includes(name)));
    await startThose(names.filter((name) => !FIRST.includes(name) && !SECOND.includes(name)));
    await freeStartMemory();
    if (config.GEOIP_DB === '') void findCountries((line) => progress.line(line));
    await aborted(end);
  } catch (error) {
    if (!end.aborted) {
      const expected = [SetupError, ConfigError].some((kind) => error instanceof kind);
      console.error(expected ? (error as Error).message : error);
      process.exitCode = 1;
    }
  } finally {
    await runner?.stop();
    await closeDb();
    await closeRedis();
    await servers?.stop();
  }
  if (end.aborted) console.log('stopped');
}

async function prepareDatabase(servers: Servers): Promise<void> {
  await migrateLatest(servers);
  // This process has started all others, so none of an earlier version is left.
  await migrateEntries(servers.databaseUrl);
}

/** Installs the database of places, which the first start leaves for later. */
async function findCountries(log: (line: string) => void): Promise<void> {
  try {
    const isNew = await installPlaces(() =>
      log('Downloading the database of places: visits have no country until it is there …'),
    );
    if (isNew) log('Visits have countries now.');
  } catch (error) {
    log(
      `The database of places could not be downloaded, visits have no country: ${(error as Error).message}. The next start tries again.`,
    );
  }
}

/** Checks that the ports are free, replaces port 0 by a free one, and returns the configuration. */
async function choosePorts(): Promise<Config> {
  takePort();
  const configured = reloadConfig();
  if (configured.API_PORT !== 0 && configured.API_PORT === configured.REDIRECT_PORT) {
    throw new SetupError(`API_PORT and REDIRECT_PORT must differ: both are ${configured.API_PORT}`);
  }
  for (const name of ['API_PORT', 'REDIRECT_PORT'] as const) {
    const { [name]: port, HOST } = configured;
    if (port === 0) {
      process.env[name] = String(await freePort());
      continue;
    }
    const deadline = Date.now() + PORT_PATIENCE_MS;
    for (let fault: Error | undefined; (fault = await portFault(name, port, HOST)); ) {
      if (!isInUse(fault.cause) || Date.now() > deadline) throw fault;
      await pause(100);
    }
    keepPort(port);
  }
  return reloadConfig();
}

/**
 * Reason why a server cannot listen on HOST, or why `localhost` might lead to another program:
 * browsers and curl try ::1 and 127.0.0.1 in different orders.
 */
async function portFault(name: string, port: number, host: string): Promise<Error | undefined> {
  const error = await bindError(port, host);
  if (error !== undefined) return listenFault(error, name, port, host);
  if (!isLocal(host)) return undefined;
  for (const other of ['127.0.0.1', '::1']) {
    const cause = await bindError(port, other);
    // Other errors mean that the machine has no such address.
    if (isInUse(cause)) {
      const message = `Port ${port} of ${other}, to which localhost leads too, is in use: stop the other program or set ${name}`;
      return new ConfigError(message, { cause });
    }
  }
  return undefined;
}

const isLocal = (host: string): boolean => ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);

/**
 * Takes a platform's PORT as the API's: every process inherits the environment, and two servers
 * cannot share it.
 */
function takePort(): void {
  const { PORT } = reloadConfig();
  if (PORT !== 0) process.env['API_PORT'] ||= String(PORT);
  delete process.env['PORT'];
}

const isInUse = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';

/**
 * Aborts on the first Ctrl-C or SIGTERM; the second one ends this process at once.
 *
 * @param abandon called before the process ends at once
 */
function endOnSignal(abandon: () => void): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = () => {
    if (firstAt === 0) {
      firstAt = Date.now();
      console.log('stopping …');
      controller.abort();
    } else if (Date.now() - firstAt > SAME_KEYPRESS_MS) {
      abandon();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return controller.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * The URLs of the service and, at its first start, the demo's key, the sign-in link, and three
 * example commands.
 */
function welcome(config: Config, secrets?: { apiKey: string; signIn: string }): string {
  const { HOST, API_PORT, REDIRECT_PORT, BASE_URL, DATA_DIR } = config;
  const { DEFAULT_SHORT_DOMAIN, DEFAULT_SHORT_ORIGIN } = config;
  const host = isLocal(HOST) ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const api = `http://${host}:${API_PORT}`;
  const redirect = `http://${host}:${REDIRECT_PORT}`;
  const addresses = `
Ready after ${process.uptime().toFixed(1)} s.

  Console      ${secrets?.signIn ?? consoleUrl()}
  API          ${BASE_URL}
  Short links  ${DEFAULT_SHORT_ORIGIN}
  API key      ${secrets?.apiKey ?? 'npm run -s cli -- demo'}
  Logs         ${path.join(DATA_DIR, 'log')}
`;
  const end = '\nCtrl-C stops everything.\n';
  if (secrets === undefined) return addresses + end;
  const key = `hello-${randomBytes(2).toString('hex')}`;
  const authorization = `-H 'Authorization: Bearer ${secrets.apiKey}'`;
  const asDomain = DEFAULT_SHORT_DOMAIN === host ? '' : ` -H 'Host: ${DEFAULT_SHORT_DOMAIN}'`;
  return `${addresses}
Try it: create a link, visit it, count the click.

curl -X POST ${authorization} -H 'Content-Type: application/json' -d '{"url":"https://example.com/","key":"${key}"}' ${api}/links

curl -i -A '${BROWSER}'${asDomain} ${redirect}/${key}

sleep 1; curl ${authorization} '${api}/analytics?groupBy=count&interval=24h'
${end}`;
}

await main();

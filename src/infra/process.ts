import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { type Config, ConfigError, config, configWarnings, NO_DATABASE } from '../config.ts';
import { type Clock, within } from './clock.ts';
import { closeDb, type DatabaseUse, db, useDatabaseAs } from './db.ts';
import { freeStartMemory } from './heap.ts';
import { startHeartbeat } from './heartbeat.ts';
import { listen } from './listen.ts';
import { type Log, makeLog } from './log.ts';
import { startMachineMetrics } from './machine-metrics.ts';
import { exportGauge, registry, startProcessMetrics } from './metrics.ts';
import { primariesOf, type Redis, watchPersistence } from './redis.ts';
import { checkRedisServer } from './redis-server.ts';
import { checkSchema, SchemaTooOld, schemaNote } from './schema-version.ts';
import { takeLastingKeys, tryKey } from './secret-key.ts';
import { closeStandbys } from './standbys.ts';
import { startWatchdog } from './watchdog.ts';

/** A readiness check; rejects when the dependency does not answer. */
export type Check = () => Promise<unknown>;

/** A started process. */
export interface Running {
  /** Checks of `/readyz`, by the names under which failures are reported. */
  checks: Record<string, Check>;
  /** Additional fields of `/readyz`: degraded states in which the process is still ready. */
  notes?: () => object;
  /** Redis of the queues, for the heartbeats of the process. */
  redis?: Redis;
  /** Accepts no more work, finishes current work, and closes connections. */
  stop(): Promise<void>;
}

/** Timeout of a graceful shutdown, in ms; then the process exits immediately. */
const STOP_MS = 25_000;
/**
 * Time limit for closing Postgres connections, in ms. Current work has ended by then, so the rest
 * are checks, or still being opened.
 */
const CLOSE_MS = 2_000;
const CHECK_MS = 2_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Interval at which a process checks whether its supervisor still runs, in ms. */
const SUPERVISOR_MS = 2_000;
/**
 * Time for which a result of the checks is reused, in ms, because the endpoint is public on the
 * redirect's port.
 */
const SHARED_MS = { ready: 1_000, notReady: 100 };

/**
 * Runs a process: configuration, log, health, metrics, and a graceful shutdown on SIGTERM or
 * SIGINT.
 *
 * @param process.name name in the Procfile
 * @param process.healthPort port if HEALTH_PORT is not set; 0 selects a free one
 * @param process.database pools and limits of its Postgres connections
 * @param process.needsDatabase false if the process can run without Postgres in this configuration
 * @param process.isServer true if clients wait for the process: it keeps the memory of its start,
 *   since V8 lets the heap grow less between collections after the first one
 */
export async function runProcess(
  {
    name,
    healthPort = 0,
    database,
    needsDatabase = true,
    isServer = false,
  }: {
    name: string;
    healthPort?: number;
    database?: Omit<DatabaseUse, 'name'>;
    needsDatabase?: boolean;
    isServer?: boolean;
  },
  start: (dependencies: { config: Config; log: Log }) => Promise<Running>,
): Promise<void> {
  process.title = name;
  useDatabaseAs({ name, ...database });
  // In an idle process V8 collects garbage to return memory: 20 to 60 ms, up to 300 on a busy
  // machine, during which the next request waits.
  setFlagsFromString('--no-memory-reducer');
  // A signal may arrive before the worker can be stopped; without any work, the process exits
  // immediately.
  for (const signal of SIGNALS) process.on(signal, endAtOnce);
  endWithSupervisor();
  let log = makeLog(name, 'info');
  try {
    const settings = config();
    if (settings.DATABASE_URL === '' || settings.REDIS_URL === '') {
      throw new ConfigError(
        'DATABASE_URL and REDIS_URL are not set: set both, or let `npm start` run private servers',
      );
    }
    const hasDatabase = settings.DATABASE_URL !== NO_DATABASE;
    if (needsDatabase && !hasDatabase) {
      throw new ConfigError(
        `DATABASE_URL is ${NO_DATABASE}, with which only redirect processes run: ${name} needs Postgres`,
      );
    }
    log = makeLog(name, settings.LOG_LEVEL);
    for (const warning of configWarnings(process.env)) log.warn(warning);
    startProcessMetrics();
    startMachineMetrics(settings.DATA_DIR);
    startWatchdog(name, log);
    const telemetry =
      settings.OTEL_EXPORTER_OTLP_ENDPOINT === ''
        ? undefined
        : (await import('./otel.ts')).startTelemetry(name, settings, log);
    if (hasDatabase) {
      // Postgres may be unavailable, because a redirect process starts without it.
      const takeKeys = () => within(CHECK_MS, takeLastingKeys(db()), 'Postgres');
      await tryKey(takeKeys, 'the database', log);
    }
    await checkRedisServers(settings, { mayReplicate: !needsDatabase });
    const running = await start({ config: settings, log });
    if (hasDatabase) {
      running.checks['schema'] = () =>
        checkSchema(db(), (problem, isTooOld) => log[isTooOld ? 'error' : 'warn'](problem));
      // Reports missing migrations immediately.
      await running.checks['schema']().catch(() => {});
    }
    if (running.redis !== undefined) watchPersistence(running.redis, log);
    exportReadiness(running.checks);
    const health = await serveHealth(healthPort, settings, running, log);
    if (!isServer) await freeStartMemory();
    const { redis, checks } = running;
    const endHeartbeat =
      redis && startHeartbeat(name, redis, () => failing(checks, () => performance.now()));
    endOnSignal(log, async () => {
      health.close();
      await endHeartbeat?.();
      await running.stop();
      await telemetry?.stop();
    });
    // Logged last, because readers of the line may send SIGTERM.
    log.info({ healthPort: (health.address() as AddressInfo).port }, 'ready');
  } catch (error) {
    if (error instanceof ConfigError) log.fatal(error.message);
    else log.fatal({ err: error }, 'process could not start');
    process.exit(1);
  }
}

/**
 * Rejects a Redis of the wrong kind. Skipped while it is unavailable, because a redirect process
 * starts without it.
 *
 * @param options.mayReplicate true for a process that only reads from the cache
 */
async function checkRedisServers(
  settings: Config,
  { mayReplicate }: { mayReplicate: boolean },
): Promise<void> {
  const urls = (['REDIS_URL', 'CACHE_REDIS_URL'] as const).filter(
    (name) => name === 'REDIS_URL' || settings[name] !== settings.REDIS_URL,
  );
  const checks = await Promise.allSettled(
    urls.map((name) => {
      const options = { mayReplicate: mayReplicate && name === 'CACHE_REDIS_URL' };
      const check = checkRedisServer(name, settings[name], CHECK_MS, options);
      return within(CHECK_MS, check, 'Redis');
    }),
  );
  for (const check of checks) {
    if (check.status === 'rejected' && check.reason instanceof ConfigError) throw check.reason;
  }
}

/** The last result of checks, or the pending one that concurrent requests share. */
const results = new WeakMap<Record<string, Check>, { failing: Promise<string[]>; until: number }>();

/**
 * Returns the names of failing checks, and logs the reasons if a log is passed. Requests within
 * `SHARED_MS` share one result.
 */
function failing(checks: Record<string, Check>, clock: Clock, log?: Log): Promise<string[]> {
  const last = results.get(checks);
  if (last !== undefined && clock() < last.until) return last.failing;
  const result = { failing: runChecks(checks, log), until: Number.POSITIVE_INFINITY };
  results.set(checks, result);
  void result.failing.then(({ length }) => {
    result.until = clock() + (length === 0 ? SHARED_MS.ready : SHARED_MS.notReady);
  });
  return result.failing;
}

async function runChecks(checks: Record<string, Check>, log?: Log): Promise<string[]> {
  const names = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(CHECK_MS, check(), name);
        return [];
      } catch (error) {
        if (!(error instanceof SchemaTooOld)) {
          log?.warn({ err: error, check: name }, 'a readiness check failed');
        }
        return [name];
      }
    }),
  );
  return names.flat();
}

/** Exports the checks of `/readyz`; a scrape shares their last result. */
function exportReadiness(checks: Record<string, Check>): void {
  exportGauge(
    {
      name: 'shortlinks_ready',
      help: 'Readiness checks of this process: 1 if a check passes, 0 if it fails',
      labelNames: ['check'],
    },
    async (gauge) => {
      const missing = await failing(checks, () => performance.now());
      for (const check of Object.keys(checks)) {
        gauge.set({ check }, missing.includes(check) ? 0 : 1);
      }
    },
  );
}

/** Check that most processes need. */
export const checkDb: Check = async () => db().raw('SELECT 1');
export const checkRedis =
  (redis: Redis): Check =>
  async () =>
    // The other processes of a cluster keep working.
    Promise.any(primariesOf(redis).map((primary) => primary.ping()));

async function serveHealth(
  usualPort: number,
  { HOST, HEALTH_PORT }: Config,
  running: Running,
  log: Log,
): Promise<Server> {
  const server = createServer((request, response) => {
    answerHealth(request.url ?? '/', running, log)
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      })
      .catch((error: unknown) => {
        log.error({ err: error, path: request.url }, 'a request for health or metrics failed');
        response.writeHead(500).end();
      });
  });
  const port = HEALTH_PORT ?? usualPort;
  try {
    await listen(server, 'HEALTH_PORT', port, HOST);
  } catch (error) {
    if (HEALTH_PORT !== undefined || !isInUse(error)) throw error;
    log.warn(
      { taken: port },
      'health and metrics are served on a free port: the usual one is taken',
    );
    await listen(server, 'HEALTH_PORT', 0, HOST);
  }
  server.unref();
  return server;
}

const isInUse = (error: unknown): boolean =>
  error instanceof ConfigError && (error.cause as NodeJS.ErrnoException).code === 'EADDRINUSE';

async function answerHealth(
  path: string,
  { checks, notes }: Running,
  log: Log,
): Promise<{ status: number; type: string; body: string }> {
  if (path === '/metrics') {
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  }
  const health = await healthAnswer(path, checks, { notes, log });
  if (health === undefined) return { status: 404, type: 'text/plain', body: 'not found\n' };
  return { status: health.status, type: 'application/json', body: JSON.stringify(health.body) };
}

/**
 * Answers `/healthz` (the process is alive) and `/readyz` (it can work; 503 names the failing
 * checks). Returns `undefined` for any other path.
 */
export async function healthAnswer(
  path: string,
  checks: Record<string, Check>,
  {
    notes = () => ({}),
    log,
    clock = () => performance.now(),
  }: { notes?: (() => object) | undefined; log?: Log; clock?: Clock } = {},
): Promise<{ status: number; body: object } | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (path !== '/readyz') return undefined;
  const missing = await failing(checks, clock, log);
  const more = { ...schemaNote(), ...notes() };
  return missing.length === 0
    ? { status: 200, body: { status: 'ready', ...more } }
    : { status: 503, body: { status: 'not ready', failing: missing, ...more } };
}

/**
 * Stops the process when its supervisor has died. A supervisor sets SUPERVISED to its process id
 * and keeps our standard input open. If that closes, or the parent process changes, the supervisor
 * can no longer stop us, and the process acts as on SIGTERM.
 */
function endWithSupervisor(): void {
  const supervisor = Number(process.env['SUPERVISED'] ?? 0);
  if (supervisor === 0) return;
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.stdin.on('error', () => {});
  process.stdin.once('close', end).resume();
  setInterval(() => {
    if (process.ppid !== supervisor) end();
  }, SUPERVISOR_MS).unref();
}

/**
 * Closes the pools. A pool waits up to 30 s for a connection that is being opened; the end of the
 * process closes it as well.
 */
async function closePools(log: Log): Promise<void> {
  const closing = Promise.all([closeDb(), closeStandbys()]);
  await within(CLOSE_MS, closing, 'closing connections to Postgres').catch((error: unknown) =>
    log.warn({ err: error }, 'connections to Postgres were left to the end of the process'),
  );
}

const endAtOnce = (): never => process.exit(0);

function endOnSignal(log: Log, stop: () => Promise<void>): void {
  let ending = false;
  const end = (signal: string) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, 'shutting down');
    within(STOP_MS, stop(), 'shutting down')
      .then(() => closePools(log))
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'shutdown failed');
          process.exit(1);
        },
      );
  };
  for (const signal of SIGNALS) process.on(signal, end).off(signal, endAtOnce);
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, ConfigError, config } from '../config.ts';
import { within } from './clock.ts';
import { closeDb, db } from './db.ts';
import { type Log, makeLog } from './log.ts';
import { registry, startProcessMetrics } from './metrics.ts';
import type { Redis } from './redis.ts';

/** One thing that must answer before a process takes work; rejects when it does not. */
export type Check = () => Promise<unknown>;

/** What a process hands over once it runs. */
export interface Running {
  /** Checks behind `/readyz`, by the name that a failing one is reported under. */
  checks: Record<string, Check>;
  /** Takes nothing new, finishes what is in hand, closes connections. */
  stop(): Promise<void>;
}

/** Longest time that finishing what is in hand may take, in ms; then the process ends as it is. */
const STOP_MS = 25_000;
const CHECK_MS = 2_000;

/**
 * The frame of every process: configuration, log, health and metrics, and on SIGTERM or SIGINT an orderly end.
 *
 * @param name the Procfile name
 */
export async function runProcess(
  name: string,
  start: (means: { config: Config; log: Log }) => Promise<Running>,
): Promise<void> {
  process.title = name;
  endWithSupervisor();
  let log = makeLog(name, 'info');
  try {
    const settings = config();
    if (settings.DATABASE_URL === '' || settings.REDIS_URL === '') {
      throw new ConfigError(
        'DATABASE_URL and REDIS_URL are not set: set both, or let `npm start` run private servers',
      );
    }
    log = makeLog(name, settings.LOG_LEVEL);
    startProcessMetrics();
    const running = await start({ config: settings, log });
    const health = await serveHealth(settings, running);
    log.info({ healthPort: (health.address() as AddressInfo).port }, 'ready');
    endOnSignal(log, async () => {
      health.close();
      await running.stop();
    });
  } catch (error) {
    if (error instanceof ConfigError) log.fatal(error.message);
    else log.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

/** `undefined` when every check passes, else the names of those that fail. */
export async function failing(checks: Record<string, Check>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(CHECK_MS, check(), name);
        return [];
      } catch {
        return [name];
      }
    }),
  );
  return results.flat();
}

/** The checks that most processes need. */
export const checkDb: Check = async () => db().raw('SELECT 1');
export const checkRedis =
  (redis: Redis): Check =>
  async () =>
    redis.ping();

async function serveHealth({ HOST, HEALTH_PORT }: Config, { checks }: Running): Promise<Server> {
  const server = createServer((request, response) => {
    answerHealth(request.url ?? '/', checks)
      .then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      })
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(HEALTH_PORT, HOST, resolve);
  });
  server.unref();
  return server;
}

async function answerHealth(
  path: string,
  checks: Record<string, Check>,
): Promise<{ status: number; type: string; body: string }> {
  if (path === '/metrics') {
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  }
  const health = await healthAnswer(path, checks);
  if (health === undefined) return { status: 404, type: 'text/plain', body: 'not found\n' };
  return { status: health.status, type: 'application/json', body: JSON.stringify(health.body) };
}

/**
 * Answers `/healthz` (the process lives) and `/readyz` (it can do its work; 503 names what is missing);
 * `undefined` for any other path.
 */
export async function healthAnswer(
  path: string,
  checks: Record<string, Check>,
): Promise<{ status: number; body: object } | undefined> {
  if (path === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (path !== '/readyz') return undefined;
  const missing = await failing(checks);
  return missing.length === 0
    ? { status: 200, body: { status: 'ready' } }
    : { status: 503, body: { status: 'not ready', failing: missing } };
}

/**
 * Whoever starts us with SUPERVISED=1 holds our standard input open. When that closes, they are gone, perhaps
 * killed, and nobody is left to end us: then it is as if they had sent SIGTERM.
 */
function endWithSupervisor(): void {
  if (process.env['SUPERVISED'] !== '1') return;
  process.stdin.on('error', () => {});
  process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM')).resume();
}

function endOnSignal(log: Log, stop: () => Promise<void>): void {
  let ending = false;
  const end = (signal: string) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, 'finishing what is in hand');
    within(STOP_MS, stop(), 'finishing')
      .then(closeDb)
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'did not end in order');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

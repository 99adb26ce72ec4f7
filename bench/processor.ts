import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServers } from '../scripts/embedded/servers.ts';
import type { Runner } from '../scripts/procfile.ts';
import { db } from '../src/infra/db.ts';
import { connectRedis, type Redis } from '../src/infra/redis.ts';
import { withDescendants } from '../test/support/processes.ts';
import { processorMs } from './baselines.ts';
import { browserRequest, openLoop } from './open-loop.ts';
import { type BenchService, withService } from './service.ts';

/** Processes and servers, in the order in which a visit reaches them. */
export const PARTS = [
  'redirect',
  'redis_lookups',
  'redis_queues',
  'worker_clicks',
  'worker_maintenance',
  'worker_webhooks',
  'api',
  'worker_writes',
  'postgres',
  'clickhouse',
] as const;
export type Part = (typeof PARTS)[number];

/** Processor time in ms, by part of the service. */
export type PartTimes = Record<Part, number>;

/** A service with a separate Redis for look-ups, whose processor time is measured by part. */
export interface AccountedService extends BenchService {
  queues: Redis;
  lookups: Redis;
  /** Settings of its processes with the Redis for look-ups. */
  env: Record<string, string>;
  /** Processor times so far, of the processes of a runner and of the servers. */
  times(runner: Runner): Promise<PartTimes>;
}

/** Runs a benchmark on such a service. */
export function withAccounts<T>(bench: (service: AccountedService) => Promise<T>): Promise<T> {
  return withService(async (service) => {
    const { databaseUrl, redisUrl, secretKey, dataDir } = service.servers;
    const second = await startServers({
      dataDir: path.join(dataDir, 'lookups'),
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        SECRET_KEY: secretKey,
        REDIS_URL: '',
        CACHE_REDIS_URL: '',
      },
    });
    const [queues, lookups] = [redisUrl, second.redisUrl].map((url) => connectRedis(url, 'wait'));
    try {
      return await bench({
        ...service,
        queues: queues!,
        lookups: lookups!,
        env: { CACHE_REDIS_URL: second.redisUrl },
        async times(runner) {
          const times = Object.fromEntries(PARTS.map((part) => [part, 0])) as PartTimes;
          for (const part of PARTS) {
            if (runner.names.includes(part)) times[part] = processorMs(runner.pidOf(part));
          }
          times.redis_queues = await redisMs(queues!);
          times.redis_lookups = await redisMs(lookups!);
          times.postgres = await postgresMs();
          const clickhouse = withDescendants(process.pid).find(({ name }) =>
            name.includes('clickhouse'),
          );
          if (clickhouse !== undefined) times.clickhouse = processorMs(clickhouse.id);
          return times;
        },
      });
    } finally {
      queues!.disconnect();
      lookups!.disconnect();
      await second.stop();
    }
  });
}

/** Processor time of a Redis server including its child processes, in ms. */
export async function redisMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user)(?:_children)?:([\d.]+)/gm)];
  return seconds.reduce((sum, [, figure]) => sum + Number(figure) * 1_000, 0);
}

/** Processor time of Postgres in ms, including ended processes. */
export async function postgresMs(): Promise<number> {
  const { rows } = await db().raw<{ rows: [{ data_directory: string }] }>('SHOW data_directory');
  const file = path.join(rows[0].data_directory, 'postmaster.pid');
  const [pid] = readFileSync(file, 'utf8').split('\n');
  return withDescendants(Number(pid)).reduce((sum, { id }) => {
    try {
      return sum + processorMs(id, true);
    } catch {
      // The process has ended since it was listed.
      return sum;
    }
  }, 0);
}

/** Waits until a number is reached. @throws Error if it does not change for a minute */
export async function reached(
  what: string,
  target: number,
  read: () => Promise<number>,
): Promise<void> {
  for (let last = -1, since = performance.now(); ; await pause(50)) {
    const now = await read();
    if (now >= target) return;
    if (now !== last) [last, since] = [now, performance.now()];
    if (performance.now() - since > 60_000) throw new Error(`${what}: ${now} of ${target}`);
  }
}

/** Number of visits that a worker_clicks has processed. */
export async function processedVisits(runner: Runner): Promise<number> {
  const answer = await fetch(`${runner.healthUrlOf('worker_clicks')}/metrics`);
  const counts = (await answer.text()).matchAll(/^shortlinks_visits_processed_total\{\S* (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

let visitors = 0;

/**
 * Sends visits from different visitors. @returns number of answers @throws Error if some were not
 * answered
 */
export async function visit(
  port: number,
  perSecond: number,
  seconds: number,
  nextKey: () => string,
): Promise<number> {
  let answered = 0;
  const { errors } = await openLoop({
    port,
    perSecond,
    seconds,
    request() {
      visitors += 1;
      const address = [visitors >> 16, visitors >> 8, visitors].map((byte) => byte & 255);
      return browserRequest(visitors, nextKey(), `10.${address.join('.')}`);
    },
    onAnswer: () => (answered += 1),
  });
  if (errors > 0) throw new Error(`${errors} visits were not redirected`);
  return answered;
}

/**
 * Creates links one by one, at a rate. @returns their number @throws Error if some were not created
 */
export async function createLinks(
  { apiUrl, apiKey }: BenchService,
  perSecond: number,
  seconds: number,
): Promise<number> {
  // Not with `openLoop`, whose idle connections would be closed at few requests a second.
  const statuses = await Promise.all(
    Array.from({ length: Math.round(perSecond * seconds) }, async (_, n) => {
      await pause((n / perSecond) * 1_000);
      const answer = await fetch(`${apiUrl}/links`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `https://example.com/landing/page-${n}?campaign=autumn` }),
      });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  // 202 if a worker took longer than the API waits.
  const others = statuses.filter((status) => status !== 201 && status !== 202);
  if (others.length > 0) throw new Error(`${others.length} links were not created: ${others[0]}`);
  return statuses.length;
}

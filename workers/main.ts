import type { Config } from '../src/config.ts';
import { ErrorLog } from '../src/infra/error-log.ts';
import type { Log } from '../src/infra/log.ts';
import type { Limits } from '../src/infra/pooled-client.ts';
import { checkDb, checkRedis, runProcess } from '../src/infra/process.ts';
import {
  cacheRedis,
  connectRedis,
  connectToOwner,
  type Redis,
  redisReady,
} from '../src/infra/redis.ts';
import { spoolFolder } from '../src/infra/spool.ts';
import { Answers } from '../src/lookup/answers.ts';
import { LOOKUP_REQUESTS } from '../src/lookup/remote-source.ts';
import { QUEUES, type QueueName } from '../src/queues/index.ts';
import { Inspector } from '../src/queues/inspect.ts';
import { JobSpool } from '../src/queues/job-spool.ts';
import { Producer } from '../src/queues/producer.ts';
import { keepSchedule } from '../src/queues/schedule.ts';
import { serve } from '../src/queues/worker.ts';
import { DueChanges } from './due-changes.ts';
import { ALL_JOBS } from './jobs.ts';
import { HANDLERS } from './queues.ts';
import { watchBackups, watchCertificates, watchDepth, watchOldestVisit } from './watch.ts';

/**
 * Name of the worker that serves every queue and keeps the schedule. Usage: `node
 * dist/programs/worker.js <name>`.
 */
const ALL = 'all';
const ALL_HEALTH_PORT = 3113;
/**
 * Time after which a connection that waits for look-ups is reopened, in ms. Redis answers within
 * half of it.
 */
const ANSWERS_SILENCE_MS = 10_000;

/**
 * Timeouts of statements by queue, in ms: clients wait for some, while sums and exports are slow.
 */
const LIMITS: Partial<Record<QueueName, Limits>> = {
  writes: { statement_timeout: 30_000, lock_timeout: 10_000 },
  webhooks: { statement_timeout: 30_000, lock_timeout: 10_000 },
  destinations: { statement_timeout: 120_000, lock_timeout: 10_000 },
  bulk: { statement_timeout: 120_000, lock_timeout: 30_000 },
  clicks: { statement_timeout: 120_000, lock_timeout: 60_000 },
  maintenance: { statement_timeout: 3_600_000, lock_timeout: 30_000 },
};

const name = process.argv[2] ?? '';
const isQueue = (text: string): text is QueueName => Object.hasOwn(QUEUES, text);
const isShared = name === ALL;
const healthPort = isShared ? ALL_HEALTH_PORT : isQueue(name) ? QUEUES[name].healthPort : 0;

const database = {
  pools: isShared ? 2 : 1,
  limits: isShared ? LIMITS.maintenance : isQueue(name) ? LIMITS[name] : undefined,
};

await runProcess(
  { name: `worker_${name}`, healthPort, database },
  async ({ config: settings, log }) => {
    const names = isShared ? (Object.keys(QUEUES) as QueueName[]) : [name].filter(isQueue);
    if (names.length === 0) {
      throw new Error(
        `no worker is called "${name}"; there are: ${[...Object.keys(QUEUES), ALL].join(', ')}`,
      );
    }
    const loading = names.map(
      async (queue) => [queue, await HANDLERS[queue]({ log, isShared })] as const,
    );
    const loaded = await Promise.all(loading);
    const redis = connectRedis(settings.REDIS_URL, 'wait', {
      onError: (error) => log.warn({ err: error }, 'the connection to Redis failed'),
    });
    await redisReady(redis, 60_000);
    const inspector = new Inspector(redis);
    const workers = loaded.map(([queueName, handlers]) => {
      const { queue } = QUEUES[queueName];
      watchDepth(inspector, queue);
      const concurrency = concurrencyOf(queueName, settings);
      return serve(queue, handlers, { redis, log, concurrency });
    });
    if (names.includes('clicks')) watchOldestVisit(inspector);
    if (names.includes('maintenance')) {
      watchBackups();
      watchCertificates(settings, log);
    }
    const answers = names.includes('writes') ? answerLookups(redis, settings, log) : undefined;
    const dueChanges = names.includes('writes') ? new DueChanges(redis, log) : undefined;
    const spool = names.includes('maintenance')
      ? new JobSpool(new Producer(redis), {
          folder: spoolFolder(settings.DATA_DIR),
          probe: checkRedis(redis),
          log,
        })
      : undefined;
    spool?.start();
    const endSchedule = isShared ? await keepSchedule(redis, ALL_JOBS, log) : undefined;
    return {
      checks: { postgres: checkDb, redis: checkRedis(redis) },
      redis,
      async stop() {
        await endSchedule?.();
        await dueChanges?.close();
        await answers?.close();
        await spool?.close();
        await Promise.all(workers.map((worker) => worker.close()));
        redis.disconnect();
      },
    };
  },
);

/** Answers the look-ups of redirect processes without Postgres, until this process ends. */
function answerLookups(queue: Redis, { REDIS_URL }: Config, log: Log): Answers {
  const waiting = connectToOwner(REDIS_URL, LOOKUP_REQUESTS, 'wait', {
    socketTimeout: ANSWERS_SILENCE_MS,
  });
  const errors = new ErrorLog(log, 'look-ups of redirect processes were not answered');
  return new Answers({ queue, waiting, cache: cacheRedis(), errors });
}

/**
 * Number of jobs of a queue to run at a time. Exports, imports and sums hold a connection to
 * Postgres for long; if all queues share one pool, the writes that people wait for must still get
 * one.
 */
function concurrencyOf(queue: QueueName, settings: Config): number {
  const concurrency = settings[QUEUES[queue].concurrency];
  if (!isShared || (queue !== 'bulk' && queue !== 'maintenance')) return concurrency;
  const share = queue === 'bulk' ? 0.8 : 0.4;
  return Math.max(1, Math.min(concurrency, Math.floor(settings.DATABASE_POOL * share)));
}

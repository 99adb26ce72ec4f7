import { setTimeout as pause } from 'node:timers/promises';
import { reloadConfig } from '../src/config.ts';
import { makeLog } from '../src/infra/log.ts';
import { connectRedis, primariesOf, type Redis, redisReady } from '../src/infra/redis.ts';
import { BatchJobs } from '../src/queues/batch-jobs.ts';
import { clicks } from '../src/queues/index.ts';
import { Inspector } from '../src/queues/inspect.ts';
import { handlers } from '../src/queues/job.ts';
import { JobSender } from '../src/queues/job-sender.ts';
import { serve } from '../src/queues/worker.ts';
import { decodeVisits, encodeVisits, type VisitBatch } from '../src/visits/batch.ts';
import { visitJobs } from '../src/visits/jobs.ts';
import { RedisCluster } from '../test/support/redis-cluster.ts';
import { redisMs } from './processor.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { aVisit } from './visits.ts';

/** Number of shards, one for each primary of the cluster. */
const SHARDS = 3;
/** Connections per shard that add visits, each standing for a redirect process. */
const SENDERS = 8;
/**
 * Visits per batch: those that a redirect process collects at 4,000/s during the previous batch.
 */
const BATCH = 5;
/** Interval between the batches of a connection, in ms. */
const EVERY_MS = 4;
const SECONDS = 6;
const WARM_SECONDS = 2;

/**
 * Measures the processor time per visit of the busiest of three primaries of a cluster, while
 * visits pass the queue: with a single queue, and with QUEUE_SHARDS=3 at three times the load, so
 * that each node with a shard has as much work as the one with the queue. An idler server reads
 * fewer commands at a time, and takes longer for each. The worker only counts visits, so that
 * Postgres does not take processor time.
 */
export async function benchCluster({ rounds }: BenchOptions): Promise<Row[]> {
  const cluster = new RedisCluster({ replicas: 0 });
  await cluster.start();
  try {
    const { one, three } = await inTurn(rounds, {
      one: () => withShards(1, cluster.url),
      three: () => withShards(SHARDS, cluster.url),
    });
    const row = (what: string, unit: Row['unit'], figure: keyof Costs): Row => ({
      what,
      unit,
      better: 'less',
      ours: three.map((costs) => costs[figure]),
      baseline: { what: 'QUEUE_SHARDS=1', figures: one.map((costs) => costs[figure]) },
    });
    return [
      {
        ...row(
          'processor time of the busiest of three primaries for a visit, QUEUE_SHARDS=3 and three times the visits',
          'µs',
          'busiest',
        ),
        aim: { ratio: 2.5 },
      },
      row('processor time of all of them for a visit', 'µs', 'all'),
      { ...row('share of the busiest in that', '%', 'share'), aim: { ours: 40 } },
    ];
  } finally {
    await cluster.stop();
  }
}

interface Costs {
  busiest: number;
  all: number;
  share: number;
  perSecond: number;
}

async function withShards(count: number, url: string): Promise<Costs> {
  Object.assign(process.env, { REDIS_URL: url, QUEUE_SHARDS: String(count) });
  reloadConfig();
  const redis = connectRedis(url, 'wait');
  const senders = Array.from({ length: SENDERS * count }, () => connectRedis(url, 'wait'));
  await Promise.all([redis, ...senders].map((one) => redisReady(one)));
  const visits = { added: 0, taken: 0 };
  const { 'visits.record': record } = visitJobs;
  const counting = handlers(
    { record },
    {
      record: async (batch, { further = [] }) => {
        for (const one of [batch, ...(further as VisitBatch[])]) {
          visits.taken += decodeVisits(one).length;
        }
      },
    },
  );
  const worker = serve(clicks, counting, {
    redis,
    log: makeLog('bench', 'silent'),
    concurrency: 250,
  });
  const send = async (seconds: number) => {
    const until = performance.now() + seconds * 1_000;
    await Promise.all(
      senders.map(async (sender) => {
        const jobs = new BatchJobs(new JobSender(sender), visitJobs['visits.record']);
        for (let next = performance.now(); next < until; next += EVERY_MS) {
          await pause(Math.max(0, next - performance.now()));
          const batch = Array.from({ length: BATCH }, () => aVisit('project_bench'));
          await jobs.deliver(encodeVisits(batch), BATCH);
          visits.added += BATCH;
        }
      }),
    );
    while (visits.taken < visits.added) await pause(20);
  };
  await send(WARM_SECONDS);
  const [before, first] = [await spent(redis), visits.added];
  await send(SECONDS);
  const times = (await spent(redis)).map((ms, n) => ms - before[n]!);
  const stored = visits.added - first;
  await worker.close();
  const inspector = new Inspector(redis);
  await inspector.clear(clicks);
  for (const one of [redis, ...senders]) one.disconnect();
  const all = times.reduce((sum, ms) => sum + ms, 0);
  const busiest = Math.max(...times);
  return {
    busiest: (busiest * 1_000) / stored,
    all: (all * 1_000) / stored,
    share: (100 * busiest) / all,
    perSecond: stored / SECONDS,
  };
}

/** Processor time of each primary so far, in ms. */
const spent = (redis: Redis): Promise<number[]> =>
  Promise.all(primariesOf(redis).map((primary) => redisMs(primary)));

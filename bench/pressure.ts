import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { Producer } from '../src/queues/producer.ts';
import { viaApi } from './bulk.ts';
import { hot } from './hot.ts';
import { browserRequest, type Latencies, openLoop } from './open-loop.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, REDIRECT, seedLinks, withService, worker } from './service.ts';
import { put } from './visits.ts';

const KEYS = 10_000;
const FLOOD_PER_SECOND = 1_000;
const SECONDS = 10;
/** Visits put into the queue for a round, more than are stored in that time. */
const QUEUED = 150_000;

/**
 * Measures latencies of hot links while everything else uses the rest of the machine: bulk creation
 * by eight clients, a queue full of visits, and a flood of unknown keys, each looked up in Redis
 * and Postgres.
 */
export function benchPressure({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    await service.run([REDIRECT, API, worker('bulk'), worker('writes')]);
    await hot(service, 3);
    const redis = connectRedis(service.servers.redisUrl, 'wait');
    await redisReady(redis);
    const producer = new Producer(redis);
    const { alone, pressed } = await inTurn(rounds, {
      alone: () => hot(service, SECONDS),
      pressed: () => underPressure(service, producer),
    });
    await producer.close();
    redis.disconnect();
    const latency = (what: string, figureOf: (some: Latencies) => number, aim?: number): Row => ({
      what: `${what} of hot links under pressure`,
      unit: 'ms',
      better: 'less',
      ours: pressed.map(({ hotLinks }) => figureOf(hotLinks)),
      baseline: { what: 'the same load alone', figures: alone.map(figureOf) },
      ...(aim !== undefined && { aim: { ours: aim } }),
    });
    return [
      latency('p50', ({ p50Ms }) => p50Ms),
      latency('p99', ({ p99Ms }) => p99Ms, 50),
      latency('p99.9', ({ p999Ms }) => p999Ms),
      {
        what: 'errors of hot links under pressure',
        unit: '',
        better: 'less',
        ours: pressed.map(({ hotLinks }) => hotLinks.errors),
        aim: { ours: 0 },
      },
      {
        what: 'links created meanwhile',
        unit: '/s',
        better: 'more',
        ours: pressed.map(({ bulk }) => bulk.perSecond),
      },
      {
        what: 'p99 of unknown keys meanwhile, 1,000/s',
        unit: 'ms',
        better: 'less',
        ours: pressed.map(({ flood }) => flood.p99Ms),
      },
      {
        what: 'unknown keys meanwhile that were not answered with 404',
        unit: '',
        better: 'less',
        ours: pressed.map(({ flood }) => flood.errors),
      },
    ];
  });
}

async function underPressure(service: BenchService, producer: Producer) {
  await put(producer, service, QUEUED);
  const clicks = await service.run([worker('clicks')]);
  const [bulk, flood, hotLinks] = await Promise.all([
    viaApi(service, SECONDS),
    openLoop({
      port: service.redirectPort,
      perSecond: FLOOD_PER_SECOND,
      seconds: SECONDS,
      request: (number) => browserRequest(number, `unknown-${number}`),
      expected: '404',
    }),
    hot(service, SECONDS),
  ]);
  await clicks.stop();
  return { bulk, flood, hotLinks };
}

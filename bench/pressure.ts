import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { Producer } from '../src/queues/queue.ts';
import { viaApi } from './bulk.ts';
import { below, browserRequest, openLoop } from './open-loop.ts';
import {
  API,
  type BenchService,
  REDIRECT,
  seedLinks,
  thousands,
  withService,
  worker,
} from './service.ts';
import { put } from './visits.ts';

const KEYS = 10_000;
/** The first of the links are hot. */
const HOT = 100;
/** About a tenth of the capacity of a redirect process. */
const HOT_PER_SECOND = 2_500;
const FLOOD_PER_SECOND = 1_000;
const SECONDS = 20;
/** Visits that wait in the queue at first: more than are stored in that time. */
const QUEUED = 300_000;

/**
 * Latencies of hot links while everything else takes what the machine has: bulk creation by eight clients, a queue full of visits,
 * and a flood of unknown keys, each looked up in Redis and Postgres.
 */
export function benchPressure(): Promise<void> {
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    await service.run([REDIRECT, API, worker('bulk'), worker('writes')]);
    await hot(service, 3);
    await report(service, 'alone');
    const redis = connectRedis(service.servers.redisUrl, 'wait');
    await redisReady(redis);
    const producer = new Producer(redis);
    await put(producer, service, QUEUED);
    await service.run([worker('clicks')]);
    const [bulk, flood] = await Promise.all([
      viaApi(service, SECONDS),
      openLoop({
        port: service.redirectPort,
        perSecond: FLOOD_PER_SECOND,
        seconds: SECONDS,
        request: (number) => browserRequest(number, `unknown-${number}`),
        expected: '404',
      }),
      report(service, 'under pressure (aim: p99 under 50 ms, no errors)'),
    ]);
    console.log(
      `meanwhile: ${thousands(bulk.perSecond)} links/s created, ${thousands(flood.perSecond)} unknown keys/s ` +
        `(p99 ${flood.p99Ms.toFixed(1)} ms, ${flood.errors} not answered with 404)`,
    );
    await producer.close();
    redis.disconnect();
  });
}

async function report(service: BenchService, when: string): Promise<void> {
  const { perSecond, p50Ms, p99Ms, p999Ms, errors } = await hot(service, SECONDS);
  console.log(
    `hot links ${when}: ${thousands(perSecond)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(1)} ms, ` +
      `p99.9 ${p999Ms.toFixed(1)} ms, ${errors} errors`,
  );
}

const hot = ({ redirectPort }: BenchService, seconds: number) =>
  openLoop({
    port: redirectPort,
    perSecond: HOT_PER_SECOND,
    seconds,
    request: (number) => browserRequest(number, `k${below(HOT)}`),
  });

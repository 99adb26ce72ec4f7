import { config } from '../src/config.ts';
import type { Log } from '../src/infra/log.ts';
import { queueDepth } from '../src/infra/metrics.ts';
import { checkDb, checkRedis, runProcess } from '../src/infra/process.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { Producer, type WorkerDefinition } from '../src/queues/queue.ts';

/** `node dist/workers/main.js <name>` runs `workers/<name>.ts`. */
const WORKERS: Record<
  string,
  () => Promise<{ default: (log: Log) => WorkerDefinition | Promise<WorkerDefinition> }>
> = {
  writes: () => import('./writes.ts'),
  bulk: () => import('./bulk.ts'),
  clicks: () => import('./clicks.ts'),
  qr: () => import('./qr.ts'),
  images: () => import('./images.ts'),
  currency: () => import('./currency.ts'),
  metatags: () => import('./metatags.ts'),
  webhooks: () => import('./webhooks.ts'),
};

const name = process.argv[2] ?? '';

await runProcess(`worker_${name}`, async ({ log }) => {
  const load = WORKERS[name];
  if (load === undefined) {
    throw new Error(`no worker is called "${name}"; there are: ${Object.keys(WORKERS).join(', ')}`);
  }
  const definition = await (await load()).default(log);
  const redis = connectRedis(config().REDIS_URL, 'wait', {
    onError: (error) => log.warn({ err: error }, 'Redis is away'),
  });
  await redisReady(redis, 60_000);
  const worker = definition.start({ redis, log });
  watchDepth(new Producer(redis), definition.queue);
  return {
    checks: { postgres: checkDb, redis: checkRedis(redis) },
    async stop() {
      await worker.close();
      await redis.quit().catch(() => {});
    },
  };
});

/** Reads the queue's depth when the metrics are asked for it. */
function watchDepth(producer: Producer, queue: { name: string }): void {
  const measure = async () => {
    const counts = await producer.depth(queue);
    for (const [state, count] of Object.entries(counts)) {
      queueDepth.set({ queue: queue.name, state }, count);
    }
  };
  setInterval(() => void measure().catch(() => {}), 5_000).unref();
}

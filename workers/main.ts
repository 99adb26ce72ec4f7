import type { Log } from '../src/infra/log.ts';
import { queueDepth } from '../src/infra/metrics.ts';
import { checkDb, checkRedis, runProcess } from '../src/infra/process.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { QUEUES, type QueueName } from '../src/queues/index.ts';
import { Producer, type WorkerDefinition } from '../src/queues/queue.ts';

type LoadWorker = () => Promise<{
  default: (log: Log) => WorkerDefinition | Promise<WorkerDefinition>;
}>;

/** `node dist/workers/main.js <name>` runs `workers/<name>.ts`. A queue without a worker does not compile. */
const WORKERS: Record<QueueName, LoadWorker> = {
  writes: () => import('./writes.ts'),
  bulk: () => import('./bulk.ts'),
  clicks: () => import('./clicks.ts'),
  qr: () => import('./qr.ts'),
  images: () => import('./images.ts'),
  metatags: () => import('./metatags.ts'),
  currency: () => import('./currency.ts'),
  webhooks: () => import('./webhooks.ts'),
  mail: () => import('./mail.ts'),
  maintenance: () => import('./maintenance.ts'),
};

const name = process.argv[2] ?? '';
const isQueue = (text: string): text is QueueName => Object.hasOwn(QUEUES, text);

const healthPort = isQueue(name) ? QUEUES[name].healthPort : 0;

await runProcess({ name: `worker_${name}`, healthPort }, async ({ config, log }) => {
  if (!isQueue(name)) {
    throw new Error(`no worker is called "${name}"; there are: ${Object.keys(QUEUES).join(', ')}`);
  }
  const definition = await (await WORKERS[name]()).default(log);
  const redis = connectRedis(config.REDIS_URL, 'wait', {
    onError: (error) => log.warn({ err: error }, 'the connection to Redis failed'),
  });
  await redisReady(redis, 60_000);
  const worker = definition.start({ redis, log, concurrency: config[QUEUES[name].concurrency] });
  watchDepth(new Producer(redis), definition.queue);
  return {
    checks: { postgres: checkDb, redis: checkRedis(redis) },
    redis,
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

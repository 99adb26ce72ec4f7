import { checkRedis, runProcess } from '../src/infra/process.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { Producer } from '../src/queues/queue.ts';
import { addFirstJobs, registerSchedule } from '../src/queues/schedule.ts';

/** Registered again from time to time: an operator may have emptied Redis. */
const AGAIN_MS = 60_000;

await runProcess({ name: 'worker_scheduler', healthPort: 3111 }, async ({ config, log }) => {
  const redis = connectRedis(config.REDIS_URL, 'wait', {
    onError: (error) => log.warn({ err: error }, 'the connection to Redis failed'),
  });
  await redisReady(redis, 60_000);
  const producer = new Producer(redis);
  await registerSchedule(producer);
  await addFirstJobs(producer);
  const timer = setInterval(() => {
    registerSchedule(producer).catch((error: unknown) =>
      log.error({ err: error }, 'the schedule could not be registered'),
    );
  }, AGAIN_MS);
  return {
    checks: { redis: checkRedis(redis) },
    redis,
    async stop() {
      clearInterval(timer);
      await producer.close();
      await redis.quit().catch(() => {});
    },
  };
});

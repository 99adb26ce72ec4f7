import { checkRedis, runProcess } from '../src/infra/process.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { keepSchedule } from '../src/queues/schedule.ts';
import { ALL_JOBS } from './jobs.ts';

await runProcess({ name: 'worker_scheduler', healthPort: 3111 }, async ({ config, log }) => {
  const redis = connectRedis(config.REDIS_URL, 'wait', {
    onError: (error) => log.warn({ err: error }, 'the connection to Redis failed'),
  });
  await redisReady(redis, 60_000);
  const endSchedule = await keepSchedule(redis, ALL_JOBS, log);
  return {
    checks: { redis: checkRedis(redis) },
    redis,
    async stop() {
      await endSchedule();
      redis.disconnect();
    },
  };
});

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { endServer } from '../infra/end-server.ts';
import { listen } from '../infra/listen.ts';
import { checkDb, checkRedis, runProcess } from '../infra/process.ts';
import { connectRedis, redisReady } from '../infra/redis.ts';
import { connectSubscriber } from '../infra/redis-channels.ts';
import { needsReplicas } from '../infra/replicas.ts';
import { spoolFolder } from '../infra/spool.ts';
import { acknowledgeRounds } from '../queues/all-queued.ts';
import { Inspector } from '../queues/inspect.ts';
import { JobSpool } from '../queues/job-spool.ts';
import { LiveChannels } from '../queues/live.ts';
import { Producer } from '../queues/producer.ts';
import { Replies } from '../queues/replies.ts';
import { makeApp } from './app.ts';
import { createApiServer } from './server.ts';

/** Time limit for Redis to acknowledge a job, in ms; then the request fails. */
const REDIS_MS = 5_000;
/** Time after SIGTERM for which requests wait for their workers, in ms; then writes get 202. */
const WAIT_MS = 4_000;
/** Time after SIGTERM for which connections stay open for responses, in ms. */
const CUT_MS = 6_000;

// A client waits for each statement.
const LIMITS = { statement_timeout: 10_000, lock_timeout: 5_000 };

const PROCESS = { name: 'api', healthPort: 3100, isServer: true, database: { limits: LIMITS } };

await runProcess(PROCESS, async ({ config, log }) => {
  const onError = (error: Error) => log.warn({ err: error }, 'the connection to Redis failed');
  const options = { commandTimeout: REDIS_MS, onError };
  const redis = connectRedis(config.REDIS_URL, 'fail-fast', options);
  // WAIT blocks the other commands of its connection.
  const jobsRedis = needsReplicas() ? connectRedis(config.REDIS_URL, 'fail-fast', options) : redis;
  const cache = connectRedis(config.CACHE_REDIS_URL, 'fail-fast', options);
  const subscriber = connectSubscriber(config.REDIS_URL, 'wait', { onError });
  const liveSubscriber = connectSubscriber(config.CACHE_REDIS_URL, 'wait', options);
  const connections = [redis, jobsRedis, subscriber, cache, liveSubscriber];
  await Promise.all(connections.map((connection) => redisReady(connection, 60_000)));
  const replies = await Replies.open(subscriber, `api_${randomBytes(9).toString('base64url')}`);
  const producer = new Producer(jobsRedis);
  const inspector = new Inspector(jobsRedis);
  const spool = new JobSpool(producer, {
    folder: spoolFolder(config.DATA_DIR),
    probe: checkRedis(jobsRedis),
    log,
  });
  spool.start();
  const checks = { postgres: checkDb, redis: checkRedis(redis) };
  const live = new LiveChannels(liveSubscriber);
  const queues = { producer, inspector, spool, replies, redis, cache, live };
  const app = makeApp({ log, redis, queues, checks });
  const server = createApiServer(app, config.REQUEST_SECONDS);
  await listen(server, 'API_PORT', config.API_PORT, config.HOST);
  const { port } = server.address() as AddressInfo;
  const stopRounds = acknowledgeRounds('api', redis, () => spool.isAllQueued);
  log.info({ host: config.HOST, port }, 'API is listening');
  return {
    checks,
    redis,
    async stop() {
      const hurry = setTimeout(() => {
        replies.giveUp();
        spool.hurry();
      }, WAIT_MS);
      live.close();
      await endServer(server, CUT_MS);
      clearTimeout(hurry);
      await spool.close();
      await stopRounds();
      await producer.close();
      replies.close();
      redis.disconnect();
      jobsRedis.disconnect();
      cache.disconnect();
    },
  };
});

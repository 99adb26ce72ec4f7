import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigError } from '../config.ts';
import { ERRORS, Refusal } from '../errors.ts';
import { checkDb, checkRedis, runProcess } from '../infra/process.ts';
import { connectRedis, redisReady } from '../infra/redis.ts';
import { Producer } from '../queues/queue.ts';
import { Replies } from '../queues/replies.ts';
import { answerError } from './answer-error.ts';
import { makeApp } from './app.ts';

/** Longest request line and headers, in bytes. */
const HEADER_LIMIT = 64 * 1024;
/** Longest that Redis may take to acknowledge a job before the request fails, in ms. */
const REDIS_MS = 5_000;

await runProcess('api', async ({ config, log }) => {
  const onError = (error: Error) => log.warn({ err: error }, 'Redis is away');
  const redis = connectRedis(config.REDIS_URL, 'fail-fast', { commandTimeout: REDIS_MS, onError });
  const cache = connectRedis(config.CACHE_REDIS_URL, 'fail-fast', {
    commandTimeout: REDIS_MS,
    onError,
  });
  const subscriber = connectRedis(config.REDIS_URL, 'wait', { onError });
  await Promise.all([
    redisReady(redis, 60_000),
    redisReady(subscriber, 60_000),
    redisReady(cache, 60_000),
  ]);
  const replies = await Replies.open(subscriber, `api_${randomBytes(9).toString('base64url')}`);
  const producer = new Producer(redis);
  const checks = { postgres: checkDb, redis: checkRedis(redis) };
  const app = makeApp({ log, redis, queues: { producer, replies, cache }, checks });
  const server = createServer({ maxHeaderSize: HEADER_LIMIT }, app);
  server.on('clientError', answerUnreadable);
  await listen(server, config.API_PORT, config.HOST);
  log.info({ port: config.API_PORT }, 'API listens');
  return {
    checks,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await producer.close();
      await replies.close();
      redis.disconnect();
      cache.disconnect();
    },
  };
});

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(`Port ${port} is in use: stop the other program or set API_PORT`)
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}

/** What the HTTP parser refuses never becomes a request; it still gets the error body of the contract. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLong
    ? `The request line and headers must not be longer than ${HEADER_LIMIT / 1024} KiB`
    : 'The request is not well-formed HTTP';
  const requestId = randomBytes(12).toString('hex');
  const body = JSON.stringify(answerError(new Refusal('bad_request', message), requestId).body);
  socket.end(
    `HTTP/1.1 ${ERRORS.bad_request.status} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}

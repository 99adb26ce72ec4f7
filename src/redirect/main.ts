import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { ConfigError } from '../config.ts';
import { newId } from '../ids.ts';
import { within } from '../infra/clock.ts';
import { openPlaces } from '../infra/places.ts';
import { checkDb, checkRedis, runProcess } from '../infra/process.ts';
import { connectRedis, type Redis, redisReady } from '../infra/redis.ts';
import { Finder } from '../lookup/find.ts';
import { clicks } from '../queues/clicks.ts';
import { Producer } from '../queues/queue.ts';
import { Locks } from './locks.ts';
import { Quota } from './quota.ts';
import { RedirectServer } from './server.ts';
import { type Deliver, Spool } from './spool.ts';
import { VisitLog } from './visit-log.ts';
import { VisitorReader } from './visitor.ts';

/** A look-up goes on to Postgres when Redis takes longer, in ms. */
const LOOKUP_MS = 150;
const PROBE_MS = 200;
/** How long the start waits for Redis, in ms; then it goes on without. */
const PATIENCE_MS = 1_000;
/** A connection on which nothing comes back for so long is opened anew, in ms: its host may be gone. */
const SILENCE_MS = 5_000;

await runProcess('redirect', async ({ config, log }) => {
  mendStrings();
  const instance = randomBytes(8).toString('base64url');
  const queue = connectRedis(config.REDIS_URL, 'fail-fast', { socketTimeout: SILENCE_MS });
  const commands = connectRedis(config.CACHE_REDIS_URL, 'fail-fast', {
    commandTimeout: LOOKUP_MS,
    socketTimeout: SILENCE_MS,
  });
  const subscriber = connectRedis(config.CACHE_REDIS_URL, 'fail-fast', { autoResubscribe: false });

  const finder = new Finder({
    commands,
    subscriber,
    instance,
    limits: { entries: config.REDIRECT_CACHE_ENTRIES, seconds: config.REDIRECT_CACHE_SECONDS },
    log,
  });
  const visits = new VisitLog({
    deliver: deliverTo(queue),
    probe: () => within(PROBE_MS, queue.ping(), 'Redis'),
    spool: new Spool(path.join(config.DATA_DIR, 'spool'), log),
    batchMs: config.REDIRECT_BATCH_MS,
    log,
  });
  // Either is enough to answer.
  const checks = { lookups: () => Promise.any([checkRedis(commands)(), checkDb()]) };
  const server = new RedirectServer({
    finder,
    visitors: new VisitorReader(config.TRUST_PROXY),
    visits,
    locks: new Locks(queue),
    quota: new Quota(queue),
    places: once(() => openPlaces(log)),
    nextVisitId: counter(`${instance}_`),
    baseUrl: config.BASE_URL,
    checks,
    log,
  });
  await Promise.allSettled([redisReady(queue, PATIENCE_MS), redisReady(commands, PATIENCE_MS)]);
  await visits.start();
  const port = await listen(server, config.REDIRECT_PORT, config.HOST);
  log.info({ host: config.HOST, port }, 'redirects');

  return {
    checks,
    async stop() {
      await server.close();
      await visits.close();
      finder.close();
      for (const redis of [queue, commands, subscriber]) redis.disconnect();
    },
  };
});

/**
 * ioredis declares a class that extends `String`, at which V8 turns `String.prototype` into a dictionary: from
 * then on every `length` and `charCodeAt` of the process takes ten times as long, optimised or not. Reading a
 * property through it a few times turns it back (V8 11.3; `%HasFastProperties(String.prototype)` tells).
 */
function mendStrings(): void {
  const read = (text: { at?: unknown }) => text.at;
  const text = Object('') as { at?: unknown };
  for (let i = 0; i < 100; i += 1) read(text);
}

/** Does something when it is first asked for, and only then. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Ids that begin with a text of this process and start, and count up. */
function counter(beginning: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return beginning + count.toString(36);
  };
}

/**
 * Adds batches of visits to the queue.
 *
 * A BullMQ queue asks Redis for its version once; when that fails, it never works again. So the next batch
 * after a failure gets a new one.
 */
function deliverTo(redis: Redis): Deliver {
  let producer: Producer | undefined;
  return async (visits) => {
    producer ??= new Producer(redis);
    const used = producer;
    try {
      await used.add(clicks, 'visits.record', visits, { jobId: newId('job'), projectId: '' });
    } catch (error) {
      if (producer === used) {
        producer = undefined;
        used.close().catch(() => {});
      }
      throw error;
    }
  };
}

async function listen(server: RedirectServer, port: number, host: string): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `port ${port} is in use on ${host}` : message;
    throw new ConfigError(`REDIRECT_PORT: ${reason}`);
  }
}

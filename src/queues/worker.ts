import { setTimeout as pause } from 'node:timers/promises';
import { Job as BullJob, DelayedError, Worker } from 'bullmq';
import { Refusal } from '../errors.ts';
import { isLockTimeout } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import { deadLetters, jobSeconds } from '../infra/metrics.ts';
import type { Redis } from '../infra/redis.ts';
import { Seldom } from '../infra/seldom.ts';
import { withinSpan } from '../infra/tracing.ts';
import {
  ACTIVITY_MINUTES,
  type Envelope,
  furtherFields,
  jobSpan,
  keyOf,
  serverOf,
} from './bull-queues.ts';
import {
  PermanentFailure,
  POSTPONED_MS,
  Postponed,
  type QueueDefinition,
  type QueueId,
} from './definition.ts';
import type { JobHandler } from './job.ts';
import { type Outcome, reply } from './replies.ts';
import { queuesOf, shardsOf, tagOf } from './shards.ts';
import { CALL_MS, Slots } from './slots.ts';

const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const FIRST_PAUSE_MS = 250;
/** Time limit for a closing worker without running jobs to wait for Redis, in ms. */
const CLOSE_MS = 2_000;
const CLOSE_CHECK_MS = 100;
/** Interval of the search for shards that other processes use, in ms. */
const NEW_SHARDS_MS = 5_000;
/** Delay after which a job over its tenant's share requests a slot again at the latest, in ms. */
const PARKED_MS = 15_000;

/** A running worker. */
export interface RunningWorker {
  /** Stops taking jobs, and resolves once the running ones have ended. */
  close(): Promise<void>;
}

/**
 * Runs the jobs of a queue.
 *
 * @param options.concurrency jobs to run at a time, of which each tenant gets a share
 * @throws Error if two handlers run the same job, or one runs a job of another queue
 */
export function serve(
  queue: QueueDefinition,
  handlers: readonly JobHandler[],
  { redis, log, concurrency }: { redis: Redis; log: Log; concurrency: number },
): RunningWorker {
  const byName = new Map<string, JobHandler>();
  for (const handler of handlers) {
    const { name, queue: handledQueue } = handler.job;
    if (handledQueue.name !== queue.name || byName.has(name)) {
      throw new Error(`the job "${name}" has two handlers, or is not a job of ${queue.name}`);
    }
    byName.set(name, handler.job.everyMs === undefined ? handler : oneAtATime(handler));
    // A series must exist before the first dead letter, or an alert on its increase would miss
    // that.
    deadLetters.inc({ queue: queue.name, job_name: name }, 0);
  }
  const startOn = (place: QueueId, share: number) =>
    startWorker(queue, byName, {
      redis,
      log,
      concurrency: Math.ceil(concurrency / share),
      place,
    });
  return queue.isSharded ? serveShards(redis, queue, startOn) : startOn(queue, 1);
}

/**
 * Skips a run during the previous one, since slow runs must not use up the slots of all other jobs.
 */
function oneAtATime({ job, run }: JobHandler): JobHandler {
  let isRunning = false;
  return {
    job,
    async run(data, context) {
      if (isRunning) return undefined;
      isRunning = true;
      try {
        return await run(data, context);
      } finally {
        isRunning = false;
      }
    },
  };
}

/**
 * Serves a queue and its shards, including shards that appear later.
 *
 * @param start receives as its second argument the number of queues that share the slots
 */
function serveShards(
  redis: Redis,
  queue: QueueDefinition,
  start: (place: QueueId, share: number) => RunningWorker,
): RunningWorker {
  const workers = new Map<string, RunningWorker>();
  const startAll = (places: readonly QueueId[], share: number) => {
    for (const place of places) {
      if (!workers.has(place.name)) workers.set(place.name, start(place, share));
    }
  };
  const shards = shardsOf(queue);
  startAll([queue, ...shards], shards.length);
  let isClosed = false;
  const look = async () => {
    const places = await queuesOf(redis, queue);
    if (!isClosed) startAll(places, places.length);
  };
  const lookAgain = () => void look().catch(() => {});
  lookAgain();
  const timer = setInterval(lookAgain, NEW_SHARDS_MS).unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

/** @param means.place the queue itself or one of its shards */
function startWorker(
  queue: QueueDefinition,
  handlers: ReadonlyMap<string, JobHandler>,
  {
    redis,
    log,
    concurrency,
    place,
  }: { redis: Redis; log: Log; concurrency: number; place: QueueId },
): RunningWorker {
  const slots = new Slots(concurrency);
  const server = serverOf(redis, place);
  /** Brings parked jobs back. */
  const call = (jobIds: string[]): void => {
    for (const jobId of jobIds) {
      new BullJob(worker, '', undefined, {}, jobId)
        .promote()
        .catch(() => call(slots.forget(jobId)));
    }
    // If other processes took all called jobs, no event of this process would call the next ones.
    if (jobIds.length > 0) setTimeout(() => call(slots.callAgain()), CALL_MS + 1).unref();
  };
  let inHand = 0;
  const worker: Worker = new Worker(
    place.name,
    async (job, token) => {
      const { projectId, tenant = projectId } = job.data as Envelope;
      const jobId = job.id ?? '';
      // Parking counts as a start, not as an attempt.
      const wasParked = job.attemptsStarted > job.attemptsMade + 1;
      if (!slots.enter(tenant, jobId, wasParked)) {
        try {
          await job.moveToDelayed(Date.now() + PARKED_MS, token);
        } catch (error) {
          call(slots.drop(tenant, jobId));
          throw error;
        }
        call(slots.park(tenant, jobId));
        throw new DelayedError();
      }
      inHand += 1;
      try {
        await run(job);
      } catch (error) {
        if (!(error instanceof Postponed || isLockTimeout(error))) throw error;
        log.info({ queue: queue.name, job: job.name, jobId, err: error }, 'job was postponed');
        const { delayMs } = error instanceof Postponed ? error : { delayMs: POSTPONED_MS };
        await job.moveToDelayed(Date.now() + delayMs, token);
        throw new DelayedError();
      } finally {
        inHand -= 1;
        call(slots.leave(tenant));
      }
    },
    {
      connection: server,
      prefix: tagOf(place),
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      metrics: { maxDataPoints: ACTIVITY_MINUTES },
      runRetryDelay: FIRST_PAUSE_MS,
      // A job that outlives its worker is not at fault, so it is handed on any number of times.
      maxStalledCount: 1_000,
      settings: {
        backoffStrategy: (attempts) =>
          Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), queue.maxPauseMs),
      },
    },
  );
  const run = async (job: BullJob): Promise<void> => {
    const { data, projectId, requestId, actor, replyTo, keyed, ifMatch, acceptedAt, trace } =
      job.data as Envelope;
    const { name } = job;
    const jobId = job.id ?? '';
    const jobLog = log.child({
      queue: queue.name,
      job: job.name,
      jobId,
      projectId,
      requestId,
    });
    const handler = handlers.get(name);
    if (handler === undefined) throw new Error(`no handler for job "${name}"`);
    const further = handler.job.isExtensible
      ? Object.values(furtherFields(await server.hgetall(keyOf(place, jobId))))
      : [];
    const stop = jobSeconds.startTimer({ queue: queue.name, job_name: job.name });
    const isRepeat = job.attemptsMade > 0 || job.attemptsStarted > 1;
    const span = jobSpan('consumer', 'process', { queue, name, jobId, parent: trace });
    let outcome: Outcome;
    try {
      const task = { name, data, audit: handler.job.audit };
      const request = { task, actor, keyed, ifMatch, acceptedAt };
      const context = {
        jobId,
        shard: place.shard,
        projectId,
        isRepeat,
        starts: job.attemptsStarted,
        ...request,
        further: further.map((text): unknown => JSON.parse(text)),
        log: jobLog,
      };
      const result = await withinSpan(span, () => handler.run(data, context));
      span?.end();
      outcome = { result };
      jobLog.debug({ seconds: stop({ outcome: 'done' }) }, 'job done');
    } catch (error) {
      span?.end({ isFailed: !(error instanceof Refusal) });
      if (!(error instanceof Refusal)) {
        stop({ outcome: 'fault' });
        throw error;
      }
      outcome = { refused: error.toJSON() };
      jobLog.debug(
        { seconds: stop({ outcome: 'refused' }), refused: outcome.refused },
        'job refused',
      );
    }
    if (replyTo !== undefined) await reply(redis, replyTo, jobId, outcome);
  };
  worker.on('error', (error) =>
    log.warn({ err: error }, 'a worker lost its connection to Redis, or the lock of a job'),
  );
  // A scheduled job may fail for days, such as one that needs an unreachable network.
  const problems = new Seldom();
  worker.on('completed', ({ name, data }) => {
    const isOver = (data as Envelope).projectId === '' && problems.end(name);
    if (isOver) log.info({ queue: queue.name, job: name }, 'a job that had failed succeeded');
  });
  worker.on('failed', (job, error) => {
    if (job === undefined) return;
    const { projectId } = job.data as Envelope;
    const isLogged = projectId !== '' || problems.isDue(job.name, error.message);
    const fields = {
      queue: queue.name,
      job: job.name,
      jobId: job.id,
      attempt: job.attemptsMade,
    };
    const isTriedAgain = job.attemptsMade < (job.opts.attempts ?? queue.attempts);
    if (isTriedAgain && !(error instanceof PermanentFailure)) {
      if (isLogged) log.warn({ ...fields, err: error }, 'job failed and was scheduled for a retry');
      return;
    }
    deadLetters.inc({ queue: queue.name, job_name: job.name });
    if (isLogged) log.error({ ...fields, err: error }, 'job failed for good');
    const { replyTo } = job.data as Envelope;
    if (replyTo !== undefined) {
      reply(redis, replyTo, job.id ?? '', { fault: true }).catch(() => {});
    }
  });
  return { close: () => closeWorker(worker, () => inHand) };
}

/**
 * Closes a worker once no handler runs. While Redis is down, BullMQ never finishes: the worker is
 * then left to the end of the process, and a job whose end Redis does not know runs again.
 *
 * @param inHand the number of running handlers
 */
async function closeWorker(worker: Worker, inHand: () => number): Promise<void> {
  const closed = worker.close().then(() => true);
  closed.catch(() => {});
  for (let idleSince = performance.now(); ; ) {
    const isClosed = await Promise.race([closed, pause(CLOSE_CHECK_MS, false)]);
    if (inHand() > 0) idleSince = performance.now();
    if (isClosed || performance.now() - idleSince > CLOSE_MS) return;
  }
}

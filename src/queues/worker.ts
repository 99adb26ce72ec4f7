import { setTimeout as pause } from 'node:timers/promises';
import { Job as BullJob, DelayedError, Worker } from 'bullmq';
import { isLockTimeout } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import { deadLetters } from '../infra/metrics.ts';
import type { Redis } from '../infra/redis.ts';
import { Seldom } from '../infra/seldom.ts';
import { ACTIVITY_MINUTES, type Envelope, serverOf } from './bull-queues.ts';
import {
  PermanentFailure,
  POSTPONED_MS,
  Postponed,
  type QueueDefinition,
  type QueueId,
} from './definition.ts';
import type { JobHandler } from './job.ts';
import { reply } from './replies.ts';
import { runHandler, type Serving } from './run-handler.ts';
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
/** Time limit for holding a job over its tenant's share, in ms. */
const HOLD_MS = 1_000;
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
    startWorker({ queue, place, handlers: byName, redis, log }, Math.ceil(concurrency / share));
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

function startWorker(serving: Serving, concurrency: number): RunningWorker {
  const { queue, place, redis, log } = serving;
  const slots = new Slots(concurrency);
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
  const heldUntilStart = (jobId: string) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => slots.endHold(jobId), HOLD_MS);
      slots.hold(jobId, (isStarted) => {
        clearTimeout(timer);
        resolve(isStarted);
      });
    });
  let inHand = 0;
  let isClosing = false;
  const worker: Worker = new Worker(
    place.name,
    async (job, token) => {
      const { projectId, tenant = projectId } = job.data as Envelope;
      const jobId = job.id ?? '';
      // Parking counts as a start, not as an attempt.
      const wasParked = job.attemptsStarted > job.attemptsMade + 1;
      if (!slots.enter(tenant, jobId, wasParked) && !(await heldUntilStart(jobId))) {
        try {
          await job.moveToDelayed(Date.now() + (isClosing ? 0 : PARKED_MS), token);
        } catch (error) {
          call(slots.drop(tenant, jobId));
          throw error;
        }
        call(slots.park(tenant, jobId));
        throw new DelayedError();
      }
      inHand += 1;
      try {
        await runHandler(job, serving);
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
      connection: serverOf(redis, place),
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
    const { projectId, replyTo } = job.data as Envelope;
    const isLogged = projectId !== '' || problems.isDue(job.name, error.message);
    const { name, id: jobId, attemptsMade: attempt } = job;
    const fields = { queue: queue.name, job: name, jobId, attempt };
    const isTriedAgain = job.attemptsMade < (job.opts.attempts ?? queue.attempts);
    if (isTriedAgain && !(error instanceof PermanentFailure)) {
      if (isLogged) log.warn({ ...fields, err: error }, 'job failed and was scheduled for a retry');
      return;
    }
    deadLetters.inc({ queue: queue.name, job_name: job.name });
    if (isLogged) log.error({ ...fields, err: error }, 'job failed for good');
    if (replyTo !== undefined) {
      reply(redis, replyTo, job.id ?? '', { fault: true }).catch(() => {});
    }
  });
  return {
    close() {
      isClosing = true;
      slots.close();
      return closeWorker(worker, () => inHand);
    },
  };
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

import { newId } from '../ids.ts';
import type { Log } from '../infra/log.ts';
import type { Redis } from '../infra/redis.ts';
import { BullQueues, type Envelope, jobOptions } from './bull-queues.ts';
import type { QueueId } from './definition.ts';
import { bulk } from './index.ts';
import { type AnyJob, MINUTE_MS, type ScheduledJob } from './job.ts';
import { Producer } from './producer.ts';

/**
 * Interval at which the schedule is registered again, in ms, since an operator may have emptied
 * Redis.
 */
const AGAIN_MS = MINUTE_MS;

/** Difference of clocks up to which a scheduled run counts as correctly placed, in ms. */
const CLOCK_TOLERANCE_MS = 30_000;

const isScheduled = (job: AnyJob): job is ScheduledJob => job.everyMs !== undefined;

/**
 * Makes Redis hold the schedule of these jobs, and no other. @param jobs all jobs of the service
 */
export async function registerSchedule(queues: BullQueues, jobs: readonly AnyJob[]): Promise<void> {
  const scheduled = jobs.filter((job) => isScheduled(job));
  // Earlier versions scheduled jobs of `bulk`.
  for (const queue of new Set([...scheduled.map((job) => job.queue), bulk])) {
    const ofQueue = scheduled.filter((job) => job.queue === queue);
    await scheduleJobs(queues, queue, ofQueue);
  }
}

/**
 * Registers the scheduled jobs of a queue, and removes other registrations. An existing
 * registration stays, since registering again would postpone its next run. It is replaced only if
 * that run is later than the interval allows, which a worker with a wrong clock causes.
 */
export async function scheduleJobs(
  queues: BullQueues,
  queue: QueueId,
  jobs: readonly ScheduledJob[],
): Promise<void> {
  const bullQueue = queues.get(queue);
  const schedulers = await bullQueue.getJobSchedulers();
  for (const { key } of schedulers) {
    if (!jobs.some(({ name }) => name === key)) await bullQueue.removeJobScheduler(key);
  }
  const envelope: Envelope = { data: {}, projectId: '' };
  // The clock of Redis, since this machine's may be the wrong one.
  const [seconds] = await queues.server(queue).time();
  for (const job of jobs) {
    const { name, everyMs } = job;
    const latest = Number(seconds) * 1_000 + everyMs + CLOCK_TOLERANCE_MS;
    const registered = schedulers.find((one) => one.key === name && one.every === everyMs);
    if (registered !== undefined) {
      if (Number(registered.next) <= latest) continue;
      await bullQueue.removeJobScheduler(name);
    }
    await bullQueue.upsertJobScheduler(
      name,
      { every: everyMs },
      { name, data: envelope, opts: jobOptions(job) },
    );
  }
}

/**
 * Registers the schedule, now and at intervals, and adds the jobs that run at each start: an
 * installation that was off for days fetches today's exchange rates before it converts a sale.
 * Several processes may do so at once.
 *
 * @param jobs all jobs of the service
 * @returns stops it
 */
export async function keepSchedule(
  redis: Redis,
  jobs: readonly AnyJob[],
  log: Log,
): Promise<() => Promise<void>> {
  const queues = new BullQueues(redis);
  await registerSchedule(queues, jobs);
  const producer = new Producer(redis);
  for (const job of jobs.filter(({ isRunAtStart }) => isRunAtStart)) {
    await producer.add(job, {}, { jobId: newId('job'), projectId: '' });
  }
  const timer = setInterval(() => {
    registerSchedule(queues, jobs).catch((error: unknown) =>
      log.error({ err: error }, 'the schedule could not be registered'),
    );
  }, AGAIN_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all([queues.close(), producer.close()]);
  };
}

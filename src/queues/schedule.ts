import { newId } from '../ids.ts';
import type { Log } from '../infra/log.ts';
import { bulk } from './index.ts';
import { type AnyJob, MINUTE_MS, type ScheduledJob } from './job.ts';
import type { Producer } from './producer.ts';

/**
 * Interval at which the schedule is registered again, in ms, since an operator may have emptied
 * Redis.
 */
const AGAIN_MS = MINUTE_MS;

const isScheduled = (job: AnyJob): job is ScheduledJob => job.everyMs !== undefined;

/**
 * Makes Redis hold the schedule of these jobs, and no other. @param jobs all jobs of the service
 */
export async function registerSchedule(producer: Producer, jobs: readonly AnyJob[]): Promise<void> {
  const scheduled = jobs.filter((job) => isScheduled(job));
  // Earlier versions scheduled jobs of `bulk`.
  for (const queue of new Set([...scheduled.map((job) => job.queue), bulk])) {
    await producer.schedule(
      queue,
      scheduled.filter((job) => job.queue === queue),
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
  producer: Producer,
  jobs: readonly AnyJob[],
  log: Log,
): Promise<() => void> {
  await registerSchedule(producer, jobs);
  for (const job of jobs.filter(({ isRunAtStart }) => isRunAtStart)) {
    await producer.add(job, {}, { jobId: newId('job'), projectId: '' });
  }
  const timer = setInterval(() => {
    registerSchedule(producer, jobs).catch((error: unknown) =>
      log.error({ err: error }, 'the schedule could not be registered'),
    );
  }, AGAIN_MS);
  return () => clearInterval(timer);
}

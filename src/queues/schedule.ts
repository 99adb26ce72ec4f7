import { newId } from '../ids.ts';
import type { Log } from '../infra/log.ts';
import { bulk } from './bulk.ts';
import { currency } from './currency.ts';
import type { QueueDefinition } from './definition.ts';
import { mail } from './mail.ts';
import { maintenance } from './maintenance.ts';
import type { Producer } from './producer.ts';
import { webhooks } from './webhooks.ts';

const MINUTE = 60_000;
/** Interval at which the schedule is registered again, in ms: an operator may have emptied Redis. */
const AGAIN_MS = MINUTE;

/** A job of a queue that runs every so many ms. */
const due = <Jobs>(queue: QueueDefinition<Jobs>, job: keyof Jobs & string, every: number) => ({
  queue: queue as QueueDefinition<unknown>,
  job,
  every,
});

/** The schedule, which is registered in Redis. */
export const SCHEDULE = [
  due(maintenance, 'events.partitions', 60 * MINUTE),
  due(maintenance, 'visits.prune', 10 * MINUTE),
  due(maintenance, 'jobs.expire', 5 * MINUTE),
  due(maintenance, 'images.prune', 60 * MINUTE),
  due(maintenance, 'domains.check', 5 * MINUTE),
  due(maintenance, 'destinations.check', MINUTE),
  due(maintenance, 'exports.prune', 60 * MINUTE),
  due(maintenance, 'sessions.prune', 60 * MINUTE),
  due(maintenance, 'imports.resume', MINUTE),
  due(maintenance, 'imports.prune', 10 * MINUTE),
  due(maintenance, 'events.retain', 12 * 60 * MINUTE),
  due(maintenance, 'events.sum', 15_000),
  due(maintenance, 'rollups.rebuild', MINUTE),
  due(webhooks, 'webhooks.sweep', 5_000),
  due(maintenance, 'webhooks.prune', 60 * MINUTE),
  due(maintenance, 'invitations.prune', 60 * MINUTE),
  due(maintenance, 'audit.prune', 60 * MINUTE),
  due(maintenance, 'names.prune', 60 * MINUTE),
  due(maintenance, 'links.expire', MINUTE),
  due(maintenance, 'alerts.send', MINUTE),
  due(maintenance, 'reports.send', MINUTE),
  due(mail, 'mail.sweep', MINUTE),
  due(maintenance, 'mails.prune', 60 * MINUTE),
  due(maintenance, 'abuse.prune', 60 * MINUTE),
  due(currency, 'rates.refresh', 6 * 60 * MINUTE),
];

/**
 * Adds the jobs that run at every start of the scheduler besides their turn: an installation that was off for days, or has
 * none but its first rates, fetches those of today before the first sale is converted.
 */
const addFirstJobs = (producer: Producer): Promise<void> =>
  producer.add(currency, 'rates.refresh', {}, { jobId: newId('job'), projectId: '' });

/** Queues that have rows in the table, and those that had some in an earlier version. */
const QUEUES = new Set<QueueDefinition<unknown>>([...SCHEDULE.map(({ queue }) => queue), bulk]);

/** Makes Redis hold the rows of the table, and no others. */
export async function registerSchedule(producer: Producer): Promise<void> {
  for (const queue of QUEUES) {
    const rows = SCHEDULE.filter((row) => row.queue.name === queue.name);
    await producer.schedule(queue, rows);
  }
}

/**
 * Registers the schedule, now and from time to time, and adds the first jobs. Several processes may do so at once.
 *
 * @returns ends it
 */
export async function keepSchedule(producer: Producer, log: Log): Promise<() => void> {
  await registerSchedule(producer);
  await addFirstJobs(producer);
  const timer = setInterval(() => {
    registerSchedule(producer).catch((error: unknown) =>
      log.error({ err: error }, 'the schedule could not be registered'),
    );
  }, AGAIN_MS);
  return () => clearInterval(timer);
}

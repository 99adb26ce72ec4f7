import { bulk } from './bulk.ts';
import { currency } from './currency.ts';
import type { Producer, QueueDefinition } from './queue.ts';
import { webhooks } from './webhooks.ts';

const MINUTE = 60_000;

/** A job of a queue that runs every so many ms. */
const due = <Jobs>(queue: QueueDefinition<Jobs>, job: keyof Jobs & string, every: number) => ({
  queue: queue as QueueDefinition<unknown>,
  job,
  every,
});

/** What runs when. The scheduler process registers this table; Redis keeps it from then on. */
export const SCHEDULE = [
  due(bulk, 'events.partitions', 60 * MINUTE),
  due(bulk, 'visits.prune', 10 * MINUTE),
  due(bulk, 'jobs.expire', 5 * MINUTE),
  due(bulk, 'images.prune', 60 * MINUTE),
  due(bulk, 'domains.check', 5 * MINUTE),
  due(bulk, 'exports.prune', 60 * MINUTE),
  due(bulk, 'events.retain', 12 * 60 * MINUTE),
  due(bulk, 'events.sum', 60 * MINUTE),
  due(webhooks, 'webhooks.sweep', 5_000),
  due(webhooks, 'webhooks.prune', 60 * MINUTE),
  due(currency, 'rates.refresh', 6 * 60 * MINUTE),
];

/** Registers every row of the table. */
export async function registerSchedule(producer: Producer): Promise<void> {
  for (const { queue, job, every } of SCHEDULE) await producer.repeat(queue, job, every);
}

import { bulk } from './bulk.ts';
import type { Producer } from './queue.ts';

const MINUTE = 60_000;

/** What runs when. The scheduler process registers this table; Redis keeps it from then on. */
export const SCHEDULE = [
  { queue: bulk, job: 'events.partitions', every: 60 * MINUTE },
  { queue: bulk, job: 'visits.prune', every: 10 * MINUTE },
  { queue: bulk, job: 'jobs.expire', every: 5 * MINUTE },
  { queue: bulk, job: 'images.prune', every: 60 * MINUTE },
  { queue: bulk, job: 'domains.check', every: 5 * MINUTE },
] as const;

/** Registers every row of the table. */
export async function registerSchedule(producer: Producer): Promise<void> {
  for (const { queue, job, every } of SCHEDULE) await producer.repeat(queue, job, every);
}

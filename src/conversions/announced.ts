import { publishStored } from '../event-records/publish.ts';
import type { EventRow } from '../events/event.ts';
import { announceEvents } from '../events/live/announce.ts';
import { eventsStore } from '../events/store/index.ts';
import type { SeenCustomer } from '../events/store/store.ts';
import type { Db } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import type { Tracked } from './jobs.ts';

/** Stores events in the transaction of a command, or notes that a customer was seen without one. */
export type RecordEvents = (events: readonly EventRow[], seen?: SeenCustomer) => Promise<void>;

/** A command that stores events. */
type Command<Result> = (trx: Db, recordEvents: RecordEvents) => Promise<Result>;

/** Runs a command once, and announces its events to live streams after the commit. */
export const announced = <Answer>(
  job: JobContext,
  command: Command<Tracked<Answer>>,
): Promise<Tracked<Answer>> => announcedBy((run) => runIdempotent(job, run), command);

/**
 * Runs a command in a transaction, and announces its events to live streams after the commit.
 *
 * @param transaction runs a function in a transaction
 */
export async function announcedBy<Result>(
  transaction: (run: (trx: Db) => Promise<Result>) => Promise<Result>,
  command: Command<Result>,
): Promise<Result> {
  const recorded: EventRow[] = [];
  const result = await transaction(async (trx) => {
    const seenCustomers: SeenCustomer[] = [];
    const answer = await command(trx, async (events, seen) => {
      if (seen !== undefined) seenCustomers.push(seen);
      if (events.length === 0) return;
      await eventsStore().append(trx, events);
      await publishStored(trx, events);
      recorded.push(...events);
    });
    await eventsStore().countCustomers(trx, recorded, seenCustomers);
    return answer;
  });
  announceEvents(recorded);
  return result;
}

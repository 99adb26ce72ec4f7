import { publishToWebhooks } from '../event-records/publish.ts';
import type { EventRow } from '../events/event.ts';
import { announceEvents } from '../events/live/announce.ts';
import { eventsStore } from '../events/store/index.ts';
import type { Db } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { JobContext } from '../queues/definition.ts';
import type { Tracked } from './jobs.ts';

/** Stores events in the transaction of a command. */
export type RecordEvents = (events: readonly EventRow[]) => Promise<void>;

/** Runs a command once, and announces its events to live streams after the commit. */
export async function announced<Answer>(
  job: JobContext,
  command: (trx: Db, recordEvents: RecordEvents) => Promise<Tracked<Answer>>,
): Promise<Tracked<Answer>> {
  const recorded: EventRow[] = [];
  const result = await runIdempotent(job, (trx) =>
    command(trx, async (events) => {
      await eventsStore().append(trx, events);
      await publishToWebhooks(trx, events);
      recorded.push(...events);
    }),
  );
  announceEvents(recorded);
  return result;
}

import { eraseRecords } from '../destinations/erase.ts';
import { eventsStore } from '../events/store/index.ts';
import type { Db } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { Actor, JobContext } from '../queues/definition.ts';
import { eraseVisitors } from '../webhooks/erase.ts';
import { type PlacedRecord, publishRecordEvent } from '../webhooks/outbox.ts';
import type { SharedFilters } from './filters.ts';
import { keepNames } from './kept-names.ts';
import type { ShortLinkModel, ShortLinkTables } from './model.ts';
import type { ShortLinkQueries } from './queries.ts';
import type { EventsOnDelete } from './schema.ts';
import { deleteForGood, moveToTrash } from './trash.ts';

type Records = Pick<
  ShortLinkQueries<ShortLinkModel, PlacedRecord, SharedFilters>,
  'tables' | 'lock' | 'lockAll' | 'get'
>;

/** Deletes a link or QR code. @throws Refusal `not_found` */
export function deleteRecord(
  records: Records,
  job: JobContext,
  ref: string,
  events?: EventsOnDelete,
): Promise<{ id: string }> {
  const { tables } = records;
  const { projectId } = job;
  return runIdempotent(job, async (trx, publish) => {
    const { id } = await records.lock(trx, job, ref);
    const record = await records.get(projectId, id, trx);
    publish(await remove(trx, tables, projectId, [id], { events, trash: job }));
    await publishRecordEvent(trx, projectId, `${tables.kind}.deleted`, record);
    return { id };
  });
}

/** Deletes links or QR codes; unknown ids are ignored. */
export function deleteRecords(
  records: Records,
  job: JobContext,
  refs: readonly string[],
  events?: EventsOnDelete,
): Promise<{ deletedCount: number }> {
  const { projectId } = job;
  return runIdempotent(job, async (trx, publish) => {
    const ids = await records.lockAll(trx, projectId, refs);
    publish(await remove(trx, records.tables, projectId, ids, { events, trash: job }));
    return { deletedCount: ids.length };
  });
}

/** Treatment of deleted records. */
interface Removal {
  events?: EventsOnDelete | undefined;
  /** The person who can restore the records; absent: they are deleted for good. */
  trash?: { actor?: Actor | undefined } | undefined;
}

/**
 * Deletes links or QR codes with their tags and counters, within the transaction of a command:
 * into the trash, or for good, as with their events. Their names stay reserved for a time.
 *
 * @returns the look-up entries to publish
 */
export async function remove(
  trx: Db,
  tables: ShortLinkTables,
  projectId: string,
  ids: readonly string[],
  { events = 'keep', trash }: Removal,
): Promise<LookupChange[]> {
  if (events === 'remove') await eraseEvents(trx, projectId, ids);
  const deleted =
    trash === undefined || events === 'remove'
      ? await deleteForGood(trx, tables, projectId, ids)
      : await moveToTrash(trx, tables, { projectId, ids, actor: trash.actor });
  return keepNames(trx, deleted);
}

/**
 * Deletes the events of links or QR codes, and what waits for webhooks and destinations about their
 * visitors.
 */
export async function eraseEvents(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  await eventsStore().eraseRecords(trx, projectId, ids);
  await eraseVisitors(trx, projectId, ids);
  await eraseRecords(trx, projectId, ids);
}

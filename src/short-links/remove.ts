import { eventsStore } from '../events/store/index.ts';
import { type Db, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { JobContext } from '../queues/definition.ts';
import { eraseVisitors } from '../webhooks/erase.ts';
import { type PlacedRecord, publishRecordEvent } from '../webhooks/outbox.ts';
import type { SharedFilters } from './filters.ts';
import { keepNames } from './kept-names.ts';
import type { ShortLinkModel, ShortLinkTables } from './model.ts';
import type { ShortLinkQueries } from './queries.ts';
import type { EventsOnDelete } from './schema.ts';

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
    publish(await remove(trx, tables, projectId, [id], events));
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
    publish(await remove(trx, records.tables, projectId, ids, events));
    return { deletedCount: ids.length };
  });
}

/**
 * Deletes links or QR codes with their tags and counters, within the transaction of a command.
 * Their names stay reserved for a time.
 *
 * @returns the look-up entries to publish
 */
export async function remove(
  trx: Db,
  { table }: ShortLinkTables,
  projectId: string,
  ids: readonly string[],
  events: EventsOnDelete = 'keep',
): Promise<LookupChange[]> {
  if (events === 'remove') await eraseEvents(trx, projectId, ids);
  const deleted = await rows<{ id: string; domain_id: string; key: string }>(
    trx,
    `WITH deleted AS (DELETE FROM ${table} WHERE project_id = :projectId AND id = ANY(:ids) RETURNING id, domain_id, key),
          counted AS (DELETE FROM counters c USING deleted WHERE c.project_id = :projectId AND c.record_id = deleted.id),
          kept AS (DELETE FROM kept_counts k USING deleted
                    WHERE k.project_id = :projectId AND k.is_record AND k.owner = deleted.id),
          history AS (DELETE FROM record_changes h USING deleted
                       WHERE h.project_id = :projectId AND h.record_id = deleted.id)
     SELECT id, domain_id, key FROM deleted`,
    { projectId, ids: [...ids] },
  );
  return keepNames(trx, deleted);
}

/** Deletes the events of links or QR codes, and the webhook deliveries about their visitors. */
export async function eraseEvents(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  await eventsStore().eraseRecords(trx, projectId, ids);
  await eraseVisitors(trx, projectId, ids);
}

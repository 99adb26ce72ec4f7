import { type Db, execute, rows } from '../../../infra/db.ts';
import { addDeltas, type TimedEvent } from './deltas.ts';
import { ChangedTimes, emptyBlocks } from './empty-blocks.ts';
import { shareEvents } from './rollups.ts';

/** Number of events deleted and subtracted from the counts at a time. */
const CHUNK = 20_000;

/** Deletes all events of some links and QR codes, and subtracts them from all counts. */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  const owners = [...recordIds];
  await shareEvents(trx, [projectId]);
  const changed = new ChangedTimes();
  for (;;) {
    // Subtracts exactly the deleted events from the rollups, whatever is stored meanwhile.
    const deleted = await rows<TimedEvent>(
      trx,
      `DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND link_id = ANY(:recordIds) LIMIT ${CHUNK})
       RETURNING *`,
      { projectId, recordIds: owners },
    );
    for (const event of deleted) changed.add(event);
    await addDeltas(trx, 'domain', deleted, { sign: -1 });
    if (deleted.length < CHUNK) break;
  }
  await emptyBlocks(trx, changed);
  // Deleted first, so that a concurrent merge has stored what it took from them before the rollups
  // are deleted.
  await trx('rollup_deltas')
    .where({ project_id: projectId, is_record: true })
    .whereIn('owner', owners)
    .delete();
  await trx('record_rollups')
    .where({ project_id: projectId })
    .whereIn('record_id', owners)
    .delete();
  await trx('record_names').where({ project_id: projectId }).whereIn('record_id', owners).delete();
}

/** Erases the personal data in a customer's events. The events and their counts remain. */
export async function eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void> {
  await execute(
    trx,
    `UPDATE events SET ip = '', metadata = NULL, sale = sale - 'invoiceId'
      WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
}

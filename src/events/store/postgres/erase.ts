import { type Db, execute, rows } from '../../../infra/db.ts';
import { addDeltas, type TimedEvent } from './deltas.ts';
import { ChangedTimes, emptyBlocks } from './empty-blocks.ts';
import { shareEvents } from './rollups.ts';

/** Events that are deleted and taken out of the counts at a time. */
const CHUNK = 20_000;

/** Deletes all events of some links and QR codes, and subtracts them from every count. */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  const owners = [...recordIds];
  await shareEvents(trx, [projectId]);
  const changed = new ChangedTimes();
  for (;;) {
    // The rollups are reduced by exactly the deleted events, whatever is stored meanwhile.
    const gone = await rows<TimedEvent>(
      trx,
      `DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND link_id = ANY(:recordIds) LIMIT ${CHUNK})
       RETURNING *`,
      { projectId, recordIds: owners },
    );
    for (const event of gone) changed.add(event);
    await addDeltas(trx, 'domain', gone, { sign: -1 });
    if (gone.length < CHUNK) break;
  }
  await emptyBlocks(trx, changed);
  // First, so that a merge at the same time has stored what it took from them before the rollups are deleted.
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

/** Empties the personal data in the events of a customer. The events and their counts stay. */
export async function eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void> {
  await execute(
    trx,
    `UPDATE events SET ip = '', metadata = NULL, sale = sale - 'invoiceId'
      WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
}

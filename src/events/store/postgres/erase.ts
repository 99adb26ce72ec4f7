import { type Db, execute } from '../../../infra/db.ts';
import { shareEvents, subtractRollups } from './rollups.ts';

/** Deletes all events of some links and QR codes, and subtracts them from every count. */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  await shareEvents(trx, [projectId]);
  // The rollups are reduced by exactly the deleted events, whatever is stored meanwhile.
  await execute(
    trx,
    'CREATE TEMP TABLE IF NOT EXISTS gone_events (LIKE events) ON COMMIT DELETE ROWS',
  );
  await execute(
    trx,
    `WITH gone AS (DELETE FROM events WHERE project_id = :projectId AND link_id = ANY(:recordIds) RETURNING *)
     INSERT INTO gone_events SELECT * FROM gone`,
    { projectId, recordIds: [...recordIds] },
  );
  for (const sql of subtractRollups('gone_events')) await execute(trx, sql);
  await trx('record_names')
    .where({ project_id: projectId })
    .whereIn('record_id', [...recordIds])
    .delete();
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

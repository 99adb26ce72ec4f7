import { type Db, execute, rows } from '../../../infra/db.ts';
import { ChangedTimes, emptyBlocks } from './empty-blocks.ts';

/** Number of events deleted at a time. */
const CHUNK = 20_000;

/** Deletes all events of some links and QR codes, and the counts of those already deleted. */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  const owners = [...recordIds];
  const changed = new ChangedTimes();
  for (;;) {
    // Returns the chosen events, since retention can have deleted some of them meanwhile.
    const chosen = await rows<{ project_id: string; occurred_at: Date }>(
      trx,
      `WITH chosen AS MATERIALIZED (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND link_id = ANY(:recordIds) LIMIT ${CHUNK}),
       gone AS (DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (SELECT * FROM chosen))
       SELECT project_id, occurred_at FROM chosen`,
      { projectId, recordIds: owners },
    );
    for (const event of chosen) changed.add(event);
    if (chosen.length < CHUNK) break;
  }
  await emptyBlocks(trx, changed);
  await trx('kept_counts')
    .where({ project_id: projectId, is_record: true })
    .whereIn('owner', owners)
    .delete();
  await trx('kept_names').where({ project_id: projectId }).whereIn('record_id', owners).delete();
}

/** Erases the personal data in a customer's events. The events and their counts remain. */
export async function eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void> {
  await execute(
    trx,
    `UPDATE events SET ip = '', metadata = NULL, sale = sale - 'invoiceId' - 'refundId'
      WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
}

/** Gives the events of some customers to another one. Counts do not depend on customers. */
export async function moveCustomers(
  trx: Db,
  projectId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  await execute(
    trx,
    `UPDATE events SET customer_id = :to
      WHERE project_id = :projectId AND customer_id = ANY(:from)`,
    { projectId, from, to },
  );
}

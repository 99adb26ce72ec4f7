import { type Db, execute, rows } from '../../../infra/db.ts';
import type { EventRow } from '../../event.ts';
import { addToCustomers, CustomerSums } from './counters.ts';
import { ChangedTimes, emptyBlocks } from './empty-blocks.ts';

/** Number of events deleted at a time. */
const CHUNK = 20_000;

/** A chosen event; without a kind if it was not deleted here. */
type Chosen = Pick<EventRow, 'project_id' | 'customer_id' | 'amount_cents'> & {
  occurred_at: Date;
  event: EventRow['event'] | null;
};

/**
 * Deletes all events of some links and QR codes, and the counts of those already deleted. Their
 * customers no longer have them.
 */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  const owners = [...recordIds];
  const changed = new ChangedTimes();
  const customers = new CustomerSums();
  for (;;) {
    // Returns the chosen events, since retention can have deleted some of them meanwhile.
    const chosen = await rows<Chosen>(
      trx,
      `WITH chosen AS MATERIALIZED (
         SELECT project_id, event, occurred_at, id FROM events
          WHERE project_id = :projectId AND link_id = ANY(:recordIds) LIMIT ${CHUNK}),
       gone AS (DELETE FROM events WHERE (project_id, event, occurred_at, id) IN (SELECT * FROM chosen)
                RETURNING event, occurred_at, id, customer_id, amount_cents)
       SELECT c.project_id, c.occurred_at, g.event, g.customer_id, g.amount_cents
         FROM chosen c LEFT JOIN gone g USING (event, occurred_at, id)`,
      { projectId, recordIds: owners },
    );
    for (const row of chosen) {
      changed.add(row);
      if (row.event !== null) customers.subtract({ ...row, event: row.event });
    }
    if (chosen.length < CHUNK) break;
  }
  await emptyBlocks(trx, changed);
  // Counters of links come before those of customers, as where events are stored.
  await execute(
    trx,
    `SELECT FROM counters WHERE project_id = :projectId AND record_id = ANY(:recordIds)
      ORDER BY record_id FOR UPDATE`,
    { projectId, recordIds: owners },
  );
  await addToCustomers(trx, customers);
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

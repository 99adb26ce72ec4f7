import { type Db, execute } from '../infra/db.ts';

/** Deletes the queued events of links and QR codes. */
export async function eraseRecords(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  await execute(
    trx,
    'DELETE FROM destination_events WHERE project_id = :projectId AND record_id = ANY(:recordIds)',
    { projectId, recordIds },
  );
}

/** Deletes the queued events of a customer. */
export async function eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void> {
  await execute(
    trx,
    'DELETE FROM destination_events WHERE project_id = :projectId AND customer_id = :customerId',
    { projectId, customerId },
  );
}

/** Moves the queued events of customers to another customer, so that they are erased with them. */
export async function moveCustomers(
  trx: Db,
  projectId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  await execute(
    trx,
    `UPDATE destination_events SET customer_id = :to
      WHERE project_id = :projectId AND customer_id = ANY(:from)`,
    { projectId, from, to },
  );
}

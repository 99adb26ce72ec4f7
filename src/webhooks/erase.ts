import { type Db, execute } from '../infra/db.ts';
import { PERSONAL_KINDS } from './kinds.ts';

/** Deletes the deliveries about visitors of links and QR codes: visits, leads and sales. */
export async function eraseVisitors(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  await execute(
    trx,
    `DELETE FROM webhook_deliveries
      WHERE project_id = :projectId AND record_id = ANY(:recordIds) AND kind = ANY(:kinds)`,
    { projectId, recordIds, kinds: PERSONAL_KINDS },
  );
}

/** Deletes the deliveries about a customer. */
export async function eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void> {
  await trx('webhook_deliveries')
    .where({ project_id: projectId, customer_id: customerId })
    .delete();
}

/** Moves the deliveries about customers to another customer, so that they are erased with them. */
export async function moveDeliveries(
  trx: Db,
  projectId: string,
  from: readonly string[],
  to: string,
): Promise<void> {
  await execute(
    trx,
    `UPDATE webhook_deliveries SET customer_id = :to
      WHERE project_id = :projectId AND customer_id = ANY(:from)`,
    { projectId, from, to },
  );
}

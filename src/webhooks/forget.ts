import type { Db } from '../infra/db.ts';

/** Removes what webhooks were told of the visitors of some links and QR codes. */
export async function forgetVisitors(
  trx: Db,
  projectId: string,
  recordIds: readonly string[],
): Promise<void> {
  await trx.raw(
    `DELETE FROM webhook_deliveries WHERE project_id = :projectId AND record_id = ANY(:recordIds)
        AND kind IN ('link.clicked', 'qrcode.scanned', 'lead.created', 'sale.created')`,
    { projectId, recordIds: recordIds as string[] },
  );
}

/** Removes what webhooks were told of a customer. */
export async function forgetCustomer(
  trx: Db,
  projectId: string,
  customerId: string,
): Promise<void> {
  await trx('webhook_deliveries')
    .where({ project_id: projectId, customer_id: customerId })
    .delete();
}

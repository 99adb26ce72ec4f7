import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { once } from '../jobs/once.ts';
import type { JobContext } from '../queues/queue.ts';
import { forgetCustomer } from '../webhooks/forget.ts';
import { Customer } from './model.ts';
import { type CustomerRecord, toCustomer } from './record.ts';

/** What may be changed of a customer. An absent field stays, `null` clears it. */
export interface CustomerChanges {
  name?: string | null;
  email?: string | null;
  avatar?: string | null;
}

/** @throws Refusal `not_found` */
export function updateCustomer(
  { id, changes }: { id: string; changes: CustomerChanges },
  job: JobContext,
): Promise<CustomerRecord> {
  return once(job, async (trx) => {
    const [row] = (await Customer.of(job.projectId, trx)
      .where({ id })
      .patch({ ...changes, updated_at: new Date() })
      .returning('*')) as unknown as Customer[];
    if (row === undefined) throw unknownCustomer(id);
    return { result: toCustomer(row), changes: [] };
  });
}

/**
 * Forgets a person for good: the customer is deleted, and what their events say of them is emptied. The events stay,
 * and with them every count.
 *
 * @throws Refusal `not_found`
 */
export function deleteCustomer({ id }: { id: string }, job: JobContext): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const deleted = await Customer.of(job.projectId, trx).where({ id }).delete();
    if (deleted === 0) throw unknownCustomer(id);
    await eraseEvents(trx, job.projectId, id);
    await forgetCustomer(trx, job.projectId, id);
    return { result: { id }, changes: [] };
  });
}

async function eraseEvents(trx: Db, projectId: string, customerId: string): Promise<void> {
  await trx.raw(
    `UPDATE events SET ip = '', metadata = NULL, sale = sale - 'invoiceId'
      WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
  // The first answer to an invoice named the customer.
  await trx.raw(
    `UPDATE invoices SET answer = NULL WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
}

const unknownCustomer = (id: string) => new Refusal('not_found', `There is no customer "${id}"`);

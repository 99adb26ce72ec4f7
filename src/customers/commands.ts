import { eraseCustomer as eraseQueued } from '../destinations/erase.ts';
import { Refusal, type RefusalData } from '../errors.ts';
import { eventsStore } from '../events/store/index.ts';
import { refuseChanged } from '../http/etag.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { eraseCustomer as eraseDeliveries } from '../webhooks/erase.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { COUNTED } from './counters.ts';
import { customerJobs } from './jobs.ts';
import { mergeCustomers } from './merge.ts';
import { Customer } from './model.ts';
import { readCustomer } from './queries.ts';
import { toCustomer } from './record.ts';

/** Answer to repeats with an Idempotency-Key after their customer was erased. */
const FORGOTTEN = JSON.stringify({
  refused: { code: 'not_found', message: 'The customer has been forgotten' } satisfies RefusalData,
});

/** Erases the outcomes of jobs that name a customer, which are stored for up to a day. */
async function eraseOutcomes(
  trx: Db,
  { project_id, id, external_id }: Pick<Customer, 'project_id' | 'id' | 'external_id'>,
): Promise<void> {
  const mentions = [`"id":${JSON.stringify(id)}`, `"customerId":${JSON.stringify(external_id)}`];
  await execute(
    trx,
    `UPDATE jobs SET outcome = :outcome
      WHERE project_id = :projectId AND (strpos(outcome, :id) > 0 OR strpos(outcome, :externalId) > 0)`,
    {
      outcome: FORGOTTEN,
      projectId: project_id,
      id: mentions[0]!,
      externalId: mentions[1]!,
    },
  );
}

/** Lists the customers who were merged into one. */
const mergedInto = (trx: Db, { project_id, id }: Customer) =>
  rows<Pick<Customer, 'project_id' | 'id' | 'external_id'>>(
    trx,
    `SELECT project_id, merged_id AS id, external_id FROM customer_aliases
      WHERE project_id = :projectId AND customer_id = :id`,
    { projectId: project_id, id },
  );

/** Deletes the first answers to invoices and refunds, which name the customer. */
async function eraseInvoices(trx: Db, projectId: string, customerId: string): Promise<void> {
  await execute(
    trx,
    `UPDATE invoices SET answer = NULL WHERE project_id = :projectId AND customer_id = :customerId`,
    { projectId, customerId },
  );
  await execute(
    trx,
    `UPDATE refunds AS r SET answer = NULL FROM invoices AS i
      WHERE i.project_id = :projectId AND i.customer_id = :customerId
        AND r.project_id = i.project_id AND r.invoice_id = i.invoice_id`,
    { projectId, customerId },
  );
}

/** Deletes what deliveries say about payments of a customer that are not recorded yet. */
async function erasePayments(
  trx: Db,
  projectId: string,
  externalIds: readonly string[],
): Promise<void> {
  await execute(
    trx,
    `DELETE FROM payment_facts
      WHERE project_id = :projectId AND done_at IS NULL AND payers && :externalIds`,
    { projectId, externalIds },
  );
}

export const customerHandlers = handlers(customerJobs, {
  /** Creates a customer. @throws Refusal `conflict` for an external id that is taken */
  'customer.create': (
    { id, externalId, name = null, email = null, avatar = null, country = null },
    job,
  ) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const [row] = await rows<Customer>(
        trx,
        `WITH created AS (
           INSERT INTO customers (project_id, id, external_id, name, email, avatar, country)
           SELECT :projectId, :id, :externalId, :name, :email, :avatar, :country
            WHERE NOT EXISTS (SELECT FROM customer_aliases
                               WHERE project_id = :projectId AND external_id = :externalId)
           ON CONFLICT (project_id, external_id) DO NOTHING RETURNING *),
         ${COUNTED}
         SELECT * FROM created`,
        { projectId, id, externalId, name, email, avatar, country },
      );
      if (row === undefined) {
        throw new Refusal('conflict', `externalId "${externalId}" belongs to another customer`);
      }
      return readCustomer(projectId, row.id, trx);
    }),

  /** @throws Refusal `not_found` */
  'customer.update': ({ id, changes }, job) =>
    runIdempotent(job, async (trx) => {
      refuseChanged(job.ifMatch, toCustomer(await Customer.lock(job.projectId, id, trx)));
      const columns = { ...changes, updated_at: new Date() };
      await changeRow(Customer.of(job.projectId, trx), id, columns);
      return readCustomer(job.projectId, id, trx);
    }),

  /**
   * Merges customers into another one.
   *
   * @throws Refusal `not_found`
   */
  'customer.merge': ({ ids, into }, job) =>
    runIdempotent(job, (trx) => mergeCustomers(trx, job.projectId, ids, into)),

  /**
   * Deletes a customer permanently and erases their data from their events. The events and all
   * counts remain.
   *
   * @throws Refusal `not_found`
   */
  'customer.delete': ({ id }, job) =>
    runIdempotent(job, async (trx) => {
      const customer = await Customer.lock(job.projectId, id, trx);
      refuseChanged(job.ifMatch, toCustomer(customer));
      const merged = await mergedInto(trx, customer);
      // Waits for refunds, which lock the invoice of their sale, so that their events are erased too.
      await eraseInvoices(trx, job.projectId, id);
      await eventsStore().eraseCustomer(trx, job.projectId, id);
      const everyName = [customer, ...merged];
      for (const one of everyName) await eraseOutcomes(trx, one);
      await erasePayments(
        trx,
        job.projectId,
        everyName.map(({ external_id }) => external_id),
      );
      await eraseDeliveries(trx, job.projectId, id);
      await eraseQueued(trx, job.projectId, id);
      // Last, since the counters go too: all that adds to them has locked everything else before.
      await Customer.of(job.projectId, trx).where({ id }).delete();
      return { id };
    }),
});

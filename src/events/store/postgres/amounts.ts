import { type Db, rows } from '../../../infra/db.ts';
import type { EventRow } from '../../event.ts';
import type { AmountChange } from '../store.ts';
import { addToCounters, addToCustomers, CounterSums, CustomerSums } from './counters.ts';
import { emptyBlocksOf } from './empty-blocks.ts';

/**
 * Sets the amounts of stored sales and refunds that have none, and adds them to the counters. An
 * event that is no longer stored, or has an amount, is left out.
 */
export async function setAmounts(trx: Db, changes: readonly AmountChange[]): Promise<void> {
  if (changes.length === 0) return;
  const changed = await rows<EventRow>(
    trx,
    `UPDATE events e
        SET amount_cents = c."amountCents",
            sale = e.sale || jsonb_build_object('rate', c.rate, 'rateDate', c."rateDate")
       FROM json_to_recordset(:changes) AS c("projectId" text, id text, at timestamptz,
              "amountCents" bigint, rate text, "rateDate" text)
      WHERE e.project_id = c."projectId" AND e.event IN ('sale', 'refund')
        AND e.occurred_at = c.at AND e.id = c.id AND e.amount_cents IS NULL
      RETURNING e.*`,
    { changes: JSON.stringify(changes) },
  );
  await emptyBlocksOf(trx, changed);
  const sums = new CounterSums();
  const customers = new CustomerSums();
  for (const row of changed) {
    sums.addAmount(row);
    customers.addAmount(row);
  }
  await addToCounters(trx, sums);
  await addToCustomers(trx, customers);
}

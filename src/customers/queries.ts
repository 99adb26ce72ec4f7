import type { QueryBuilder } from 'objection';
import { type Db, db } from '../infra/db.ts';
import { type CountedCustomer, Customer } from './model.ts';
import { toCountedCustomer } from './record.ts';

/** Starts a query over the customers of a workspace, with their counters as `t`. */
export const countedCustomers = (
  projectId: string,
  connection: Db = db(),
): QueryBuilder<CountedCustomer, CountedCustomer[]> =>
  Customer.of(projectId, connection)
    .join('customer_counters as t', (on) =>
      on.on('t.project_id', 'customers.project_id').andOn('t.customer_id', 'customers.id'),
    )
    .select(
      'customers.*',
      't.leads',
      't.sales',
      't.sale_amount_cents',
      't.refund_amount_cents',
      't.last_seen_at',
    ) as unknown as QueryBuilder<CountedCustomer, CountedCustomer[]>;

/** Reads the record of a customer who exists. */
export async function readCustomer(projectId: string, id: string, connection?: Db) {
  const row = await countedCustomers(projectId, connection).where({ 'customers.id': id }).first();
  if (row === undefined) throw new Error(`The customer ${id} has no counters`);
  return toCountedCustomer(row);
}

import { bigintSql, type Db, execute } from '../infra/db.ts';

/*
 * The counters of a customer are a row from the customer's creation on. The event store adds leads,
 * sales and refunds to it (src/events/store/postgres/counters.ts).
 */

/** SQL: creates the counters of customers that another part of the statement has created. */
export const COUNTED = `
  counted AS (INSERT INTO customer_counters (project_id, customer_id) SELECT project_id, id FROM created)`;

/** Adds the counters of some customers to those of another one, into whom they are merged. */
export async function moveCounters(
  trx: Db,
  projectId: string,
  from: readonly string[],
  into: string,
): Promise<void> {
  const sum = (column: string) => bigintSql(`sum(${column})`);
  await execute(
    trx,
    `WITH locked AS MATERIALIZED (
       SELECT * FROM customer_counters WHERE project_id = :projectId AND customer_id = ANY(:ids)
        ORDER BY customer_id FOR UPDATE)
     UPDATE customer_counters AS c
        SET leads = s.leads, sales = s.sales, sale_amount_cents = s.amount,
            refund_amount_cents = s.refunded, last_seen_at = s.last_seen_at
       FROM (SELECT sum(leads)::bigint AS leads, sum(sales)::bigint AS sales,
                    ${sum('sale_amount_cents')} AS amount, ${sum('refund_amount_cents')} AS refunded,
                    max(last_seen_at) AS last_seen_at
               FROM locked) AS s
      WHERE c.project_id = :projectId AND c.customer_id = :into`,
    { projectId, ids: [...from, into], into },
  );
}

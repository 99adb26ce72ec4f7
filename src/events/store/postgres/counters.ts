import { bigintSql, type Db, execute, rows } from '../../../infra/db.ts';
import type { EventRow } from '../../event.ts';
import { COUNTERS, type Counter, kindOf, type StoredKind } from '../../kinds.ts';
import type { SeenCustomer } from '../store.ts';

/** Increments for the counters of one record. */
interface CounterIncrements extends Record<Counter, number> {
  project_id: string;
  record_id: string;
  /** Less refunds. */
  sale_amount_cents: number;
  refund_amount_cents: number;
  last_visit_at: string | null;
}

/** Keys of increments, with their types. */
const KEYS = [
  ['project_id', 'text'],
  ['record_id', 'text'],
] as const;

/** Sums of increments, with their types. */
const SUMS = [
  ...COUNTERS.map((name) => [name, 'bigint'] as const),
  ['sale_amount_cents', 'bigint'],
  ['refund_amount_cents', 'bigint'],
] as const;

/**
 * Splits the amounts of events of a kind, in US cents, into what they add to sales less refunds, and
 * to refunds.
 */
export const amountsOf = (kind: StoredKind, cents: number): { sold: number; refunded: number } =>
  kindOf(kind).reduces === undefined
    ? { sold: cents, refunded: 0 }
    : { sold: -cents, refunded: cents };

/** Increments of events for the counters that their kinds name. */
export class CounterSums {
  readonly #sums = new Map<string, CounterIncrements>();

  add(row: EventRow): void {
    const { counter, countsFor } = kindOf(row.event);
    for (const column of countsFor) {
      const id = row[column];
      if (id === null) continue;
      const sum = this.#sumOf(row.project_id, id);
      sum[counter] += 1;
      addAmountTo(sum, row);
      if (
        counter === 'visits' &&
        (sum.last_visit_at === null || row.occurred_at > sum.last_visit_at)
      ) {
        sum.last_visit_at = row.occurred_at;
      }
    }
  }

  /** Adds the amount of an event that was counted before. */
  addAmount(row: EventRow): void {
    for (const column of kindOf(row.event).countsFor) {
      const id = row[column];
      if (id !== null) addAmountTo(this.#sumOf(row.project_id, id), row);
    }
  }

  /** Returns the increments by record. */
  list(): CounterIncrements[] {
    return [...this.#sums.values()];
  }

  #sumOf(project_id: string, record_id: string): CounterIncrements {
    let sum = this.#sums.get(record_id);
    if (sum === undefined) {
      sum = {
        project_id,
        record_id,
        visits: 0,
        suspects: 0,
        leads: 0,
        sales: 0,
        refunds: 0,
        sale_amount_cents: 0,
        refund_amount_cents: 0,
        last_visit_at: null,
      };
      this.#sums.set(record_id, sum);
    }
    return sum;
  }
}

function addAmountTo(sum: CounterIncrements, { event, amount_cents }: EventRow): void {
  if (amount_cents === null) return;
  const { sold, refunded } = amountsOf(event, amount_cents);
  sum.sale_amount_cents += sold;
  sum.refund_amount_cents += refunded;
}

/** Adds increments to the counters of their records, in the order of their keys. */
export async function addToCounters(trx: Db, counted: CounterSums): Promise<void> {
  const sums = counted.list();
  if (sums.length === 0) return;
  // Mostly visits alone: each further column takes time.
  const added = SUMS.filter(([name]) => sums.some((sum) => sum[name] !== 0));
  const columns = [...KEYS, ...added, ['last_visit_at', 'timestamptz'] as const];
  const names = columns.map(([name]) => name);
  const perhapsNew = await rows<{ project_id: string; record_id: string }>(
    trx,
    `WITH added AS (
       INSERT INTO counters (${names.join(', ')})
       SELECT ${names.map((name) => `sum.${name}`).join(', ')}
         FROM unnest(${columns.map(([name, type]) => `:${name}::${type}[]`).join(', ')}) AS sum(${names.join(', ')})
        WHERE sum.project_id IN (SELECT id FROM workspaces WHERE id = ANY(:projects))
        ORDER BY sum.project_id COLLATE "C", sum.record_id COLLATE "C"
       ON CONFLICT (project_id, record_id) DO UPDATE
          SET ${added.map(([name]) => `${name} = ${sumSql(name)}`).join(',\n              ')},
              last_visit_at = greatest(counters.last_visit_at, excluded.last_visit_at)
       RETURNING project_id, record_id, ${COUNTERS.join(' + ')} AS events)
     SELECT project_id, record_id FROM added WHERE events <= :most`,
    {
      ...Object.fromEntries(names.map((name) => [name, sums.map((sum) => sum[name])])),
      projects: [...new Set(sums.map((sum) => sum.project_id))],
      // A new row has no more events than were added. That holds for few of the others.
      most: Math.max(...sums.map((sum) => COUNTERS.reduce((all, name) => all + sum[name], 0))),
    },
  );
  if (perhapsNew.length > 0) await deleteOfDeleted(trx, perhapsNew);
}

const sumSql = (name: (typeof SUMS)[number][0]): string =>
  name === 'sale_amount_cents' || name === 'refund_amount_cents'
    ? bigintSql(`counters.${name}::numeric + excluded.${name}`)
    : `counters.${name} + excluded.${name}`;

/**
 * Deletes the counters of records that were deleted for good meanwhile, which keep their events. Only new
 * counters can belong to one, so that the records of others need not be looked up.
 */
async function deleteOfDeleted(
  trx: Db,
  counters: readonly { project_id: string; record_id: string }[],
): Promise<void> {
  const isThere = ['links', 'qrcodes', 'pages', 'trash'].map(
    // OFFSET makes Postgres look up each record by the index; otherwise it may read all links.
    (table) =>
      `EXISTS (SELECT 1 FROM ${table} AS r WHERE r.project_id = c.project_id AND r.id = c.record_id OFFSET 0)`,
  );
  await execute(
    trx,
    `DELETE FROM counters AS c
      USING unnest(:projects::text[], :ids::text[]) AS added(project_id, record_id)
      WHERE c.project_id = added.project_id AND c.record_id = added.record_id
        AND NOT (${isThere.join(' OR ')})`,
    {
      projects: counters.map(({ project_id }) => project_id),
      ids: counters.map(({ record_id }) => record_id),
    },
  );
}

/** Increments for the counters of one customer. */
interface CustomerIncrements {
  project_id: string;
  customer_id: string;
  leads: number;
  sales: number;
  /** Less refunds. */
  sale_amount_cents: number;
  refund_amount_cents: number;
  last_seen_at: string | null;
}

/** Columns of an event that counters of customers depend on. */
type CountedEvent = Pick<EventRow, 'project_id' | 'customer_id' | 'event' | 'amount_cents'>;

/** Columns of increments, with their types. */
const CUSTOMER_COLUMNS = {
  project_id: 'text',
  customer_id: 'text',
  leads: 'bigint',
  sales: 'bigint',
  sale_amount_cents: 'bigint',
  refund_amount_cents: 'bigint',
  last_seen_at: 'timestamptz',
} as const satisfies Record<keyof CustomerIncrements, string>;

/** Increments of leads, sales and refunds for the counters of their customers. */
export class CustomerSums {
  readonly #sums = new Map<string, CustomerIncrements>();

  add(row: CountedEvent & Pick<EventRow, 'occurred_at'>): void {
    const sum = this.#count(row, 1);
    if (sum === undefined || row.event === 'refund') return;
    if (sum.last_seen_at === null || row.occurred_at > sum.last_seen_at) {
      sum.last_seen_at = row.occurred_at;
    }
  }

  /** Notes that a customer was seen, by a click without a lead or sale. */
  see({ projectId, customerId, at }: SeenCustomer): void {
    const sum = this.#sumOf({ project_id: projectId }, customerId);
    const time = at.toISOString();
    if (sum.last_seen_at === null || time > sum.last_seen_at) sum.last_seen_at = time;
  }

  /** Subtracts an event that was deleted. When its customer was seen last does not change. */
  subtract(row: CountedEvent): void {
    this.#count(row, -1);
  }

  /** Adds the amount of an event that was counted before. */
  addAmount(row: CountedEvent): void {
    if (row.customer_id !== null) addCustomerAmount(this.#sumOf(row, row.customer_id), row, 1);
  }

  /** Returns the increments by customer. */
  list(): CustomerIncrements[] {
    return [...this.#sums.values()];
  }

  #count(row: CountedEvent, factor: 1 | -1): CustomerIncrements | undefined {
    if (row.customer_id === null) return undefined;
    const sum = this.#sumOf(row, row.customer_id);
    if (row.event === 'lead') sum.leads += factor;
    if (row.event === 'sale') sum.sales += factor;
    addCustomerAmount(sum, row, factor);
    return sum;
  }

  #sumOf(
    { project_id }: Pick<CountedEvent, 'project_id'>,
    customer_id: string,
  ): CustomerIncrements {
    let sum = this.#sums.get(customer_id);
    if (sum === undefined) {
      sum = {
        project_id,
        customer_id,
        leads: 0,
        sales: 0,
        sale_amount_cents: 0,
        refund_amount_cents: 0,
        last_seen_at: null,
      };
      this.#sums.set(customer_id, sum);
    }
    return sum;
  }
}

function addCustomerAmount(
  sum: CustomerIncrements,
  { event, amount_cents }: CountedEvent,
  factor: 1 | -1,
): void {
  if (amount_cents === null) return;
  const { sold, refunded } = amountsOf(event, amount_cents);
  sum.sale_amount_cents += factor * sold;
  sum.refund_amount_cents += factor * refunded;
}

/**
 * Adds events, and clicks without a lead or sale, to the counters of their customers. A transaction
 * does so once, at its end: these are the last rows that it locks, so that none waits for another in
 * a circle.
 */
export async function countCustomers(
  trx: Db,
  events: readonly EventRow[],
  seen: readonly SeenCustomer[] = [],
): Promise<void> {
  const sums = new CustomerSums();
  for (const event of events) sums.add(event);
  for (const one of seen) sums.see(one);
  await addToCustomers(trx, sums);
}

/**
 * Adds increments to the counters of their customers, or of those into whom they were merged; those
 * of erased customers are left out.
 */
export async function addToCustomers(trx: Db, counted: CustomerSums): Promise<void> {
  const sums = counted.list();
  const added = await increase(trx, sums);
  const others = sums.filter(({ customer_id }) => !added.has(customer_id));
  if (others.length === 0) return;
  const aliases = await rows<{ merged_id: string; customer_id: string }>(
    trx,
    `SELECT merged_id, customer_id FROM customer_aliases
      WHERE project_id = ANY(:projects) AND merged_id = ANY(:ids) ORDER BY customer_id`,
    {
      projects: [...new Set(others.map(({ project_id }) => project_id))],
      ids: others.map(({ customer_id }) => customer_id),
    },
  );
  for (const { merged_id, customer_id } of aliases) {
    const sum = others.find((other) => other.customer_id === merged_id)!;
    await increase(trx, [{ ...sum, customer_id }]);
  }
}

/**
 * Adds increments, of which each customer has at most one.
 *
 * @returns ids of those who have counters
 */
async function increase(
  trx: Db,
  sums: readonly CustomerIncrements[],
): Promise<ReadonlySet<string>> {
  if (sums.length === 0) return new Set();
  const columns = Object.entries(CUSTOMER_COLUMNS);
  const names = Object.keys(CUSTOMER_COLUMNS) as (keyof typeof CUSTOMER_COLUMNS)[];
  const amount = (name: string) => bigintSql(`c.${name}::numeric + sum.${name}`);
  const added = await rows<{ customer_id: string }>(
    trx,
    `WITH sum AS MATERIALIZED (
       SELECT * FROM unnest(${columns.map(([name, type]) => `:${name}::${type}[]`).join(', ')})
                  AS sum(${names.join(', ')})),
     locked AS MATERIALIZED (
       SELECT c.project_id, c.customer_id FROM customer_counters c
         JOIN sum ON sum.project_id = c.project_id AND sum.customer_id = c.customer_id
        ORDER BY c.project_id, c.customer_id FOR UPDATE OF c)
     UPDATE customer_counters AS c
        SET leads = c.leads + sum.leads, sales = c.sales + sum.sales,
            sale_amount_cents = ${amount('sale_amount_cents')},
            refund_amount_cents = ${amount('refund_amount_cents')},
            last_seen_at = greatest(c.last_seen_at, sum.last_seen_at)
       FROM locked JOIN sum ON sum.project_id = locked.project_id AND sum.customer_id = locked.customer_id
      WHERE c.project_id = locked.project_id AND c.customer_id = locked.customer_id
      RETURNING c.customer_id`,
    Object.fromEntries(names.map((name) => [name, sums.map((sum) => sum[name])])),
  );
  return new Set(added.map(({ customer_id }) => customer_id));
}

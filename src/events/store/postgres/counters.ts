import { bigintSql, type Db, execute, rows } from '../../../infra/db.ts';
import type { EventRow } from '../../event.ts';
import { COUNTERS, type Counter, kindOf, type StoredKind } from '../../kinds.ts';

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

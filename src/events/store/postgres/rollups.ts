import { type Db, execute, rows } from '../../../infra/db.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../../dimensions.ts';

/*
 * Rollups. A row has the counts of all values of a dimension (`counts.ts`), for one owner and kind of event in one period:
 *
 *   step   period          counts         quarters
 *   d      a day of UTC    by value id    of fine dimensions (`isFineIn`), by value id times 96 plus the quarter of an hour
 *   m      a month of UTC  by value id    –
 *
 * Events are added as rows of `rollup_deltas` in the transaction that stores them (`deltas.ts`), which are merged into
 * rollups later (`compact.ts`). Counts are the sum of both at every moment. Rows of `rollup_deltas` are of days; their
 * counts are those of quarters where the dimension is fine.
 */

/** Quarters of an hour of a day. */
export const QUARTERS = 96;
export const QUARTER_MS = 15 * 60_000;
export const DAY_MS = QUARTERS * QUARTER_MS;

/** SQL of the value of a dimension, of an event `e`; NULL where the event has none. */
export function valueSql(name: DimensionName): string {
  const { columns, isUtm, isPage } = dimensionOf(name);
  // Most destinations have none, and need no call.
  if (isUtm) return "CASE WHEN position('utm_' IN e.url) > 0 THEN utm_value(e.url) END";
  if (isPage) return pageSql('e.url');
  if (columns.length === 0) return "''";
  return columns.map((column) => `e.${column}`).join(" || E'\\t' || ");
}

/** SQL of a destination without its query and fragment, as `pageOf` returns it. */
export const pageSql = (url: string): string =>
  `split_part(split_part(${url}, '#', 1), chr(63), 1)`;

/** Owners of rollups: domains, or single links and QR codes. */
export type Scope = 'domain' | 'record';

/** The table of rollups of each scope, and the column of its owner. */
export const TABLES = {
  domain: {
    table: 'rollups',
    key: 'domain',
  },
  record: {
    table: 'record_rollups',
    key: 'record_id',
  },
} as const satisfies Record<Scope, object>;

/** The dimensions that have rollups. Single links and QR codes are not counted by themselves. */
export const namesOf = (scope: Scope): DimensionName[] =>
  DIMENSION_NAMES.filter((name) => {
    const { isRaw, rolledUpAs } = dimensionOf(name);
    return !isRaw && rolledUpAs === undefined && (scope === 'domain' || name !== 'record');
  });

/**
 * True where days are counted by quarters of an hour too: of single records only the number of events is, since all
 * values of the few events that most days of a record have would be stored twice.
 */
export const isFineIn = (scope: Scope, name: DimensionName): boolean =>
  scope === 'domain' || name === 'all';

/*
 * The advisory lock of a workspace's events and rollups. Transactions that store or delete events take it shared, those
 * that derive rollups from events take it exclusively; it is held until the transaction ends. It is taken by a statement
 * of its own: the statements after it see everything that was committed before the lock was granted.
 */

const LOCK_KEY = "hashtextextended('rollups ' || id, 0)";

/** Waits while rollups of one of these workspaces are being derived; the ids may repeat. */
export async function shareEvents(trx: Db, projectIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock_shared(${LOCK_KEY}) FROM unnest(?::text[]) AS id`,
    // In the order of their ids, as everywhere.
    [[...new Set(projectIds)].toSorted()],
  );
}

/** As {@link shareEvents}, without waiting. @returns the workspaces whose rollups are being derived */
export async function tryShareEvents(
  trx: Db,
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT id FROM unnest(?::text[]) AS id WHERE NOT pg_try_advisory_xact_lock_shared(${LOCK_KEY})`,
    [[...new Set(projectIds)]],
  );
  return new Set(found.map(({ id }) => id));
}

/** Waits for the transactions that change the rollups of a workspace, other than by adding to `rollup_deltas`. */
export async function lockRollups(trx: Db, projectId: string): Promise<void> {
  await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('merge ' || ?, 0))", [
    projectId,
  ]);
}

/** Waits for the transactions that store or delete events of a workspace, and blocks new ones. */
export async function lockEvents(trx: Db, projectId: string): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock(${LOCK_KEY}) FROM (SELECT ?::text AS id) AS workspace`,
    [projectId],
  );
}

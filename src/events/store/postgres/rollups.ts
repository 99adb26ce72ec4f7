import { type Db, execute, rows } from '../../../infra/db.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../../dimensions.ts';

/*
 * Rollups. A row has the counts of all values of a dimension (`counts.ts`), for one owner and event
 * kind in one period:
 *
 *   step   period          counts         quarters
 *   d      a day of UTC    by value id    of fine dimensions (`isFineIn`), by value id times 96 plus
 *                                         the quarter-hour
 *   m      a month of UTC  by value id    –
 *
 * The transaction that stores events also adds rows to `rollup_deltas` (`deltas.ts`), which are
 * merged into rollups later (`compact.ts`). At every moment, the counts are the sum of both. Rows
 * of `rollup_deltas` cover days; for fine dimensions, their counts are by quarter-hour.
 */

/** Number of quarter-hours in a day. */
export const QUARTERS = 96;
export const QUARTER_MS = 15 * 60_000;
export const DAY_MS = QUARTERS * QUARTER_MS;

/** Builds SQL of the value of a dimension for an event `e`; NULL if the event has none. */
export function valueSql(name: DimensionName): string {
  const { columns, isUtm, isPage } = dimensionOf(name);
  // Most destinations have no UTM parameters, and need no function call.
  if (isUtm) return "CASE WHEN position('utm_' IN e.url) > 0 THEN utm_value(e.url) END";
  if (isPage) return pageSql('e.url');
  if (columns.length === 0) return "''";
  return columns.map((column) => `e.${column}`).join(" || E'\\t' || ");
}

/** SQL that strips query and fragment from a destination, like `pageOf`. */
export const pageSql = (url: string): string =>
  `split_part(split_part(${url}, '#', 1), chr(63), 1)`;

/** Type of the owner of rollups: a domain, or a single link or QR code. */
export type Scope = 'domain' | 'record';

/** Table of rollups for each scope, and the column of its owner. */
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

/** Lists the dimensions that have rollups. For single links and QR codes, `record` is left out. */
export const namesOf = (scope: Scope): DimensionName[] =>
  DIMENSION_NAMES.filter((name) => {
    const { isRaw, rolledUpAs } = dimensionOf(name);
    return !isRaw && rolledUpAs === undefined && (scope === 'domain' || name !== 'record');
  });

/**
 * Returns true if days are also counted by quarter-hour. For single records only the number of
 * events is: on most days a record has few events, and all their values would be stored twice.
 */
export const isFineIn = (scope: Scope, name: DimensionName): boolean =>
  scope === 'domain' || name === 'all';

/*
 * The advisory lock of a workspace's events and rollups. Transactions that store or delete events
 * take it shared; those that derive rollups from events take it exclusively. It is held until the
 * transaction ends. A separate statement takes it, so that the following statements see everything
 * committed before the lock was granted.
 */

const LOCK_KEY = "hashtextextended('rollups ' || id, 0)";

/** Waits while rollups of one of these workspaces are being derived; the ids may repeat. */
export async function shareEvents(trx: Db, projectIds: readonly string[]): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock_shared(${LOCK_KEY}) FROM unnest(?::text[]) AS id`,
    // In order of id, as in all transactions.
    [[...new Set(projectIds)].toSorted()],
  );
}

/**
 * Takes the lock like {@link shareEvents}, without waiting.
 *
 * @returns the workspaces whose rollups are being derived
 */
export async function tryShareEvents(
  trx: Db,
  projectIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const busy = await rows<{ id: string }>(
    trx,
    `SELECT id FROM unnest(?::text[]) AS id WHERE NOT pg_try_advisory_xact_lock_shared(${LOCK_KEY})`,
    [[...new Set(projectIds)]],
  );
  return new Set(busy.map(({ id }) => id));
}

/**
 * Waits for transactions that change the rollups of a workspace in other ways than by adding to
 * `rollup_deltas`.
 */
export async function lockRollups(trx: Db, projectId: string): Promise<void> {
  await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('merge ' || ?, 0))", [
    projectId,
  ]);
}

/** Waits for transactions that store or delete events of a workspace, and blocks new ones. */
export async function lockEvents(trx: Db, projectId: string): Promise<void> {
  await execute(
    trx,
    `SELECT pg_advisory_xact_lock(${LOCK_KEY}) FROM (SELECT ?::text AS id) AS workspace`,
    [projectId],
  );
}

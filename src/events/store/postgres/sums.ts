import { copyBinary } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { rows } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import type { StoredKind } from '../../kinds.ts';
import { type Counts, readVisited } from './counts.ts';
import { visitorsOf } from './query-counts.ts';
import { type Block, isWhole, RowsById } from './read-blocks.ts';

/*
 * Sums of blocks. The events of some successive blocks are counted once, by every dimension: those
 * of the whole workspace, and those of each link or QR code with at least {@link MANY} of them. A
 * query without a filter, or about one link or QR code, adds these counts (`build-sums.ts`).
 */

/** Number of events in the blocks of a sum from which a link or QR code has counts of its own. */
export const MANY = 2_000;

/** The owner of the counts of a whole workspace. */
export const WORKSPACE = '';

/**
 * Returns the sums whose blocks are all among these and are read completely.
 *
 * A block that is emptied leaves its sum, which then has fewer blocks.
 */
export function wholeSums(blocks: readonly Block[]): Set<number> {
  const found = new Map<number, number>();
  for (const block of blocks) {
    const { sumId } = block;
    if (sumId !== null && isWhole(block)) found.set(sumId, (found.get(sumId) ?? 0) + 1);
  }
  return new Set(
    blocks.flatMap(({ sumId, sumBlocks }) =>
      sumId !== null && found.get(sumId) === sumBlocks ? [sumId] : [],
    ),
  );
}

/** Finds which of these sums have counts of a link or QR code. */
export async function sumsOfRecord(
  trx: Db,
  projectId: string,
  record: string,
  sums: ReadonlySet<number>,
): Promise<Set<number>> {
  if (sums.size === 0) return new Set();
  const found = await rows<{ id: number }>(
    trx,
    `SELECT DISTINCT sum_id AS id FROM event_block_counts
      WHERE project_id = :projectId AND sum_id = ANY(:sums::bigint[]) AND owner = :record AND dimension = 'all'`,
    { projectId, sums: [...sums], record },
  );
  return new Set(found.map(({ id }) => id));
}

/** The counts of sums that a query adds up. */
interface SumsQuery {
  projectId: string;
  sums: ReadonlySet<number>;
  owner: string;
  dimension: DimensionName;
  by: 'value' | 'quarter';
  /** Kinds of which the visitors are read too. */
  visited: readonly StoredKind[];
}

/** Adds the counts of sums to the counts of a query by the kinds under which events are stored. */
export async function addSums(
  trx: Db,
  { projectId, sums, owner, dimension, by, visited }: SumsQuery,
  byStoredKind: ReadonlyMap<StoredKind, Counts>,
): Promise<void> {
  if (sums.size === 0) return;
  const isTotal = by === 'value' && dimension === 'all';
  const reader = new RowsById((_, ofSum) => {
    for (const [event, counts] of byStoredKind) {
      const packed = ofSum.get(event)?.[2];
      if (packed == null) continue;
      const visitors = ofSum.get(visitorsOf(event))?.[2] ?? null;
      readVisited(packed, visitors, (id, n, amount, ofVisitors) =>
        counts.add(isTotal ? 0 : id, n, amount, ofVisitors),
      );
    }
  });
  await copyBinary(
    trx,
    `SELECT sum_id, event, counts FROM event_block_counts
      WHERE project_id = :projectId AND sum_id = ANY(:sums::bigint[]) AND owner = :owner
        AND dimension = :dimension AND event = ANY(:events::text[])
      ORDER BY sum_id`,
    {
      projectId,
      sums: [...sums],
      owner,
      dimension,
      events: [...byStoredKind.keys(), ...visited.map(visitorsOf)],
    },
    (row) => reader.add(row),
  );
  reader.end();
}

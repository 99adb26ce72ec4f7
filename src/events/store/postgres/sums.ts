import { copyBinary } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { rows } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import { readCounts } from './counts.ts';
import type { CountsByNumber } from './query-counts.ts';
import { type Block, isWhole } from './read-blocks.ts';

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
}

/** Adds the counts of sums to counts by the names under which sums have them. */
export async function addSums(
  trx: Db,
  { projectId, sums, owner, dimension, by }: SumsQuery,
  counts: CountsByNumber,
): Promise<void> {
  if (sums.size === 0) return;
  const isTotal = by === 'value' && dimension === 'all';
  await copyBinary(
    trx,
    `SELECT event, counts FROM event_block_counts
      WHERE project_id = :projectId AND sum_id = ANY(:sums::bigint[]) AND owner = :owner
        AND dimension = :dimension AND event = ANY(:events::text[])`,
    { projectId, sums: [...sums], owner, dimension, events: [...counts.keys()] },
    ([event, packed]) => {
      const ofName = counts.get(event!.toString())!;
      readCounts(packed!, (id, n, amount) => ofName.add(isTotal ? 0 : id, n, amount));
    },
  );
}

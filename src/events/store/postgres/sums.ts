import { copyBinary } from '../../../infra/copy.ts';
import type { Db } from '../../../infra/db.ts';
import { rows } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import type { StoredKind } from '../../kinds.ts';
import { type Counts, readVisited, totalOf } from './counts.ts';
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

/**
 * Blocks that must be left out at least, in place of reading the sum and asking for its other
 * blocks, which cost about as much as these.
 */
const SPARED = 3;

/**
 * Finds the sums of which an interval leaves out fewer blocks than it contains: it is faster to
 * read such a sum, and to subtract the events outside the interval.
 *
 * @param blocks blocks of the interval
 * @returns the sums, and the parts of their blocks outside the interval
 */
export async function cutSums(
  trx: Db,
  projectId: string,
  blocks: readonly Block[],
  [start, end]: readonly [Date, Date],
): Promise<{ sums: Set<number>; outside: Block[] }> {
  // Only the first and the last sum can have blocks outside.
  const ends = new Set([blocks.at(0), blocks.at(-1)].flatMap((block) => block?.sumId ?? []));
  const cut = [...ends].flatMap((id) => {
    const inside = blocks.filter(({ sumId }) => sumId === id);
    const missing = (inside[0]?.sumBlocks ?? 0) - inside.length;
    const left = missing + inside.filter((block) => !isWhole(block)).length;
    return left > 0 && inside.length >= left + SPARED ? [{ id, inside, missing }] : [];
  });
  const most = Math.max(0, ...cut.map(({ missing }) => missing));
  const beside = most === 0 ? [] : await findBeside(trx, projectId, [start, end], most);
  const sums = new Set<number>();
  const outside: Block[] = [];
  for (const { id, inside, missing } of cut) {
    const others = beside.filter(({ sumId }) => sumId === id);
    // A sum that has lost a block is no longer valid.
    if (others.length !== missing) continue;
    sums.add(id);
    outside.push(...others, ...inside.flatMap(outsideOf));
  }
  return { sums, outside };
}

/** Finds the built blocks next to an interval, a number of them on each side. */
const findBeside = (
  trx: Db,
  projectId: string,
  [start, end]: readonly [Date, Date],
  limit: number,
): Promise<Block[]> =>
  rows<Block>(
    trx,
    `SELECT id, size, from_at::text AS "from", to_at::text AS "to", false AS "isCutBefore", false AS "isCutAfter",
            sum_id AS "sumId", NULL AS "sumBlocks"
       FROM ((SELECT * FROM event_blocks WHERE project_id = :projectId AND to_at <= :start ORDER BY to_at DESC LIMIT :limit)
             UNION ALL
             (SELECT * FROM event_blocks WHERE project_id = :projectId AND to_at > :end AND from_at >= :end ORDER BY to_at LIMIT :limit)) AS beside
      WHERE size IS NOT NULL`,
    { projectId, start, end, limit },
  );

/** Returns the parts of a block before and after the part that is read. */
const outsideOf = (block: Block): Block[] => [
  ...(block.isCutBefore
    ? [{ ...block, to: block.from, isCutBefore: false, isCutAfter: true }]
    : []),
  ...(block.isCutAfter ? [{ ...block, from: block.to, isCutBefore: true, isCutAfter: false }] : []),
];

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
      if (isTotal) {
        const { count, amount } = totalOf(packed);
        counts.add(0, count, amount, visitors === null ? 0 : totalOf(visitors).count);
      } else {
        readVisited(packed, visitors, (id, n, amount, ofVisitors) =>
          counts.add(id, n, amount, ofVisitors),
        );
      }
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

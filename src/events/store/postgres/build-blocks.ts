import { setTimeout as wait } from 'node:timers/promises';
import { copyFrom, copyInto } from '../../../infra/copy.ts';
import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { emptyBlocks } from '../../../infra/metrics.ts';
import { STORED_KINDS } from '../../kinds.ts';
import { noteStored } from './append.ts';
import { BLOCK_COLUMNS, BLOCK_FORMAT, BlockColumns, type PackedColumn } from './block-columns.ts';
import { BLOCKS_OF_SUM, type SumOptions, sumBlocks } from './build-sums.ts';
import { eachWorkspace } from './each-workspace.ts';
import { eventOf } from './event-counter.ts';
import { valueIds } from './values.ts';

/*
 * Blocks. The events of a workspace up to some time are divided into blocks of successive times;
 * newer events are in none. A query reads blocks, and the events of times without a built block
 * (`read-blocks.ts`).
 *
 *   empty ──▶ claimed ──▶ built
 *   built ──an event of its time is stored or deleted (`empty-blocks.ts`)──▶ empty
 *
 * Each arrow is a transaction. The events of a claimed block are read once all transactions that
 * ran at the time of the claim have ended, because those may have stored events without seeing the
 * claim. Later transactions see the claim, and remove it if they change an event of the block,
 * which then is not built. No transaction waits for a block to be built.
 */

/** Number of events in a block. */
const BLOCK = 32_768;
/**
 * Number of newest events that stay outside of blocks, and the time for which all do, in ms, because
 * late events arrive among them.
 */
const NEWEST = 4_096;
const SETTLE_MS = 10_000;
/** Maximum number of blocks that are divided or claimed at a time. */
const DIVIDED = 8;
/** Time limit of the wait for transactions that ran when blocks were claimed, in ms. */
const WAIT_MS = 2_000;
const PAUSE_MS = 20;
/** Time limit of a run, in ms, so that no workspace waits long for another. */
const BUILD_MS = 8_000;

/** Number of new events from which a workspace is divided. */
const LEAST = 8_192;

/** Sizes of blocks and sums. */
interface BlockSizes {
  /** Number of events in a block. */
  block: number;
  /** Number of newest events that stay outside of blocks. */
  newest: number;
  /** Age of the events that blocks contain, in ms. */
  settleMs: number;
  /** Number of blocks in a sum, and of their events from which a record has counts of its own. */
  sum?: SumOptions;
}

/** Divides the newest events of workspaces into blocks, builds the empty blocks, and sums them up. */
export async function buildBlocks(log: Log): Promise<void> {
  const until = performance.now() + BUILD_MS;
  await joinStored();
  await eachWorkspace(
    await findUnbuilt(),
    async ({ id }) => {
      if (performance.now() <= until) await buildBlocksOf(id, until);
    },
    log,
  );
}

/**
 * Divides the newest events of a workspace into blocks, builds the empty ones, and sums them up.
 *
 * @param until time of `performance.now()` after which the rest is left to the next run
 */
export async function buildBlocksOf(
  projectId: string,
  until: number,
  { sum, ...sizes }: BlockSizes = { block: BLOCK, newest: NEWEST, settleMs: SETTLE_MS },
): Promise<void> {
  await divideNewest(projectId, sizes);
  await divideEmpty(projectId, sizes.block);
  await buildEmpty(projectId, until);
  await sumBlocks(projectId, until, sum);
}

/** Joins the numbers of stored events of each workspace. */
async function joinStored(): Promise<void> {
  await execute(
    db(),
    `WITH several AS (SELECT project_id FROM events_stored GROUP BY project_id HAVING count(*) > 1),
          taken AS (
            DELETE FROM events_stored s USING several
             WHERE s.project_id = several.project_id RETURNING s.project_id, s.count)
     INSERT INTO events_stored (project_id, count)
     SELECT project_id, least(sum(count), 1000000000)::int FROM taken GROUP BY project_id`,
  );
}

/** Finds workspaces with many new events, with empty blocks, or without sums. */
async function findUnbuilt(): Promise<{ id: string }[]> {
  const empty = await rows<{ id: string; count: number }>(
    db(),
    `SELECT project_id AS id, count(*)::int AS count FROM event_blocks WHERE size IS NULL GROUP BY project_id`,
  );
  emptyBlocks.set(empty.reduce((sum, { count }) => sum + count, 0));
  const others = await rows<{ id: string }>(
    db(),
    `SELECT project_id AS id FROM events_stored GROUP BY project_id HAVING sum(count) >= ${LEAST}
      UNION
     SELECT project_id FROM event_blocks WHERE sum_id IS NULL GROUP BY project_id HAVING count(*) >= ${BLOCKS_OF_SUM}`,
  );
  const ids = new Set([...others, ...empty].map(({ id }) => id));
  return Array.from(ids, (id) => ({ id }));
}

/** A workspace with blocks to be built. */
export interface PendingBlocks {
  workspace: string;
  blocks: number;
}

/** Lists the workspaces with blocks to be built. */
export function pendingBlocks(connection: Db): Promise<PendingBlocks[]> {
  return rows<PendingBlocks>(
    connection,
    `SELECT w.slug AS workspace, count(*)::int AS blocks
       FROM event_blocks b JOIN workspaces w ON w.id = b.project_id
      WHERE b.size IS NULL GROUP BY w.slug ORDER BY w.slug`,
  );
}

/** Recreates the blocks of a workspace without content; the next runs build them. */
export async function resetBlocks(trx: Db, projectId: string): Promise<void> {
  await lockBlocks(trx, projectId);
  await execute(trx, 'DELETE FROM event_blocks WHERE project_id = ?', [projectId]);
  await execute(
    trx,
    `INSERT INTO event_blocks (project_id, from_at, to_at) SELECT ?, '-infinity', now()`,
    [projectId],
  );
}

/** Waits for transactions that divide the time of a workspace into blocks. */
async function lockBlocks(trx: Db, projectId: string): Promise<void> {
  await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('blocks ' || ?, 0))", [
    projectId,
  ]);
}

/** Adds blocks for the events after the last block, except for the newest events. */
async function divideNewest(
  projectId: string,
  { block, newest, settleMs }: { block: number; newest: number; settleMs: number },
): Promise<void> {
  const divide = async (trx: Db) => {
    await lockBlocks(trx, projectId);
    const [last] = await rows<{ from: string }>(
      trx,
      `SELECT coalesce(max(to_at), '-infinity')::text AS "from" FROM event_blocks WHERE project_id = ?`,
      [projectId],
    );
    const { from } = last!;
    // Before the events are read, so that numbers of later ones stay.
    await execute(trx, 'DELETE FROM events_stored WHERE project_id = ?', [projectId]);
    const { cuts } = await cutsOf(trx, projectId, [from, 'infinity'], block, newest);
    const settled = cuts.filter((cut) => new Date(cut).getTime() <= Date.now() - settleMs);
    if (settled.length < cuts.length) await noteStored(trx, [[projectId, block]]);
    if (settled.length > 0) await insertBlocks(trx, projectId, [from, ...settled]);
    return settled.length > 0;
  };
  while (await db().transaction((trx) => divide(trx)));
}

/** Divides empty blocks that contain the events of several. */
async function divideEmpty(projectId: string, block: number): Promise<void> {
  const divide = async (trx: Db, after: number) => {
    await lockBlocks(trx, projectId);
    const [empty] = await rows<{ id: number; from: string; to: string }>(
      trx,
      `SELECT id, from_at::text AS "from", to_at::text AS "to" FROM event_blocks
        WHERE project_id = ? AND size IS NULL AND id > ? ORDER BY id LIMIT 1 FOR UPDATE`,
      [projectId, after],
    );
    if (empty === undefined) return undefined;
    const { id, from, to } = empty;
    const { cuts } = await cutsOf(trx, projectId, [from, to], block, block);
    if (cuts.length === 0) return id;
    await insertBlocks(trx, projectId, [from, ...cuts]);
    const sql = 'UPDATE event_blocks SET from_at = ?, claim = NULL WHERE project_id = ? AND id = ?';
    await execute(trx, sql, [cuts.at(-1)!, projectId, id]);
    return id - 1;
  };
  for (let after: number | undefined = 0; after !== undefined; ) {
    const last: number = after;
    after = await db().transaction((trx) => divide(trx, last));
  }
}

/**
 * Finds the times at which blocks end, and the number of events that were read.
 *
 * @param rest number of events that must follow the end of a block
 */
async function cutsOf(
  trx: Db,
  projectId: string,
  [from, to]: readonly [string, string],
  block: number,
  rest: number,
): Promise<{ cuts: string[]; count: number }> {
  const limit = DIVIDED * block + rest;
  const [cutsRow] = await rows<{ cuts: string[] | null; count: number }>(
    trx,
    `WITH times AS MATERIALIZED (
       SELECT occurred_at AS at, row_number() OVER (ORDER BY occurred_at) AS number
         FROM (SELECT e.occurred_at FROM unnest(:events::text[]) AS kind(event)
                CROSS JOIN LATERAL (SELECT occurred_at FROM events
                                     WHERE project_id = :projectId AND event = kind.event
                                       AND occurred_at >= :from::timestamptz AND occurred_at < :to::timestamptz
                                     ORDER BY occurred_at LIMIT :limit) AS e
                ORDER BY occurred_at LIMIT :limit) AS first)
     SELECT least(:limit, (SELECT count(*) FROM times)) AS count,
            (SELECT array_agg(DISTINCT at::text) FROM times
              WHERE (number - 1) % :block = 0 AND number > 1 AND at > :from::timestamptz
                AND number + :rest - 1 <= (SELECT count(*) FROM times)) AS cuts`,
    { projectId, events: STORED_KINDS, from, to, limit, block, rest },
  );
  const { cuts, count } = cutsRow!;
  return { cuts: (cuts ?? []).toSorted(byTime), count };
}

/**
 * Compares times of one zone as Postgres writes them: with different lengths, and all after the
 * year 1.
 */
const byTime = (a: string, b: string): number =>
  new Date(a).getTime() - new Date(b).getTime() || (a < b ? -1 : 1);

/** Adds empty blocks from each of these times to the next. */
async function insertBlocks(trx: Db, projectId: string, times: readonly string[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO event_blocks (project_id, from_at, to_at)
     SELECT :projectId::text, * FROM unnest(:from::timestamptz[], :to::timestamptz[])`,
    { projectId, from: times.slice(0, -1), to: times.slice(1) },
  );
}

interface Claimed {
  id: number;
  claim: number;
  from: string;
  to: string;
}

/** Builds the empty blocks of a workspace, newest first. */
async function buildEmpty(projectId: string, until: number): Promise<void> {
  for (const tried = new Set<number>(); performance.now() < until; ) {
    const claimed = await claimBlocks(projectId, [...tried]);
    if (claimed.length === 0) return;
    for (const { id } of claimed) tried.add(id);
    if (!(await othersEnded())) return;
    for (const block of claimed) await buildBlock(projectId, block);
  }
}

/**
 * Claims some empty blocks. Blocks locked by a transaction that empties several in another order
 * are left to the next run, because waiting for it could deadlock.
 */
const claimBlocks = (projectId: string, tried: readonly number[]): Promise<Claimed[]> =>
  rows<Claimed>(
    db(),
    `WITH empty AS MATERIALIZED (
       SELECT id FROM event_blocks
        WHERE project_id = :projectId AND size IS NULL AND id <> ALL(:tried::bigint[])
        ORDER BY to_at DESC LIMIT ${DIVIDED} FOR UPDATE SKIP LOCKED)
     UPDATE event_blocks b SET claim = pg_current_xact_id()::text::bigint
       FROM empty
      WHERE b.project_id = :projectId AND b.id = empty.id
     RETURNING b.id, b.claim, b.from_at::text AS "from", b.to_at::text AS "to"`,
    { projectId, tried },
  );

/**
 * Waits until all transactions that are running now have ended. Returns false if one takes too
 * long.
 */
async function othersEnded(): Promise<boolean> {
  const [now] = await rows<{ next: string }>(
    db(),
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
  );
  for (const began = performance.now(); performance.now() - began < WAIT_MS; ) {
    const [row] = await rows<{ hasEnded: boolean }>(
      db(),
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ?::xid8 AS "hasEnded"',
      [now!.next],
    );
    if (row!.hasEnded) return true;
    await wait(PAUSE_MS);
  }
  return false;
}

/** Builds a claimed block unless it was changed meanwhile. */
async function buildBlock(projectId: string, block: Claimed): Promise<void> {
  const columns = new BlockColumns(projectId);
  await db().transaction((trx) =>
    copyFrom(
      trx,
      `SELECT (extract(epoch FROM occurred_at) * 1000000)::bigint, ${BLOCK_COLUMNS.join(', ')} FROM events
        WHERE project_id = :projectId AND event = ANY(:events)
          AND occurred_at >= :from::timestamptz AND occurred_at < :to::timestamptz
        ORDER BY occurred_at, id`,
      { projectId, events: STORED_KINDS, from: block.from, to: block.to },
      (copied) => {
        for (const row of copied) {
          const [continent, via, key] = row.slice(1 + BLOCK_COLUMNS.length - 3);
          columns.add(
            { ...eventOf(row), continent: continent!, via: via as 'link' | 'qr', key: key! },
            Number(row[0]),
          );
        }
      },
    ),
  );
  const packed = columns.pack(await valueIds(db(), columns.requestedValues()));
  await db().transaction((trx) => storeBlock(trx, projectId, block, columns.size, packed));
}

async function storeBlock(
  trx: Db,
  projectId: string,
  { id, claim }: Claimed,
  size: number,
  packed: readonly PackedColumn[],
): Promise<void> {
  const isClaimed = 'project_id = :projectId AND id = :id AND claim = :claim';
  const bindings = { projectId, id, claim, size };
  if (size === 0) {
    await execute(trx, `DELETE FROM event_blocks WHERE ${isClaimed}`, bindings);
    return;
  }
  const sql = `UPDATE event_blocks SET size = :size, claim = NULL, format = ${BLOCK_FORMAT} WHERE ${isClaimed}`;
  if ((await execute(trx, sql, bindings)) === 0) return;
  await trx('event_block_columns').where({ project_id: projectId, block_id: id }).delete();
  await copyInto(
    trx,
    'event_block_columns',
    ['project_id', 'block_id', 'name', 'dictionary', 'codes'],
    packed.map(({ name, dictionary, codes }) => [projectId, id, name, dictionary, codes]),
  );
}

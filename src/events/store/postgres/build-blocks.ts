import { setTimeout as wait } from 'node:timers/promises';
import { copyFrom, copyInto } from '../../../infra/copy.ts';
import { type Db, db, execute, rows } from '../../../infra/db.ts';
import type { Log } from '../../../infra/log.ts';
import { EVENT_KINDS } from '../../kinds.ts';
import { BLOCK_COLUMNS, BlockColumns, type PackedColumn } from './block-columns.ts';
import { eachWorkspace } from './each-workspace.ts';
import { eventOf } from './tally.ts';
import { valueIds } from './values.ts';

/*
 * Blocks. The events of a workspace up to some time are divided into blocks of successive times; those after it are in
 * none. A question reads blocks, and the events of times without a built one (`read-blocks.ts`).
 *
 *   empty ──▶ claimed ──▶ built ──▶ empty, when an event of its time is stored or deleted (`empty-blocks.ts`)
 *
 * Each arrow is a transaction. The events of a claimed block are read once all transactions have ended that ran when it
 * was claimed: those may have stored events without seeing the claim. Every later one sees it, and takes it away if it
 * changes an event of the block, which then is not built. No transaction waits for a block to be built.
 */

/** Events of a block. */
const BLOCK = 32_768;
/** Newest events that are in no block, since those that come late are among them. */
const NEWEST = 16_384;
/** Blocks that are divided at a time, and those that are claimed. */
const DIVIDED = 8;
/** Longest wait for the transactions that ran when blocks were claimed, in ms. */
const WAIT_MS = 2_000;
const PAUSE_MS = 20;
/** Longest time that a run builds, so that the next run can merge rollups meanwhile. */
const BUILD_MS = 8_000;

/** By workspace: events that it may store until its newest ones are counted again. */
const room = new Map<string, number>();

/** The size of blocks, and how long a run may take. */
interface BuildOptions {
  /** Events of a block. */
  block?: number;
  /** Newest events that are in none. */
  newest?: number;
  /** Time after which the rest is left to the next run, in ms. */
  forMs?: number;
}

/**
 * Divides the newest events of workspaces into blocks, and builds the blocks that are empty.
 *
 * @param stored number of events that workspaces have stored since the last run, by their ids
 */
export async function buildBlocks(
  log: Log,
  stored: ReadonlyMap<string, number>,
  { block = BLOCK, newest = NEWEST, forMs = BUILD_MS }: BuildOptions = {},
): Promise<void> {
  const empty = await rows<{ id: string }>(
    db(),
    'SELECT DISTINCT project_id AS id FROM event_blocks WHERE size IS NULL',
  );
  const active = [...stored].filter(([id, count]) => {
    const left = (room.get(id) ?? 0) - count;
    room.set(id, left);
    return left <= 0;
  });
  const ids = new Set([...active.map(([id]) => id), ...empty.map(({ id }) => id)]);
  const until = performance.now() + forMs;
  await eachWorkspace(
    Array.from(ids, (id) => ({ id })),
    async ({ id }) => {
      if (performance.now() > until) return;
      await divideNewest(id, block, newest);
      await divideEmpty(id, block);
      await buildEmpty(id, until);
    },
    log,
  );
}

/** Makes the blocks of a workspace anew: all of them are built by the next runs. */
export async function resetBlocks(trx: Db, projectId: string): Promise<void> {
  await lockBlocks(trx, projectId);
  await execute(trx, 'DELETE FROM event_blocks WHERE project_id = ?', [projectId]);
  await execute(
    trx,
    `INSERT INTO event_blocks (project_id, from_at, to_at) SELECT ?, '-infinity', now()`,
    [projectId],
  );
}

/** Waits for the transactions that divide the time of a workspace into blocks. */
async function lockBlocks(trx: Db, projectId: string): Promise<void> {
  await execute(trx, "SELECT pg_advisory_xact_lock(hashtextextended('blocks ' || ?, 0))", [
    projectId,
  ]);
}

/** Adds blocks of the events after the last one, but for the newest. */
async function divideNewest(projectId: string, block: number, newest: number): Promise<void> {
  const divide = async (trx: Db) => {
    await lockBlocks(trx, projectId);
    const [last] = await rows<{ from: string }>(
      trx,
      `SELECT coalesce(max(to_at), '-infinity')::text AS "from" FROM event_blocks WHERE project_id = ?`,
      [projectId],
    );
    const { from } = last!;
    const { cuts, count } = await cutsOf(trx, projectId, [from, 'infinity'], block, newest);
    room.set(projectId, block + newest - count);
    if (cuts.length > 0) await insertBlocks(trx, projectId, [from, ...cuts]);
    return cuts.length > 0;
  };
  while (await db().transaction((trx) => divide(trx)));
}

/** Divides empty blocks that have the events of several. */
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
 * Finds the times at which blocks end, and the number of events that were looked at.
 *
 * @param rest events that must come after the end of a block
 */
async function cutsOf(
  trx: Db,
  projectId: string,
  [from, to]: readonly [string, string],
  block: number,
  rest: number,
): Promise<{ cuts: string[]; count: number }> {
  const limit = DIVIDED * block + rest;
  const [found] = await rows<{ cuts: string[] | null; count: number }>(
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
    { projectId, events: EVENT_KINDS, from, to, limit, block, rest },
  );
  const { cuts, count } = found!;
  return { cuts: (cuts ?? []).toSorted(byTime), count };
}

/** Times of one zone, as Postgres writes them: of different lengths, and all after the year 1. */
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

/** Builds the empty blocks of a workspace, the newest first. */
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
 * Claims some empty blocks. Those that a transaction has locked, which empties several in another order, are left to the next run:
 * to wait for it would be a deadlock where it waits for one of these.
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

/** Waits until the transactions have ended that change anything now; false: one of them takes long. */
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

/** Builds a claimed block, unless it was changed meanwhile. */
async function buildBlock(projectId: string, block: Claimed): Promise<void> {
  const columns = new BlockColumns(projectId);
  await db().transaction((trx) =>
    copyFrom(
      trx,
      `SELECT (extract(epoch FROM occurred_at) * 1000000)::bigint, ${BLOCK_COLUMNS.join(', ')} FROM events
        WHERE project_id = :projectId AND event = ANY(:events)
          AND occurred_at >= :from::timestamptz AND occurred_at < :to::timestamptz
        ORDER BY occurred_at, id`,
      { projectId, events: EVENT_KINDS, from: block.from, to: block.to },
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
  const packed = columns.pack(await valueIds(db(), columns.wanted()));
  await db().transaction((trx) => storeBlock(trx, projectId, block, columns.size, packed));
}

async function storeBlock(
  trx: Db,
  projectId: string,
  { id, claim }: Claimed,
  size: number,
  packed: readonly PackedColumn[],
): Promise<void> {
  const mine = 'project_id = :projectId AND id = :id AND claim = :claim';
  const of = { projectId, id, claim, size };
  if (size === 0) {
    await execute(trx, `DELETE FROM event_blocks WHERE ${mine}`, of);
    return;
  }
  const sql = `UPDATE event_blocks SET size = :size, claim = NULL WHERE ${mine}`;
  if ((await execute(trx, sql, of)) === 0) return;
  await trx('event_block_columns').where({ project_id: projectId, block_id: id }).delete();
  await copyInto(
    trx,
    'event_block_columns',
    ['project_id', 'block_id', 'name', 'dictionary', 'codes'],
    packed.map(({ name, dictionary, codes }) => [projectId, id, name, dictionary, codes]),
  );
}

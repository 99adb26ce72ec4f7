import { copyInto } from '../../../infra/copy.ts';
import { type Db, db, execute, rows } from '../../../infra/db.ts';
import { type DimensionName } from '../../dimensions.ts';
import { kindOf, STORED_KINDS, type StoredKind } from '../../kinds.ts';
import { NO_MARKS } from './block-codes.ts';
import { BLOCK_FORMAT } from './block-columns.ts';
import { addAmounts, countQuarters } from './count.ts';
import { Counts } from './counts.ts';
import { COUNTED_DIMENSIONS } from './event-counter.ts';
import { visitorsOf } from './query-counts.ts';
import { type Block, type ReadBlock, readBlocks } from './read-blocks.ts';
import { MANY, WORKSPACE } from './sums.ts';
import { findIds, findValues } from './values.ts';

/** Number of blocks in a sum. */
export const BLOCKS_OF_SUM = 16;

/** Sizes of sums. */
export interface SumOptions {
  /** Number of blocks in a sum. */
  blocks: number;
  /** Number of their events from which a link or QR code has counts of its own. */
  many: number;
}

/** A built block, and the version of its row. */
interface VersionedBlock extends Block {
  version: string;
}

/**
 * Sums up the built blocks of a workspace that are in no sum, oldest first.
 *
 * @param until time of `performance.now()` after which the rest is left to the next run
 */
export async function sumBlocks(
  projectId: string,
  until: number,
  options: SumOptions = { blocks: BLOCKS_OF_SUM, many: MANY },
): Promise<void> {
  await deleteInvalid(projectId);
  while (performance.now() < until) {
    const summed = await db().transaction((trx) => countNext(trx, projectId, options), {
      isolationLevel: 'repeatable read',
      readOnly: true,
    });
    if (summed === undefined || !(await store(projectId, summed))) return;
  }
}

/** Deletes sums that have lost a block. */
async function deleteInvalid(projectId: string): Promise<void> {
  await execute(
    db(),
    `WITH gone AS (
       DELETE FROM event_block_sums s
        WHERE s.project_id = :projectId
          AND s.blocks <> (SELECT count(*) FROM event_blocks b WHERE b.project_id = :projectId AND b.sum_id = s.id)
       RETURNING id),
     left_over AS MATERIALIZED (
       SELECT b.id FROM event_blocks b JOIN gone ON gone.id = b.sum_id
        WHERE b.project_id = :projectId ORDER BY b.id FOR UPDATE OF b)
     UPDATE event_blocks b SET sum_id = NULL FROM left_over
      WHERE b.project_id = :projectId AND b.id = left_over.id`,
    { projectId },
  );
}

/** The counts of some blocks. */
interface Summed {
  blocks: VersionedBlock[];
  counts: BlockSums;
}

/** Counts the next blocks that are in no sum; `undefined` if there are too few. */
async function countNext(
  trx: Db,
  projectId: string,
  options: SumOptions,
): Promise<Summed | undefined> {
  const all = await rows<VersionedBlock & { isBuilt: boolean }>(
    trx,
    `SELECT id, size, size IS NOT NULL AS "isBuilt", from_at::text AS "from", to_at::text AS "to", false AS "isCutBefore", false AS "isCutAfter",
            sum_id AS "sumId", NULL AS "sumBlocks", xmin::text AS version
       FROM event_blocks WHERE project_id = ? ORDER BY from_at`,
    [projectId],
  );
  const blocks = nextRun(all, options.blocks);
  if (blocks === undefined) return undefined;
  const counts = new BlockSums(await findIds(projectId, 'event', STORED_KINDS, trx), options.many);
  await readBlocks(trx, projectId, blocks, [], ['record'], (read) => counts.findMany(read));
  const names = COUNTED_DIMENSIONS.filter((name) => name !== 'all');
  await readBlocks(
    trx,
    projectId,
    blocks,
    [],
    ['event', 'visitor', 'quarters', 'amounts', ...names],
    (read) => counts.add(read),
  );
  return { blocks, counts };
}

/** Finds the first run of successive built blocks without a sum; there may be gaps between them. */
function nextRun(
  all: readonly (VersionedBlock & { isBuilt: boolean })[],
  size: number,
): VersionedBlock[] | undefined {
  let run: VersionedBlock[] = [];
  for (const block of all) {
    if (block.isBuilt && block.sumId === null) {
      run.push(block);
      if (run.length === size) return run;
    } else {
      // No block will ever be added to a run before a sum.
      if (block.sumId !== null && run.length > 0) return run;
      run = [];
    }
  }
  return undefined;
}

/** A link or QR code with many events. */
type RecordId = number;

/** Counts of blocks for the workspace and for links and QR codes with many events. */
class BlockSums {
  readonly #kinds: [kind: StoredKind, id: number][];
  readonly #ofRecords = new Counts();
  /** By owner, dimension and event kind. */
  readonly #sums = new Map<string, Counts>();
  readonly #owners = new Map<RecordId, Map<string, Counts>>();

  readonly #many: number;

  constructor(kindIds: ReadonlyMap<string, number>, many: number) {
    this.#many = many;
    this.#kinds = STORED_KINDS.flatMap((kind): [StoredKind, number][] => {
      const id = kindIds.get(kind);
      return id === undefined ? [] : [[kind, id]];
    });
  }

  /** Counts the events of a block by link and QR code; before the first call of {@link add}. */
  findMany(read: ReadBlock): void {
    read.count('record', read.events, NO_MARKS, (id, count) => this.#ofRecords.add(id, count));
  }

  /** Adds the events of a block. */
  add(read: ReadBlock): void {
    const byKind = read.eventsBy('event');
    for (const [kind, id] of this.#kinds) {
      const events = byKind.get(id);
      if (events === undefined) continue;
      const visitors = read.visitors();
      const hasAmount = kindOf(kind).amount !== undefined;
      for (const name of COUNTED_DIMENSIONS) {
        const sums = sumsIn(this.#sums, name, kind);
        const add = (value: number, count: number, ofVisitors: number) =>
          sums.add(value, count, 0, ofVisitors);
        if (name === 'all') countQuarters(read, events, visitors, add);
        else read.count(name, events, visitors, add);
        if (hasAmount) addAmounts(read, events, sums, name === 'all' ? 'quarter' : name);
      }
    }
    this.#addRecords(read);
  }

  #addRecords(read: ReadBlock): void {
    const record = read.column('record');
    const owners = Array.from(record.ids, (id) => this.#ownerOf(id));
    const { ids, codes } = read.column('event');
    const kindOfId = new Map(this.#kinds.map(([kind, id]) => [id, kind]));
    const kinds = Array.from(ids, (id) => kindOfId.get(id)!);
    const quarters = quartersOf(read);
    const amounts = amountsOf(read);
    const columns = COUNTED_DIMENSIONS.map((name) => ({
      name,
      column: name === 'all' ? undefined : read.column(name),
    }));
    const visitors = read.visitors();
    for (const at of read.events) {
      const owner = owners[record.codes[at]! - 1];
      if (owner === undefined) continue;
      const kind = kinds[codes[at]! - 1]!;
      const amount = amounts.get(at) ?? 0;
      for (const { name, column } of columns) {
        const value = column === undefined ? quarters[at] : column.ids[column.codes[at]! - 1];
        if (value === undefined) continue;
        sumsIn(owner, name, kind).add(value, 1, amount, visitors.of(at));
      }
    }
  }

  /** Returns the counts of a link or QR code; `undefined` if it has few events. */
  #ownerOf(id: RecordId): Map<string, Counts> | undefined {
    if (this.#ofRecords.count(id) < this.#many) return undefined;
    let owner = this.#owners.get(id);
    if (owner === undefined) {
      owner = new Map();
      this.#owners.set(id, owner);
    }
    return owner;
  }

  /** Lists the packed counts with their owners, dimensions, and event kinds or their visitors. */
  async packed(): Promise<[owner: string, dimension: string, kind: string, counts: Buffer][]> {
    const names = await findValues([...this.#owners.keys()]);
    const all: [string, ReadonlyMap<string, Counts>][] = [
      [WORKSPACE, this.#sums],
      ...Array.from(
        this.#owners,
        ([id, sums]) => [names.get(id)!, sums] as [string, ReadonlyMap<string, Counts>],
      ),
    ];
    return all.flatMap(([owner, sums]) =>
      [...sums].flatMap(([name, counts]): [string, string, string, Buffer][] => {
        const [dimension = '', kind = ''] = name.split(' ');
        const packed = [
          [kind, counts.pack()],
          [visitorsOf(kind as StoredKind), counts.packVisitors()],
        ] as const;
        return packed.flatMap(([event, bytes]): [string, string, string, Buffer][] =>
          bytes === undefined ? [] : [[owner, dimension, event, bytes]],
        );
      }),
    );
  }
}

function sumsIn(sums: Map<string, Counts>, dimension: DimensionName, kind: StoredKind): Counts {
  const name = `${dimension} ${kind}`;
  let counts = sums.get(name);
  if (counts === undefined) {
    counts = new Counts();
    sums.set(name, counts);
  }
  return counts;
}

/** Returns the quarter-hour of each event, since 1970. */
function quartersOf(read: ReadBlock): Float64Array {
  const [quarters, ends] = read.numbers('quarters');
  const byEvent = new Float64Array(read.events.length);
  let at = 0;
  for (const [place, quarter] of quarters.entries()) {
    byEvent.fill(quarter, at, ends[place]);
    at = ends[place]!;
  }
  return byEvent;
}

/** Returns the amounts by the position of the event. */
function amountsOf(read: ReadBlock): Map<number, number> {
  const [places, amounts] = read.numbers('amounts');
  return new Map(Array.from(places, (place, at) => [place, amounts[at]!]));
}

/** Signals that blocks were changed while they were counted. */
class Changed extends Error {}

/** Stores a sum. Returns false if one of its blocks was changed since it was counted. */
async function store(projectId: string, { blocks, counts }: Summed): Promise<boolean> {
  const packed = await counts.packed();
  try {
    await db().transaction(async (trx) => {
      const [sum] = await rows<{ id: number }>(
        trx,
        `INSERT INTO event_block_sums (project_id, blocks, format) VALUES (?, ?, ${BLOCK_FORMAT}) RETURNING id`,
        [projectId, blocks.length],
      );
      await copyInto(
        trx,
        'event_block_counts',
        ['project_id', 'sum_id', 'owner', 'dimension', 'event', 'counts'],
        packed.map((row) => [projectId, sum!.id, ...row]),
      );
      // Last, because transactions that empty one of the blocks wait from here until the commit.
      const ids = blocks.map(({ id }) => id);
      const locked = await rows<{ id: number; version: string }>(
        trx,
        `SELECT id, xmin::text AS version FROM event_blocks
          WHERE project_id = ? AND id = ANY(?::bigint[]) ORDER BY id FOR UPDATE`,
        [projectId, ids],
      );
      const versions = new Map(locked.map(({ id, version }) => [id, version]));
      if (blocks.some(({ id, version }) => versions.get(id) !== version)) throw new Changed();
      await execute(
        trx,
        'UPDATE event_blocks SET sum_id = ? WHERE project_id = ? AND id = ANY(?::bigint[])',
        [sum!.id, projectId, ids],
      );
    });
    return true;
  } catch (error) {
    if (error instanceof Changed) return false;
    throw error;
  }
}

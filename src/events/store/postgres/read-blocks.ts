import { type BinaryRow, copyBinary } from '../../../infra/copy.ts';
import { type Db, rows } from '../../../infra/db.ts';
import {
  acceptedCodes,
  allEvents,
  type Codes,
  countCodes,
  countMarked,
  divideEvents,
  findAmong,
  findEvents,
  Marks,
  NO_MARKS,
  otherCodes,
  type Positions,
  type Range,
  readCodes,
  roomFor,
} from './block-codes.ts';
import type { Accepted } from './block-conditions.ts';
import { placeAmong, readNumbers, sizeOf } from './block-numbers.ts';
import { QUARTER_MS } from './quarters.ts';
import { VarintReader } from './varints.ts';

/*
 * Reads blocks: first the dictionaries of the columns with conditions, which exclude blocks without
 * a matching event; then the columns of the remaining blocks, one row in memory at a time.
 */

/** A built block, and the part of its time that is read. */
export interface Block {
  id: number;
  size: number;
  /** Start and end of the part as text, exact to the µs. */
  from: string;
  to: string;
  /** True if events before or after the part are not read. */
  isCutBefore: boolean;
  isCutAfter: boolean;
  /** The sum that its counts are part of, and the number of blocks in it; `null` without one. */
  sumId: number | null;
  sumBlocks: number | null;
}

/** A time without a built block, whose events are read directly. */
export type Gap = Pick<Block, 'from' | 'to'>;

/**
 * Finds the built blocks of an interval and the gaps between them, in order of time; and whether
 * the workspace has kept counts of deleted events.
 */
export async function findBlocks(
  trx: Db,
  projectId: string,
  [start, end]: readonly [Date, Date],
): Promise<{ parts: (Block | Gap)[]; hasKept: boolean }> {
  const blocks = await rows<
    Block & { start: string; end: string; hasKept: boolean; id: number | null }
  >(
    trx,
    `SELECT b.id, b.size, greatest(b.from_at, start)::text AS "from", least(b.to_at, "end")::text AS "to",
            b.from_at < start AS "isCutBefore", b.to_at > "end" AS "isCutAfter", b.sum_id AS "sumId", s.blocks AS "sumBlocks",
            start::text, "end"::text, (SELECT EXISTS (SELECT 1 FROM kept_counts WHERE project_id = :projectId)) AS "hasKept"
       FROM (SELECT :start::timestamptz AS start, :end::timestamptz AS "end") AS asked
       LEFT JOIN event_blocks b ON b.project_id = :projectId AND b.size IS NOT NULL AND b.from_at < "end" AND b.to_at > start
       LEFT JOIN event_block_sums s ON s.project_id = b.project_id AND s.id = b.sum_id
      ORDER BY b.from_at`,
    { projectId, start, end },
  );
  const parts: (Block | Gap)[] = [];
  const { start: first, end: last, hasKept } = blocks[0]!;
  let from = first;
  for (const block of blocks) {
    if (block.id === null) continue;
    if (block.from !== from) parts.push({ from, to: block.from });
    parts.push(block as Block);
    from = block.to;
  }
  if (from !== last) parts.push({ from, to: last });
  return { parts, hasKept };
}

export const isBlock = (part: Block | Gap): part is Block => 'id' in part;

/** Returns true if all of a block's time is read. */
export const isWhole = ({ isCutBefore, isCutAfter }: Block): boolean => !isCutBefore && !isCutAfter;

/** A column of a block: the ids of its values, and the code of each event. */
export interface ReadColumn {
  ids: Float64Array;
  codes: Codes;
}

/** Rows that hold lists of numbers instead of codes. */
type NumbersName = 'times' | 'quarters' | 'amounts';

/** Takes the number of events with a value, and of visitors among them. */
export type AddCount = (id: number, count: number, visitors: number) => void;

/** The matching events of a block; they are valid until the function that takes them returns. */
export interface ReadBlock {
  block: Block;
  events: Positions;
  column(name: string): ReadColumn;
  /**
   * Calls `add` for each value of a column that some events have.
   *
   * @param visitors the events that are counted as visitors
   */
  count(name: string, events: Positions, visitors: Marks, add: AddCount): void;
  /**
   * Marks the events that are the first of their visitor on a day. Blocks that releases before 0.6
   * have built know none.
   */
  visitors(): Marks;
  /** Divides the matching events by their values of a column. */
  eventsBy(name: string): ReadonlyMap<number, Positions>;
  /** Returns both lists of a row that has no codes. */
  numbers(name: NumbersName): readonly [dictionary: Float64Array, codes: Float64Array];
}

/** A condition on a column of one block, as the codes that it accepts. */
interface Tested {
  column: string;
  /** By code: 1 if it is accepted, otherwise 0. */
  accepts: Uint8Array;
  /** Share of the codes that are accepted, as an estimate for the events. */
  share: number;
}

/**
 * Calls `take` with each block that may have matching events, in order of id.
 *
 * @param names columns that `take` needs
 */
export async function readBlocks(
  trx: Db,
  projectId: string,
  blocks: readonly Block[],
  accepted: readonly Accepted[],
  names: readonly string[],
  take: (read: ReadBlock) => void,
): Promise<void> {
  if (blocks.length === 0) return;
  const byId = new Map(blocks.map((block) => [block.id, block]));
  // Without conditions on other columns than those that are needed, no dictionary is read twice.
  const isTestedLater = accepted.every(({ column }) => names.includes(column));
  const tested = isTestedLater ? undefined : await testBlocks(trx, projectId, blocks, accepted);
  const reading = [...(tested ?? byId).keys()];
  if (reading.length === 0) return;
  const largest = Math.max(...blocks.map(({ size }) => size));
  const room = roomFor(largest);
  const columns = [...new Set([...accepted.map(({ column }) => column), ...names])];
  const reader = new RowsById((id, ofBlock) => {
    const conditions = tested?.get(id) ?? testAll(accepted, (column) => ofBlock.get(column)![2]!);
    const read = conditions && readBlock(byId.get(id)!, conditions, ofBlock, room);
    if (read !== undefined) take(read);
  });
  await copyBinary(
    trx,
    `SELECT block_id, name, CASE WHEN name = ANY(:tested::text[]) THEN ''::bytea ELSE dictionary END, codes
       FROM event_block_columns
      WHERE project_id = :projectId AND block_id = ANY(:reading::bigint[])
        AND (name = ANY(:columns::text[]) OR name = 'quarters' AND block_id = ANY(:cut::bigint[])
          OR name = 'times' AND block_id = ANY(:uneven::bigint[]))
      ORDER BY block_id`,
    {
      projectId,
      reading,
      columns,
      tested: accepted.flatMap(({ column }) => (names.includes(column) ? [] : [column])),
      cut: reading.filter((id) => !isWhole(byId.get(id)!)),
      uneven: reading.filter((id) => isUneven(byId.get(id)!)),
    },
    (row) => reader.add(row),
  );
  reader.end();
}

/**
 * Collects rows of a block or sum by their names: their columns are its id, their name, and more.
 * They come in the order of ids.
 */
export class RowsById {
  readonly #take: (id: number, rows: ReadonlyMap<string, BinaryRow>) => void;
  #part: { id: number; rows: Map<string, BinaryRow> } | undefined;
  /** The bytes of the rows of an id. */
  #bytes = Buffer.alloc(2 ** 16);
  #used = 0;

  /** @param take called with the rows of each id */
  constructor(take: (id: number, rows: ReadonlyMap<string, BinaryRow>) => void) {
    this.#take = take;
  }

  add(row: BinaryRow): void {
    const id = numberOf(row[0]!);
    if (this.#part?.id !== id) {
      this.end();
      this.#part = { id, rows: new Map() };
      this.#used = 0;
    }
    const copies = row.map((bytes, at) => (at < 2 || bytes === null ? bytes : this.#copy(bytes)));
    this.#part!.rows.set(row[1]!.toString(), copies);
  }

  /** Copies bytes so that the second one, with which codes begin, is aligned for typed arrays. */
  #copy(bytes: Buffer): Buffer {
    let at = Math.ceil(this.#used / 8) * 8 + 7;
    if (at + bytes.length > this.#bytes.length) {
      // Rows that were added before keep their own bytes.
      this.#bytes = Buffer.alloc(2 * (this.#bytes.length + bytes.length));
      at = 7;
    }
    this.#used = at + bytes.length;
    bytes.copy(this.#bytes, at);
    return this.#bytes.subarray(at, this.#used);
  }

  end(): void {
    if (this.#part !== undefined) this.#take(this.#part.id, this.#part.rows);
  }
}

const numberOf = (bigint: Buffer): number => Number(bigint.readBigInt64BE());

/** Finds the blocks that may have matching events, with the conditions to check in each. */
async function testBlocks(
  trx: Db,
  projectId: string,
  blocks: readonly Block[],
  accepted: readonly Accepted[],
): Promise<Map<number, Tested[]>> {
  const tested = new Map<number, Tested[]>();
  const reader = new RowsById((id, ofBlock) => {
    const conditions = testAll(accepted, (column) => ofBlock.get(column)![2]!);
    if (conditions !== undefined) tested.set(id, conditions);
  });
  await copyBinary(
    trx,
    `SELECT block_id, name, dictionary FROM event_block_columns
      WHERE project_id = :projectId AND block_id = ANY(:ids::bigint[]) AND name = ANY(:columns::text[])
      ORDER BY block_id`,
    {
      projectId,
      ids: blocks.map(({ id }) => id),
      columns: accepted.map(({ column }) => column),
    },
    (row) => reader.add(row),
  );
  reader.end();
  return tested;
}

/** Returns the conditions on a block, the most selective first; `undefined` if no event can match. */
function testAll(
  accepted: readonly Accepted[],
  dictionaryOf: (column: string) => Buffer,
): Tested[] | undefined {
  const tested: Tested[] = [];
  for (const { column, ids, isNone, excludes } of accepted) {
    const dictionary = dictionaryOf(column);
    const accepts = excludes ? otherCodes(dictionary, ids) : acceptedCodes(dictionary, ids, isNone);
    if (accepts === undefined) return undefined;
    // Most events are of one kind, usually the one that is asked for.
    tested.push({ column, accepts, share: column === 'event' ? 1 : shareOf(accepts) });
  }
  // The others then only look at the matches of the first.
  return tested.toSorted((a, b) => a.share - b.share);
}

function shareOf(accepts: Uint8Array): number {
  let accepted = 0;
  for (const isAccepted of accepts) accepted += isAccepted;
  return accepted / accepts.length;
}

function readBlock(
  block: Block,
  tested: readonly Tested[],
  columnRows: ReadonlyMap<string, BinaryRow>,
  room: Positions,
): ReadBlock | undefined {
  const { size } = block;
  const read = new Map<string, ReadColumn>();
  const column = (name: string): ReadColumn => {
    let column = read.get(name);
    if (column === undefined) {
      const [, , dictionary, codes] = columnRows.get(name)!;
      const ids = readNumbers(dictionary!);
      column = { ids, codes: readCodes(codes!, size, ids.length) };
      read.set(name, column);
    }
    return column;
  };
  const count = (name: string, among: Positions, visitors: Marks, add: AddCount) => {
    const [, , dictionary, codes] = columnRows.get(name)!;
    const values = sizeOf(dictionary!);
    const hasMarks = visitors !== NO_MARKS;
    const counts = hasMarks
      ? countMarked(among, codes!, values, visitors)
      : countCodes(among, codes!, values);
    const reader = new VarintReader(dictionary!);
    for (let code = 1, id = 0; code <= values; code += 1) {
      id += code === 1 ? Number(reader.nextAmount()) : reader.next();
      const marked = hasMarks ? counts[2 * code + 1]! : 0;
      const all = hasMarks ? counts[2 * code]! + marked : counts[code]!;
      if (all > 0) add(id, all, marked);
    }
  };
  const numbers = (name: NumbersName) => {
    const row = columnRows.get(name)!;
    return [readNumbers(row[2]!), readNumbers(row[3]!)] as const;
  };
  const codesOf = (name: string) => columnRows.get(name)![3]!;
  const [first, ...others] = tested;
  const range: Range = isWhole(block) ? [0, size] : rangeOf(block, columnRows);
  let events =
    first === undefined
      ? allEvents(range, room)
      : findEvents(codesOf(first.column), range, first.accepts, room);
  for (const { column: name, accepts } of others) {
    events = findAmong(events, codesOf(name), accepts, room);
  }
  if (events.length === 0) return undefined;
  const eventsBy = (name: string) => {
    const { ids, codes } = column(name);
    const divided = divideEvents(events, codes, ids.length);
    return new Map(Array.from(ids, (id, at) => [id, divided[at + 1]!]));
  };
  const visitors = () => {
    const row = columnRows.get('visitor');
    return row === undefined ? NO_MARKS : new Marks(row[3]!, sizeOf(row[2]!));
  };
  return { block, events, column, count, visitors, eventsBy, numbers };
}

/** Returns the events in the part of a block that is read. */
function rangeOf(
  { size, from, to, isCutBefore, isCutAfter }: Block,
  columnRows: ReadonlyMap<string, BinaryRow>,
): Range {
  const [, , quarters, ends] = columnRows.get('quarters')!;
  const firstAt = (time: number): number => {
    if (time % QUARTER_MICROS !== 0) return placeAmong(columnRows.get('times')![2]!, time);
    const place = placeAmong(quarters!, time / QUARTER_MICROS);
    return place === 0 ? 0 : readNumbers(ends!)[place - 1]!;
  };
  return [isCutBefore ? firstAt(microsOf(from)) : 0, isCutAfter ? firstAt(microsOf(to)) : size];
}

const QUARTER_MICROS = QUARTER_MS * 1_000;

/** Returns true if a block is cut within a quarter-hour. */
const isUneven = ({ isCutBefore, isCutAfter, from, to }: Block): boolean =>
  (isCutBefore && microsOf(from) % QUARTER_MICROS !== 0) ||
  (isCutAfter && microsOf(to) % QUARTER_MICROS !== 0);

/**
 * Finds the place of the first event whose position is not below a given one.
 *
 * @param after place from which it is searched for
 */
export function firstFrom(events: Positions, event: number, after = 0): number {
  let [from, to] = [after, events.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (events[middle]! < event) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Converts a time as Postgres writes it to µs since 1970. */
function microsOf(time: string): number {
  const micros = /\.(\d+)/.exec(time)?.[1]?.padEnd(6, '0') ?? '0';
  const seconds = new Date(time.replace(/\.\d+/, '')).getTime();
  return seconds * 1_000 + Number(micros);
}

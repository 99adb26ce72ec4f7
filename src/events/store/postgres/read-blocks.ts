import { type BinaryRow, copyBinary } from '../../../infra/copy.ts';
import { type Db, rows } from '../../../infra/db.ts';
import {
  acceptedCodes,
  type Codes,
  countCodes,
  fullMask,
  hasMatches,
  maskCodes,
  readCodes,
  readNumbers,
  sizeOf,
} from './block-codes.ts';
import type { Accepted } from './block-conditions.ts';
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
  /** True if all of its time is read. */
  isWhole: boolean;
}

/** A time without a built block, whose events are read directly. */
export type Gap = Pick<Block, 'from' | 'to'>;

/** Finds the built blocks of an interval and the gaps between them, in order of time. */
export async function findBlocks(
  trx: Db,
  projectId: string,
  [start, end]: readonly [Date, Date],
): Promise<(Block | Gap)[]> {
  const blocks = await rows<Block & { start: string; end: string; id: number | null }>(
    trx,
    `SELECT b.id, b.size, greatest(b.from_at, start)::text AS "from", least(b.to_at, "end")::text AS "to",
            b.from_at >= start AND b.to_at <= "end" AS "isWhole", start::text, "end"::text
       FROM (SELECT :start::timestamptz AS start, :end::timestamptz AS "end") AS asked
       LEFT JOIN event_blocks b ON b.project_id = :projectId AND b.size IS NOT NULL AND b.from_at < "end" AND b.to_at > start
      ORDER BY b.from_at`,
    { projectId, start, end },
  );
  const parts: (Block | Gap)[] = [];
  const { start: first, end: last } = blocks[0]!;
  let from = first;
  for (const { start: _, end: __, ...block } of blocks) {
    if (block.id === null) continue;
    if (block.from !== from) parts.push({ from, to: block.from });
    parts.push(block as Block);
    from = block.to;
  }
  if (from !== last) parts.push({ from, to: last });
  return parts;
}

export const isBlock = (part: Block | Gap): part is Block => 'id' in part;

/** A column of a block: the ids of its values, and the code of each event. */
export interface ReadColumn {
  ids: readonly number[];
  codes: Codes;
}

/** Rows that hold lists of numbers instead of codes. */
type NumbersName = 'times' | 'quarters' | 'amounts';

/** The matching events of a block. */
export interface ReadBlock {
  block: Block;
  /** By event: 1 if it matches, otherwise 0. */
  mask: Uint8Array;
  column(name: string): ReadColumn;
  /** Calls `take` for each value of a column within a mask, with its number of events. */
  count(name: string, mask: Uint8Array, take: (id: number, count: number) => void): void;
  /** Returns the matching events with a value of a column; the mask must not be changed. */
  maskOf(name: string, id: number): Uint8Array;
  /** Returns both lists of a row that has no codes. */
  numbers(name: NumbersName): readonly [dictionary: number[], codes: number[]];
}

/** A condition on a column of one block, as the codes that it accepts. */
interface Tested {
  column: string;
  /** By code: 1 if it is accepted, otherwise 0. */
  accepts: Uint8Array;
  /** Share of the codes that are accepted. */
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
  const tested = await testBlocks(trx, projectId, blocks, accepted);
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const reading = [...tested.keys()];
  if (reading.length === 0) return;
  const columns = [...new Set([...accepted.map(({ column }) => column), ...names])];
  let part: { id: number; rows: Map<string, BinaryRow> } | undefined;
  const finish = () => {
    if (part === undefined) return;
    const read = readBlock(byId.get(part.id)!, tested.get(part.id)!, part.rows);
    if (read !== undefined) take(read);
  };
  await copyBinary(
    trx,
    `SELECT block_id, name, CASE WHEN name = ANY(:tested::text[]) THEN ''::bytea ELSE dictionary END, codes
       FROM event_block_columns
      WHERE project_id = :projectId AND block_id = ANY(:reading::bigint[])
        AND (name = ANY(:columns::text[]) OR name = 'times' AND block_id = ANY(:cut::bigint[]))
      ORDER BY block_id`,
    {
      projectId,
      reading,
      columns,
      tested: accepted.flatMap(({ column }) => (names.includes(column) ? [] : [column])),
      cut: reading.filter((id) => !byId.get(id)!.isWhole),
    },
    (row) => {
      const id = numberOf(row[0]!);
      if (part?.id !== id) {
        finish();
        part = { id, rows: new Map() };
      }
      part.rows.set(row[1]!.toString(), row);
    },
  );
  finish();
}

const numberOf = (bigint: Buffer): number => Number(bigint.readBigInt64BE());

/** Finds the blocks that may have matching events, with the conditions to check in each. */
async function testBlocks(
  trx: Db,
  projectId: string,
  blocks: readonly Block[],
  accepted: readonly Accepted[],
): Promise<Map<number, Tested[]>> {
  const tested = new Map(blocks.map(({ id }) => [id, [] as Tested[]]));
  if (accepted.length === 0) return tested;
  const byColumn = new Map(accepted.map((condition) => [condition.column, condition]));
  await copyBinary(
    trx,
    `SELECT block_id, name, dictionary FROM event_block_columns
      WHERE project_id = :projectId AND block_id = ANY(:ids::bigint[]) AND name = ANY(:columns::text[])
      ORDER BY block_id`,
    { projectId, ids: [...tested.keys()], columns: [...byColumn.keys()] },
    (row) => {
      const id = numberOf(row[0]!);
      const column = row[1]!.toString();
      const { ids, isNone } = byColumn.get(column)!;
      const accepts = acceptedCodes(row[2]!, ids, isNone);
      if (accepts === undefined) tested.delete(id);
      else tested.get(id)?.push({ column, accepts, share: shareOf(accepts) });
    },
  );
  // The most selective conditions first: the others then only look at their matches.
  for (const conditions of tested.values()) conditions.sort((a, b) => a.share - b.share);
  return tested;
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
  const count = (name: string, within: Uint8Array, take: (id: number, count: number) => void) => {
    const [, , dictionary, codes] = columnRows.get(name)!;
    const counts = countCodes(within, codes!, sizeOf(dictionary!));
    const reader = new VarintReader(dictionary!);
    for (let code = 1, id = 0; code < counts.length; code += 1) {
      id += code === 1 ? Number(reader.nextAmount()) : reader.next();
      if (counts[code]! > 0) take(id, counts[code]!);
    }
  };
  const numbers = (name: NumbersName) => {
    const row = columnRows.get(name)!;
    return [readNumbers(row[2]!), row[3]!.length === 0 ? [] : readNumbers(row[3]!)] as const;
  };
  const mask = fullMask(size);
  if (!block.isWhole) {
    const [times] = numbers('times');
    mask.fill(0, 0, firstFrom(times, microsOf(block.from)));
    mask.fill(0, firstFrom(times, microsOf(block.to)));
  }
  for (const { column: name, accepts } of tested) {
    maskCodes(mask, columnRows.get(name)![3]!, accepts);
    if (!hasMatches(mask)) return undefined;
  }
  const maskOf = (name: string, id: number) => {
    const { ids } = column(name);
    if (ids.length === 1 && ids[0] === id && columnRows.get(name)![3]![0] === 0) return mask;
    const ofValue = fullMask(size);
    ofValue.set(mask);
    const accepts = new Uint8Array(ids.length + 1);
    accepts[ids.indexOf(id) + 1] = 1;
    accepts[0] = 0;
    maskCodes(ofValue, columnRows.get(name)![3]!, accepts);
    return ofValue;
  };
  return hasMatches(mask) ? { block, mask, column, count, maskOf, numbers } : undefined;
}

/** Finds the position of the first time that is not before a given one. */
function firstFrom(times: readonly number[], time: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (times[middle]! < time) from = middle + 1;
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

import { type Db, db, rows, type SqlValue } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import { hasConditions, matchesNothing } from '../../filters.ts';
import { kindOf, kindOfStored, type StoredKind } from '../../kinds.ts';
import { type Marks, NO_MARKS, NONE, type Positions } from './block-codes.ts';
import { findAccepted } from './block-conditions.ts';
import { type Counts, plus } from './counts.ts';
import { filterSql } from './filters.ts';
import { Ids } from './ids.ts';
import { QUARTER_MS } from './quarters.ts';
import { type CountsByKind, type QueryCounts, queryCounts } from './query-counts.ts';
import {
  type AddCount,
  type Block,
  findBlocks,
  firstFrom,
  type Gap,
  isBlock,
  type ReadBlock,
  readBlocks,
} from './read-blocks.ts';
import { type Kept, readKept } from './read-kept.ts';
import { type GroupedQuery, OF_EVENTS, raw, spanOf } from './source.ts';
import { addSums, cutSums, sumsOfRecord, WORKSPACE, wholeSums } from './sums.ts';
import { findIds } from './values.ts';

/** Counts that answer a query. */
export interface Counted {
  /** Counts either by the ids of values or by quarter-hours since 1970. */
  counts: CountsByKind;
  /** Values by id that are not in the list of values. */
  values: ReadonlyMap<number, string>;
}

/** Counts of events that are in no block. */
interface EventsRow {
  event: StoredKind;
  /** Quarter-hours since 1970. */
  time: number;
  value: string;
  n: number;
  visitors: number;
  amount: string;
}

/**
 * Counts the events of a query: from sums of blocks, then from the columns of blocks, otherwise one
 * by one; and adds the kept counts of deleted events. All reads see one snapshot, so that nothing
 * is counted twice or missed while blocks are built and emptied, and retention deletes events.
 *
 * @param by counts by the ids of values, or by quarter-hour
 */
export async function countEvents(
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
): Promise<Counted> {
  const { projectId, events } = countQuery;
  const adding = queryCounts(events, countQuery.asked.traffic);
  const { counts, byStoredKind, withVisitors } = adding;
  const { kept, counted } = await db().transaction(
    (trx) => readAll(trx, countQuery, dimension, by, adding),
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const isByRecord = dimension === 'record' && countQuery.filter.records !== undefined;
  const ids = new Ids();
  if (by === 'value' && dimension !== 'all') {
    const values = counted.map(({ value }) => value);
    await ids.find(projectId, dimension, [
      ...values,
      ...(isByRecord ? kept.map(({ owner }) => owner) : []),
    ]);
  }
  for (const { event, areVisitors, owner, counts: ofOwner } of kept) {
    const id = isByRecord && by === 'value' ? ids.idOf(owner) : undefined;
    const sums = byStoredKind.get(event)!;
    ofOwner.forEach((value, n, amount) => {
      if (areVisitors) sums.add(id ?? value, 0, 0, n);
      else sums.add(id ?? value, n, amount);
    });
  }
  for (const { event, time, value, n, visitors, amount } of counted) {
    const id = by === 'quarter' ? time : dimension === 'all' ? 0 : ids.idOf(value);
    const kind = kindOfStored(event);
    const visited = withVisitors.has(kind) ? visitors : 0;
    counts.get(kind)!.add(id, n, plus(0, BigInt(amount)), visited);
  }
  return { counts, values: ids.values };
}

/** Adds the counts of sums and blocks, and resolves to the other counts. */
async function readAll(
  trx: Db,
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
  { counts, byStoredKind, withVisitors }: QueryCounts,
): Promise<{ kept: Kept[]; counted: EventsRow[] }> {
  const { projectId, events, stored, asked } = countQuery;
  if (matchesNothing(asked)) return { kept: [], counted: [] };
  const { owner, sums, subtracted, blocks, gaps, hasKept } = await divide(trx, countQuery);
  const visited = stored.filter((kind) => withVisitors.has(kindOfStored(kind)));
  const kept = hasKept ? await readKept(trx, countQuery, dimension, by, visited) : [];
  await addSums(trx, { projectId, sums, owner, dimension, by, visited }, byStoredKind);
  if (blocks.length > 0 || subtracted.length > 0) {
    const kinds = await findIds(projectId, 'event', stored, trx);
    const accepted = await findAccepted(trx, projectId, asked, kinds.values());
    const columns = [
      'event',
      ...(by === 'quarter' ? ['quarters'] : dimension === 'all' ? [] : [dimension]),
      ...(events.some((event) => kindOf(event).amount !== undefined) ? ['amounts'] : []),
      ...(withVisitors.size > 0 ? ['visitor'] : []),
    ];
    const requested = [...kinds].map(([name, id]) => {
      const kind = kindOfStored(name as StoredKind);
      return {
        id,
        hasAmount: kindOf(kind).amount !== undefined,
        sums: counts.get(kind)!,
        isVisited: withVisitors.has(kind),
      };
    });
    const isSubtracted = new Set(subtracted);
    const all = [...blocks, ...subtracted];
    await readBlocks(trx, projectId, all, accepted, columns, (read) =>
      countBlock(read, requested, dimension, by, isSubtracted.has(read.block) ? -1 : 1),
    );
  }
  return { kept, counted: await readGaps(trx, countQuery, dimension, by, gaps) };
}

/** The sums, blocks and rows that together cover a span. */
interface Division {
  /** Owner of the counts that are read from sums. */
  owner: string;
  sums: ReadonlySet<number>;
  /** Parts of the blocks of these sums that are outside the span. */
  subtracted: Block[];
  blocks: Block[];
  gaps: Gap[];
  /** True if retention has deleted events of the workspace. */
  hasKept: boolean;
}

/**
 * Number of events up to which links and QR codes are counted event by event, by their index. With
 * more, reading blocks is faster.
 */
const FEW = 20_000;

const NO_SUMS = { sums: new Set<number>(), outside: [] };

/** Divides the span of a query. */
async function divide(trx: Db, countQuery: GroupedQuery): Promise<Division> {
  const { projectId, asked } = countQuery;
  const { records, domain } = asked;
  const span = spanOf(countQuery);
  const { parts, hasKept } = await findBlocks(trx, projectId, span);
  const blocks = parts.filter((part) => isBlock(part));
  if (blocks.length > 0 && records !== undefined && (await haveFew(trx, projectId, records))) {
    const gaps = [joined(parts)];
    return { owner: WORKSPACE, sums: new Set(), subtracted: [], blocks: [], gaps, hasKept };
  }
  const isSummed = !hasConditions(asked) && domain === undefined && (records?.length ?? 1) === 1;
  const owner = records?.[0] ?? WORKSPACE;
  const cut = isSummed ? await cutSums(trx, projectId, blocks, span) : NO_SUMS;
  const summed = new Set([...(isSummed ? wholeSums(blocks) : []), ...cut.sums]);
  const sums = records === undefined ? summed : await sumsOfRecord(trx, projectId, owner, summed);
  const isIn = (ids: ReadonlySet<number>, { sumId }: Block) => sumId !== null && ids.has(sumId);
  // Where a link or QR code has no counts of its own, it has few events.
  const isGap = (part: Block | Gap) => !isBlock(part) || (isIn(summed, part) && !isIn(sums, part));
  return {
    owner,
    sums,
    subtracted: cut.outside.filter((block) => isIn(sums, block)),
    blocks: blocks.filter((block) => !isIn(summed, block)),
    gaps: gapsOf(parts, isGap),
    hasKept,
  };
}

/** Returns true if links and QR codes, all of which exist, have few events. */
async function haveFew(trx: Db, projectId: string, records: readonly string[]): Promise<boolean> {
  const [row] = await rows<{ areFew: boolean }>(
    trx,
    `SELECT coalesce(sum(c.visits + c.suspects + c.leads + c.sales), 0) <= ${FEW}
            AND bool_and(c.record_id IS NOT NULL
              OR EXISTS (SELECT 1 FROM links WHERE project_id = :projectId AND id = r.id)
              OR EXISTS (SELECT 1 FROM qrcodes WHERE project_id = :projectId AND id = r.id)) AS "areFew"
       FROM unnest(:records::text[]) AS r(id)
       LEFT JOIN counters c ON c.project_id = :projectId AND c.record_id = r.id`,
    { projectId, records },
  );
  return row!.areFew;
}

/** Returns the time of all parts. */
const joined = (parts: readonly Gap[]): Gap => ({ from: parts[0]!.from, to: parts.at(-1)!.to });

/** Joins successive parts whose events are read directly. */
function gapsOf(parts: readonly (Block | Gap)[], isGap: (part: Block | Gap) => boolean): Gap[] {
  const gaps: Gap[] = [];
  let last: Gap | undefined;
  for (const part of parts) {
    if (!isGap(part)) last = undefined;
    else if (last === undefined) gaps.push((last = { from: part.from, to: part.to }));
    else last.to = part.to;
  }
  return gaps;
}

/** An event kind of a query, and its counts. */
interface Kind {
  id: number;
  hasAmount: boolean;
  sums: Counts;
  /** True if its visitors are counted. */
  isVisited: boolean;
}

/**
 * Counts the matching events of a block.
 *
 * @param sign -1 to subtract them
 */
function countBlock(
  read: ReadBlock,
  kinds: readonly Kind[],
  dimension: DimensionName,
  by: 'value' | 'quarter',
  sign: 1 | -1,
): void {
  // No event has another kind.
  const byKind = kinds.length === 1 ? undefined : read.eventsBy('event');
  for (const { id, sums, hasAmount, isVisited } of kinds) {
    const events = byKind === undefined ? read.events : (byKind.get(id) ?? NONE);
    if (events.length === 0) continue;
    const visitors = isVisited ? read.visitors() : NO_MARKS;
    const add = (value: number, count: number, ofVisitors: number) =>
      sums.add(value, sign * count, 0, sign * ofVisitors);
    if (by === 'quarter') countQuarters(read, events, visitors, add);
    else if (dimension === 'all') add(0, events.length, visitors.count(events));
    else read.count(dimension, events, visitors, add);
    if (hasAmount) addAmounts(read, events, sums, by === 'quarter' ? by : dimension, sign);
  }
}

/**
 * Counts some events by quarter-hour.
 *
 * @param visitors the events that are counted as visitors
 */
export function countQuarters(
  read: ReadBlock,
  events: Positions,
  visitors: Marks,
  add: AddCount,
): void {
  const [quarters, ends] = read.numbers('quarters');
  for (let place = 0, from = 0; place < quarters.length; place += 1) {
    const to = firstFrom(events, ends[place]!, from);
    if (to > from) add(quarters[place]!, to - from, visitors.count(events, from, to));
    from = to;
  }
}

/**
 * Adds the amounts of some events to the counts.
 *
 * @param sign -1 to subtract them
 */
export function addAmounts(
  read: ReadBlock,
  events: Positions,
  sums: Counts,
  by: DimensionName | 'quarter',
  sign: 1 | -1 = 1,
): void {
  const [places, amounts] = read.numbers('amounts');
  const idOf = idsOf(read, by);
  for (let at = 0, next = 0; at < places.length; at += 1) {
    const place = places[at]!;
    next = firstFrom(events, place, next);
    const id = events[next] === place ? idOf(place) : undefined;
    if (id !== undefined) sums.add(id, 0, sign * amounts[at]!);
  }
}

/**
 * Makes a function that reads the id or quarter-hour by which an event is counted; its positions
 * must ascend.
 */
function idsOf(read: ReadBlock, by: DimensionName | 'quarter'): (at: number) => number | undefined {
  if (by === 'all') return () => 0;
  if (by === 'quarter') {
    const [quarters, ends] = read.numbers('quarters');
    let next = 0;
    return (at) => {
      while (ends[next]! <= at) next += 1;
      return quarters[next];
    };
  }
  const { ids, codes } = read.column(by);
  return (at) => ids[codes[at]! - 1];
}

/** Counts the events of times without a built block. */
async function readGaps(
  trx: Db,
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
  gaps: readonly Gap[],
): Promise<EventsRow[]> {
  if (gaps.length === 0) return [];
  const { projectId, stored, filter } = countQuery;
  const time = by === 'value' ? '0' : `floor(date_part('epoch', at) / ${QUARTER_MS / 1000})::int`;
  const bindings: Record<string, SqlValue> = { ...filter.bindings, projectId, stored };
  const parts = gaps.map(({ from, to }, at) => {
    Object.assign(bindings, { [`from${at}`]: from, [`to${at}`]: to });
    const within = `e.occurred_at >= :from${at}::timestamptz AND e.occurred_at < :to${at}::timestamptz`;
    return raw(dimension, `WHERE ${OF_EVENTS} AND ${within} ${filterSql(filter)}`);
  });
  return rows<EventsRow>(
    trx,
    `SELECT event, ${time} AS time, value, sum(n)::bigint AS n, sum(visitors)::bigint AS visitors, sum(amount)::text AS amount
       FROM (${parts.join(' UNION ALL ')}) AS counted WHERE value IS NOT NULL GROUP BY 1, 2, 3`,
    bindings,
  );
}

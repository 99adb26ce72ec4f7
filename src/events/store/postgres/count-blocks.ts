import { type Db, db, rows, type SqlValue } from '../../../infra/db.ts';
import { type DimensionName } from '../../dimensions.ts';
import { matchesNothing } from '../../filters.ts';
import { kindOf } from '../../kinds.ts';
import { matchesOf } from './block-codes.ts';
import { blockConditions, findAccepted } from './block-conditions.ts';
import { Counts } from './counts.ts';
import { filterSql } from './filters.ts';
import { findBlocks, type Gap, isBlock, type ReadBlock, readBlocks } from './read-blocks.ts';
import { amountOf, type EventsRow, Ids, type Rolled } from './rolled.ts';
import { QUARTER_MS } from './rollups.ts';
import { type GroupedQuery, OF_EVENTS, raw, spanOf } from './source.ts';
import { findIds } from './values.ts';

/**
 * Counts the events of a query: from block columns where a block is built, otherwise one by one.
 * All reads see one snapshot, so that nothing is counted twice or missed while blocks are built and
 * emptied.
 *
 * @param by counts by the ids of values, or by quarter-hour
 */
export async function countBlocks(
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
): Promise<Rolled> {
  const { projectId, events } = countQuery;
  const counts = new Map(events.map((event) => [event as string, new Counts()]));
  const counted = await db().transaction((trx) => readAll(trx, countQuery, dimension, by, counts), {
    isolationLevel: 'repeatable read',
    readOnly: true,
  });
  const ids = new Ids();
  if (dimension !== 'all') await ids.find(projectId, dimension, counted);
  for (const { event, time, value, n, amount } of counted) {
    const id = by === 'quarter' ? time : dimension === 'all' ? 0 : ids.idOf(value);
    counts.get(event)!.add(id, n, amountOf(amount));
  }
  return { counts, values: ids.values };
}

/** Adds the counts of blocks, and resolves to the counts of the other events. */
async function readAll(
  trx: Db,
  countQuery: GroupedQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
  counts: ReadonlyMap<string, Counts>,
): Promise<EventsRow[]> {
  const { projectId, events, asked } = countQuery;
  if (matchesNothing(asked)) return [];
  const parts = await findBlocks(trx, projectId, spanOf(countQuery));
  const blocks = parts.filter((part) => isBlock(part));
  if (blocks.length > 0) {
    const kinds = await findIds(projectId, 'event', events, trx);
    const accepted = await findAccepted(trx, projectId, blockConditions(asked, events));
    const columns = [
      'event',
      ...(by === 'quarter' ? ['quarters'] : dimension === 'all' ? [] : [dimension]),
      ...(events.some((event) => kindOf(event).amount !== undefined) ? ['amounts'] : []),
    ];
    const requested = [...kinds].map(([event, id]) => ({
      id,
      hasAmount: kindOf(event as never).amount !== undefined,
      sums: counts.get(event)!,
    }));
    await readBlocks(trx, projectId, blocks, accepted, columns, (read) =>
      countBlock(read, requested, dimension, by),
    );
  }
  return readGaps(
    trx,
    countQuery,
    dimension,
    by,
    parts.filter((part) => !isBlock(part)),
  );
}

/** An event kind of a query, and its counts. */
interface Kind {
  id: number;
  hasAmount: boolean;
  sums: Counts;
}

/** Counts the matching events of a block. */
function countBlock(
  read: ReadBlock,
  kinds: readonly Kind[],
  dimension: DimensionName,
  by: 'value' | 'quarter',
): void {
  if (by === 'value' && dimension === 'all') countTotals(read, kinds);
  // The mask has no events of other kinds.
  const maskOf = ({ id }: Kind) => (kinds.length === 1 ? read.mask : read.maskOf('event', id));
  for (const kind of kinds) {
    if (by === 'quarter') countQuarters(read, maskOf(kind), kind.sums);
    else if (dimension !== 'all') {
      read.count(dimension, maskOf(kind), (id, count) => kind.sums.add(id, count));
    }
    if (kind.hasAmount)
      addAmounts(read, maskOf(kind), kind.sums, by === 'quarter' ? by : dimension);
  }
}

function countTotals(read: ReadBlock, kinds: readonly Kind[]): void {
  if (kinds.length === 1) {
    kinds[0]!.sums.add(0, matchesOf(read.mask));
    return;
  }
  read.count('event', read.mask, (event, count) => {
    kinds.find(({ id }) => id === event)!.sums.add(0, count);
  });
}

function countQuarters(read: ReadBlock, mask: Uint8Array, sums: Counts): void {
  const [quarters, ends] = read.numbers('quarters');
  let at = 0;
  for (const [place, quarter] of quarters.entries()) {
    let count = 0;
    for (; at < ends[place]!; at += 1) count += mask[at]!;
    if (count > 0) sums.add(quarter, count);
  }
}

/** Adds the amounts of matching events to the counts. */
function addAmounts(
  read: ReadBlock,
  mask: Uint8Array,
  sums: Counts,
  by: DimensionName | 'quarter',
): void {
  const [places, amounts] = read.numbers('amounts');
  const idOf = idsOf(read, by);
  for (const [at, place] of places.entries()) {
    const id = mask[place] === 1 ? idOf(place) : undefined;
    if (id !== undefined) sums.add(id, 0, amounts[at]!);
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
  const { projectId, events, filter } = countQuery;
  const time = by === 'value' ? '0' : `floor(date_part('epoch', at) / ${QUARTER_MS / 1000})::int`;
  const bindings: Record<string, SqlValue> = { ...filter.bindings, projectId, events };
  const parts = gaps.map(({ from, to }, at) => {
    Object.assign(bindings, { [`from${at}`]: from, [`to${at}`]: to });
    const within = `e.occurred_at >= :from${at}::timestamptz AND e.occurred_at < :to${at}::timestamptz`;
    return raw(dimension, `WHERE ${OF_EVENTS} AND ${within} ${filterSql(filter)}`);
  });
  return rows<EventsRow>(
    trx,
    `SELECT event, ${time} AS time, value, sum(n)::bigint AS n, sum(amount)::text AS amount
       FROM (${parts.join(' UNION ALL ')}) AS counted WHERE value IS NOT NULL GROUP BY 1, 2, 3`,
    bindings,
  );
}

import { db, rows, type SqlValue } from '../../../infra/db.ts';
import type { DimensionName } from '../../dimensions.ts';
import { Counts, plus, readCounts } from './counts.ts';
import { filterSql } from './filters.ts';
import { isRebuilding } from './rollup-rebuilds.ts';
import { DAY_MS, isFineIn, QUARTER_MS, QUARTERS, type Scope, TABLES } from './rollups.ts';
import { type Interval, OF_EVENTS, raw, type SqlCountQuery, spanOf } from './source.ts';
import { findIds } from './values.ts';
import type { Amount } from './varints.ts';

/*
 * Counts from rollups: whole months, then whole days, then whole quarter-hours, with their
 * additions, and the events themselves for the rest at both ends. One statement reads all of it, so
 * that nothing is counted twice or missed while rollups are merged; the counts are summed up here.
 *
 * Queries about single links and QR codes are answered from their own rollups if there are any,
 * otherwise from their events. All other filters, and all queries of a workspace whose rollups are
 * being rebuilt, read the events.
 */

/** Counts that answer a query. */
export interface Rolled {
  /** Counts by event kind, either by the ids of values or by quarter-hours since 1970. */
  counts: ReadonlyMap<string, Counts>;
  /** Values by id that are not in the list of values. */
  values: ReadonlyMap<number, string>;
}

/** Ids from here on belong to values that are not in the list of values. */
const UNLISTED = 2 ** 52;

interface RolledRow {
  event: string;
  owner: string | null;
  /** Type of the counts: by value, by quarter-hour and value, or of events. */
  kind: 'values' | 'quarters' | 'events';
  /** Days since 1970 for `quarters`; quarter-hours since 1970 for `events`. */
  time: number;
  counts: Buffer | null;
  value: string | null;
  n: number | null;
  amount: string | null;
}

/**
 * Reads the counts of a query.
 *
 * @param by what the counts are grouped by: values or quarter-hours
 * @returns `undefined` if rollups cannot answer the query
 */
export async function readRollups(
  countQuery: SqlCountQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
): Promise<Rolled | undefined> {
  const { projectId, events, filter } = countQuery;
  const { records, domain, conditions } = filter;
  if (conditions !== '' || (records !== undefined && domain !== undefined)) return undefined;
  if (await isRebuilding(projectId)) return undefined;
  const scope = records === undefined ? 'domain' : 'record';
  // Counts by record do not need rollups of the record's own.
  const isByOwner = scope === 'record' && dimension === 'record';
  const name = isByOwner ? 'all' : dimension;
  const isFine = isFineIn(scope, name);
  const [from, to] = wholeOf(spanOf(countQuery), isFine ? QUARTER_MS : DAY_MS);
  const query = new Query({ ...filter.bindings, projectId, events });
  if (from < to) addRollups(query, { scope, name, isFine, by, from, to, filter });
  addEvents(query, countQuery, dimension, by, [from, to]);
  const rolledRows = await query.run();
  const ids = new Ids();
  if (!isByOwner && name !== 'all' && rolledRows.some(({ kind }) => kind !== 'events')) {
    await ids.find(projectId, name, rolledRows);
  }
  const counts = new Map(events.map((event) => [event as string, new Counts()]));
  const [first, end] = [from / QUARTER_MS, to / QUARTER_MS];
  for (const row of rolledRows) {
    const sums = counts.get(row.event)!;
    const owner = isByOwner && row.owner !== null ? ids.idOf(row.owner) : undefined;
    if (row.kind === 'events') {
      const id =
        by === 'quarter' ? row.time : name === 'all' && !isByOwner ? 0 : ids.idOf(row.value!);
      sums.add(id, row.n!, amountOf(row.amount!));
    } else if (row.kind === 'values') {
      readCounts(row.counts!, (id, n, amount) => sums.add(owner ?? id, n, amount));
    } else {
      const day = row.time * QUARTERS;
      readCounts(row.counts!, (id, n, amount) => {
        const slot = id % QUARTERS;
        if (day + slot < first || day + slot >= end) return;
        sums.add(by === 'quarter' ? day + slot : (owner ?? (id - slot) / QUARTERS), n, amount);
      });
    }
  }
  return { counts, values: ids.values };
}

/** Parses a sum that Postgres wrote. */
export const amountOf = (text: string): Amount => plus(0, BigInt(text));

/** Counts of events that are in no rollup or block. */
export interface EventsRow {
  event: string;
  /** Quarter-hours since 1970. */
  time: number;
  value: string;
  n: number;
  amount: string;
}

/** Assigns ids to the values of events that were read directly. */
export class Ids {
  readonly values = new Map<number, string>();
  #ids: Map<string, number> = new Map();

  /** Finds the ids of values in the list, which rollups refer to. */
  async find(
    projectId: string,
    name: DimensionName,
    unlisted: readonly { value: string | null }[],
  ): Promise<void> {
    const values = new Set(unlisted.flatMap(({ value }) => (value === null ? [] : [value])));
    this.#ids = await findIds(projectId, name, [...values]);
  }

  idOf(value: string): number {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = UNLISTED + this.values.size;
      this.#ids.set(value, id);
      this.values.set(id, value);
    }
    return id;
  }
}

/** Query for rows of {@link RolledRow}, built from parts that each read some of them. */
class Query {
  readonly #parts: string[] = [];
  readonly #bindings: Record<string, SqlValue>;
  #times = 0;

  constructor(bindings: Record<string, SqlValue>) {
    this.#bindings = bindings;
  }

  add(part: string): void {
    this.#parts.push(part);
  }

  /** Binds a time in ms since 1970, and returns its placeholder. */
  time(ms: number): string {
    const name = `time${this.#times++}`;
    this.#bindings[name] = new Date(ms);
    return `:${name}::timestamptz`;
  }

  within(column: string, from: number, to: number): string {
    return `${column} >= ${this.time(from)} AND ${column} < ${this.time(to)}`;
  }

  async run(): Promise<RolledRow[]> {
    if (this.#parts.length === 0) return [];
    return rows<RolledRow>(db(), this.#parts.join('\n UNION ALL '), this.#bindings);
  }
}

/** Rollups that a query reads; start and end in ms since 1970. */
interface RollupRange {
  scope: Scope;
  name: DimensionName;
  isFine: boolean;
  by: 'value' | 'quarter';
  from: number;
  to: number;
  filter: SqlCountQuery['filter'];
}

function addRollups(
  query: Query,
  { scope, name, isFine, by, from, to, filter }: RollupRange,
): void {
  const { table, key } = TABLES[scope];
  const select = (tableName: string, owner: string, kind: 'values' | 'quarters', more: string) => {
    const isOwned =
      scope === 'record'
        ? `AND r.${owner} = ANY(:records::text[])`
        : filter.domain === undefined
          ? ''
          : `AND r.${owner} = :domain`;
    const column = tableName === table && kind === 'quarters' ? 'quarters' : 'counts';
    query.add(
      `SELECT r.event, r.${owner} AS owner, '${kind}' AS kind, (extract(epoch FROM r.bucket) / 86400)::int AS time,
              r.${column} AS counts, NULL::text AS value, NULL::bigint AS n, NULL::text AS amount
         FROM ${tableName} r
        WHERE r.project_id = :projectId AND r.dimension = '${name}' AND r.event = ANY(:events) ${isOwned} AND ${more}`,
    );
  };
  const rollups = (
    step: 'd' | 'm',
    kind: 'values' | 'quarters',
    [begin, end]: readonly [number, number],
  ) => {
    if (begin >= end) return;
    const isThere = kind === 'quarters' ? 'AND r.quarters IS NOT NULL' : '';
    const time = query.within('r.bucket', begin, end);
    select(table, key, kind, `r.step = '${step}' AND ${time} ${isThere}`);
  };
  if (by === 'quarter') {
    rollups('d', 'quarters', [floor(from, DAY_MS), to]);
  } else {
    const days = wholeOf([new Date(from), new Date(to)], DAY_MS);
    const months = [ceilMonth(days[0]), floorMonth(days[1])] as const;
    rollups('m', 'values', months);
    if (months[0] < months[1]) {
      rollups('d', 'values', [days[0], months[0]]);
      rollups('d', 'values', [months[1], days[1]]);
    } else {
      rollups('d', 'values', days);
    }
    // The days at both ends, which may be the same day.
    if (days[0] > days[1]) {
      rollups('d', 'quarters', [days[1], days[0]]);
    } else {
      rollups('d', 'quarters', [floor(from, DAY_MS), days[0]]);
      rollups('d', 'quarters', [days[1], to]);
    }
  }
  const time = query.within('r.bucket', floor(from, DAY_MS), to);
  const isOfScope = `r.is_record = ${scope === 'record'}`;
  select('rollup_deltas', 'owner', isFine ? 'quarters' : 'values', `${isOfScope} AND ${time}`);
}

/** Adds the events outside of whole steps, and those of records without rollups. */
function addEvents(
  query: Query,
  countQuery: SqlCountQuery,
  dimension: DimensionName,
  by: 'value' | 'quarter',
  [from, to]: readonly [number, number],
): void {
  const time = by === 'value' ? '0' : `floor(date_part('epoch', at) / ${QUARTER_MS / 1000})::int`;
  const [start, end] = spanOf(countQuery).map((time) => time.getTime()) as [number, number];
  const rest: [number, number][] =
    from < to
      ? [
          [start, from],
          [to, end],
        ]
      : [[start, end]];
  const ragged = rest.filter(([begin, until]) => begin < until);
  const events = (selection: string) =>
    query.add(
      `SELECT event, NULL::text AS owner, 'events' AS kind, ${time} AS time, NULL::bytea AS counts,
              value, sum(n)::bigint AS n, sum(amount)::text AS amount
         FROM (${raw(dimension, selection)}) AS counted WHERE value IS NOT NULL GROUP BY 1, 4, 6`,
    );
  const within = ([begin, until]: [number, number]) => query.within('e.occurred_at', begin, until);
  const { filter } = countQuery;
  if (filter.records === undefined) {
    for (const part of ragged)
      events(`WHERE ${OF_EVENTS} AND ${within(part)} ${filterSql(filter)}`);
    return;
  }
  const ofRecords = (part: [number, number], condition: string) =>
    events(
      `JOIN (SELECT r.id, c.rolled_from FROM unnest(:records::text[]) AS r(id)
               LEFT JOIN counters c ON c.project_id = :projectId AND c.record_id = r.id) AS r ON r.id = e.link_id
        WHERE ${OF_EVENTS} AND ${within(part)} AND ${condition}`,
    );
  // Rollups of a record count events since `rolled_from`, and older ones that retention has
  // deleted.
  ofRecords([start, end], "e.occurred_at < coalesce(r.rolled_from, 'infinity')");
  for (const part of ragged) ofRecords(part, 'e.occurred_at >= r.rolled_from');
}

/** Returns the whole steps of a length within an interval, in ms since 1970. */
const wholeOf = ([from, to]: Interval, ms: number): readonly [number, number] => [
  Math.ceil(from.getTime() / ms) * ms,
  floor(to.getTime(), ms),
];

const floor = (time: number, ms: number): number => Math.floor(time / ms) * ms;

function floorMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function ceilMonth(time: number): number {
  const first = floorMonth(time);
  const date = new Date(first);
  return first === time ? first : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

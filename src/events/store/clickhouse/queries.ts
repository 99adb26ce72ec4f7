import { type DimensionName, dimensionOf, keyOfValues } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { type EventKind, kindsWithVisitors, pluralOf, storedKinds } from '../../kinds.ts';
import { type Numbers, numberNames, VISITORS } from '../../query/numbers.ts';
import { stepsOf } from '../../steps.ts';
import { QUARTER_MS } from '../postgres/quarters.ts';
import { inSteps } from '../postgres/queries.ts';
import { queryCounts } from '../postgres/query-counts.ts';
import { querySource, toSqlQuery } from '../postgres/source.ts';
import { postgresStore } from '../postgres/store.ts';
import { lastOf, topValues } from '../postgres/top.ts';
import { type CountQuery, MAX_VALUES, type TimeCount, type ValueCount } from '../store.ts';
import { type ClickHouse, isOneOf, literal } from './connection.ts';
import { readPending } from './pending.ts';
import { MOVED_KINDS } from './schema.ts';
import { type Source, sourceOf } from './source.ts';
import { foldSql, readerOf, valueSql } from './values.ts';

/*
 * Each query runs on Postgres, the outbox and ClickHouse, and their numbers are added. Postgres has
 * leads, sales, events from before ClickHouse was configured, and the counts of what retention has
 * deleted.
 */

const MINUTE_MS = 60_000;

const kindsIn = ({ events }: CountQuery): EventKind[] =>
  events.filter((kind) => MOVED_KINDS.includes(kind));

/** A number of a query that ClickHouse counts. */
interface CountedNumber {
  /** Name in rows of ClickHouse. */
  name: EventKind | typeof VISITORS;
  /** Name in answers. */
  number: string;
  /** Aggregate function of the events. */
  sql: string;
  isOf(event: Pick<StoredEvent, 'event' | 'visitor'>): boolean;
}

/** Lists the numbers of a query: the counts of its kinds, and the number of visitors. */
function numbersIn(query: CountQuery): CountedNumber[] {
  const kinds = kindsIn(query);
  const storedOf = (some: readonly EventKind[]) => storedKinds(some, query.filter.traffic);
  const isSingle = kinds.length === 1;
  const visited = kindsWithVisitors(kinds);
  const storedVisited = storedOf(visited);
  const isVisited =
    visited.length === kinds.length ? '' : ` AND ${isOneOf('event', storedVisited)}`;
  return [
    ...kinds.map((kind) => {
      const stored = storedOf([kind]);
      return {
        name: kind,
        number: pluralOf(kind),
        sql: isSingle ? 'count()' : `countIf(${isOneOf('event', stored)})`,
        isOf: ({ event }: Pick<StoredEvent, 'event'>) => stored.includes(event),
      };
    }),
    {
      name: VISITORS,
      number: VISITORS,
      sql: `countIf(visitor != ''${isVisited})`,
      isOf: ({ event, visitor }) => visitor !== null && storedVisited.includes(event),
    },
  ];
}

/** Adds events to the numbers that they belong to. */
function add(numbers: Numbers, { number }: CountedNumber, count: number): void {
  numbers[number] = (numbers[number] ?? 0) + count;
}

export async function totals(clickhouse: ClickHouse, query: CountQuery): Promise<Numbers> {
  const [source, numbers] = await Promise.all([
    sourceOf(clickhouse, query),
    postgresStore.totals(query),
  ]);
  if (source === undefined) return numbers;
  const counted = numbersIn(query);
  const [row] = await clickhouse.rows<Record<string, string | number>>(
    `SELECT ${countsOf(counted)} FROM ${source.table(columnsOf(kindsIn(query)), '1')}`,
  );
  for (const number of counted) {
    add(numbers, number, Number(row![number.name]) + source.waiting.filter(number.isOf).length);
  }
  return numbers;
}

export async function countByValue(
  clickhouse: ClickHouse,
  query: CountQuery,
  dimension: DimensionName,
  prefix = '',
): Promise<ValueCount[]> {
  const [source, counted] = await Promise.all([
    sourceOf(clickhouse, query),
    postgresStore.countByValue(query, dimension, prefix),
  ]);
  if (source === undefined) return counted;
  const keyOf = keyOfValues(dimension);
  const sums = new Map(counted.map((count) => [keyOf(count.value), count]));
  const numbersOf = (value: string): Numbers => {
    const key = keyOf(value);
    let sum = sums.get(key);
    if (sum === undefined) {
      const numbers = Object.fromEntries(numberNames(query.events).map((name) => [name, 0]));
      sum = { value, numbers };
      sums.set(key, sum);
    }
    sum.value = lastOf(sum.value, value);
    return sum.numbers;
  };
  const read = readerOf(dimension);
  const inClickHouse = numbersIn(query);
  for (const event of source.waiting) {
    const value = read(event);
    if (value?.startsWith(prefix) !== true) continue;
    for (const number of inClickHouse) if (number.isOf(event)) add(numbersOf(value), number, 1);
  }
  const candidates = [...sums.keys()];
  for (const row of await topStored(clickhouse, source, query, dimension, prefix, candidates)) {
    const numbers = numbersOf(row.shown ?? row.value);
    for (const number of inClickHouse) add(numbers, number, Number(row[number.name]));
  }
  return topValues([...sums.values()], query.events, keyOf);
}

/** Columns of a table whose events are counted by kind, besides the value they are grouped by. */
const columnsOf = (kinds: readonly EventKind[]): string[] => [
  'visitor',
  ...(kinds.length === 1 ? [] : ['event']),
];

/** SQL that counts the events of each number, under its name. */
const countsOf = (numbers: readonly CountedNumber[], before = ''): string =>
  numbers.map(({ name, sql }) => `${sql} AS ${before}${name}`).join(', ');

/** The counts of a value, or of the values with one key: `value` is the key, and one is shown. */
type StoredValue = { value: string; shown?: string } & Record<string, string | number>;

/**
 * Reads the values with the most events in ClickHouse, and those already known from Postgres and
 * the outbox: no other value can be among the highest totals. SQL that depends on the value alone
 * runs once per value, after counting.
 */
async function topStored(
  clickhouse: ClickHouse,
  source: Source,
  query: CountQuery,
  dimension: DimensionName,
  prefix: string,
  candidates: readonly string[],
): Promise<StoredValue[]> {
  const numbers = numbersIn(query);
  const { value, condition, isOfValue, derived } = valueSql(dimension);
  const columns = [`${value} AS value`, ...columnsOf(kindsIn(query))];
  // The server copies what remains after a condition on each event, so events without a value are
  // counted too and left out afterwards.
  const counted = `SELECT value, ${countsOf(numbers)}
    FROM ${source.table(columns, isOfValue ? '1' : condition)}
    GROUP BY value${isOfValue ? " HAVING value != ''" : ''}`;
  const key = dimensionOf(dimension).ignoresCase === true ? foldSql('part') : 'part';
  const values =
    derived === undefined
      ? counted
      : `SELECT ${key} AS value, max(part) AS shown, ${numbers.map(({ name }) => `sum(n_${name}) AS ${name}`).join(', ')}
           FROM (SELECT ${derived} AS part, ${numbers.map(({ name }) => `${name} AS n_${name}`).join(', ')} FROM (${counted}))
          WHERE part != '' GROUP BY value`;
  const [first] = query.events;
  const order = MOVED_KINDS.includes(first!) ? `${first} DESC, value` : 'value';
  const select = (among: string) =>
    clickhouse.rows<StoredValue>(
      `SELECT * FROM (${values}) WHERE ${among} ORDER BY ${order} LIMIT ${MAX_VALUES}`,
    );
  const top = await select(prefix === '' ? '1' : `startsWith(value, ${literal(prefix)})`);
  if (top.length < MAX_VALUES) return top;
  const listed = new Set(top.map((row) => row.value));
  const others = candidates.filter((candidate) => !listed.has(candidate));
  for (let from = 0; from < others.length; from += MAX_VALUES) {
    top.push(...(await select(isOneOf('value', others.slice(from, from + MAX_VALUES)))));
  }
  return top;
}

export async function countByTime(clickhouse: ClickHouse, query: CountQuery): Promise<TimeCount[]> {
  const [source, counted] = await Promise.all([
    sourceOf(clickhouse, query),
    postgresStore.countByTime(query),
  ]);
  if (source === undefined) return counted;
  const unitMs = query.span.granularity === 'minute' ? MINUTE_MS : QUARTER_MS;
  const kinds = kindsIn(query);
  const numbers = numbersIn(query);
  const { counts } = queryCounts(kinds);
  // Visitors are counted for all kinds together.
  const [visited] = kindsWithVisitors(kinds);
  const addTo = ({ name }: CountedNumber, unit: number, n: number): void => {
    if (name === VISITORS) counts.get(visited!)!.add(unit, 0, 0, n);
    else counts.get(name)!.add(unit, n);
  };
  for (const event of source.waiting) {
    const unit = Math.floor(event.occurred_at.getTime() / unitMs);
    for (const number of numbers) if (number.isOf(event)) addTo(number, unit, 1);
  }
  const step = unitMs === QUARTER_MS ? 'slot' : `intDiv(at, ${unitMs * 1000})`;
  // All counts in one row: a year has 35,000 quarter-hours.
  const [row] = await clickhouse.rows<Record<string, (string | number)[]>>(
    `SELECT groupArray(step) AS steps, ${numbers.map(({ name }) => `groupArray(n_${name}) AS ${name}`).join(', ')}
       FROM (SELECT step, ${countsOf(numbers, 'n_')}
               FROM ${source.table([`${step} AS step`, ...columnsOf(kinds)], '1')} GROUP BY step)`,
  );
  for (const [at, unit] of row!['steps']!.entries()) {
    for (const number of numbers) addTo(number, Number(unit), Number(row![number.name]![at]));
  }
  const otherCounts = inSteps(stepsOf(query.span), kinds, counts, unitMs);
  for (const [at, step] of counted.entries()) {
    for (const number of numbers) {
      add(step.numbers, number, otherCounts[at]!.numbers[number.number]!);
    }
  }
  return counted;
}

export async function countVisitors(clickhouse: ClickHouse, query: CountQuery): Promise<number> {
  const source = await sourceOf(clickhouse, query);
  if (source === undefined) return postgresStore.countVisitors(query);
  const inPostgres = await querySource<{ value: string }>(
    toSqlQuery(query),
    'visitor',
    'SELECT DISTINCT value FROM source',
  );
  const read = readerOf('visitor');
  const values = new Set([
    ...inPostgres.map(({ value }) => value),
    ...source.waiting.map((event) => read(event)!),
  ]);
  const listed =
    values.size === 0 ? '' : `UNION ALL SELECT arrayJoin([${[...values].map(literal).join(', ')}])`;
  const [row] = await clickhouse.rows<{ n: string | number }>(
    `SELECT uniqExact(value) AS n FROM (
       SELECT value FROM ${source.table([`${valueSql('visitor').value} AS value`], '1')} ${listed})`,
  );
  return Number(row!.n);
}

export async function findFirstTime(
  clickhouse: ClickHouse,
  projectId: string,
): Promise<Date | undefined> {
  const inPostgres = await postgresStore.findFirstTime(projectId);
  const { events, counting } = await readPending(projectId, 'true');
  const [row] = await clickhouse.rows<{ n: string | number; first: string | number }>(
    `SELECT count() AS n, min(at) AS first FROM events WHERE ${counting}`,
  );
  const times = [
    ...(inPostgres === undefined ? [] : [inPostgres.getTime()]),
    ...events.map(({ occurred_at }) => occurred_at.getTime()),
    ...(Number(row!.n) === 0 ? [] : [Number(row!.first) / 1000]),
  ];
  if (times.length === 0) return undefined;
  const first = times.reduce((a, b) => Math.min(a, b));
  return new Date(Math.floor(first / QUARTER_MS) * QUARTER_MS);
}

export async function listValues(
  clickhouse: ClickHouse,
  projectId: string,
  dimension: DimensionName,
): Promise<string[]> {
  const values = await postgresStore.listValues(projectId, dimension);
  const { events, counting } = await readPending(projectId, 'true');
  const { value, condition, derived } = valueSql(dimension);
  const stored = `SELECT ${value} AS value FROM events WHERE ${counting} AND ${condition} GROUP BY value`;
  const storedValues = await clickhouse.rows<{ value: string }>(
    derived === undefined
      ? stored
      : `SELECT DISTINCT part AS value FROM (SELECT ${derived} AS part FROM (${stored})) WHERE part != ''`,
  );
  const read = readerOf(dimension);
  const waiting = events.flatMap((event: StoredEvent) => read(event) ?? []);
  return [...new Set([...values, ...storedValues.map((row) => row.value), ...waiting])];
}

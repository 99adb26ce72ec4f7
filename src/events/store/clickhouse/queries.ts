import type { DimensionName } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { type EventKind, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { stepsOf } from '../../steps.ts';
import { Counts } from '../postgres/counts.ts';
import { QUARTER_MS } from '../postgres/quarters.ts';
import { inSteps } from '../postgres/queries.ts';
import { querySource, toSqlQuery } from '../postgres/source.ts';
import { postgresStore } from '../postgres/store.ts';
import { topValues } from '../postgres/top.ts';
import { type CountQuery, MAX_VALUES, type TimeCount, type ValueCount } from '../store.ts';
import { type ClickHouse, isOneOf, literal } from './connection.ts';
import { readPending } from './pending.ts';
import { MOVED_KINDS } from './schema.ts';
import { type Source, sourceOf } from './source.ts';
import { readerOf, valueSql } from './values.ts';

/*
 * Each query runs on Postgres, the outbox and ClickHouse, and their numbers are added. Postgres has
 * leads, sales, events from before ClickHouse was configured, and the counts of what retention has
 * deleted.
 */

const MINUTE_MS = 60_000;

const kindsIn = ({ events }: CountQuery): EventKind[] =>
  events.filter((kind) => MOVED_KINDS.includes(kind));

/** Adds a number of events to the count of their kind. */
function add(numbers: Numbers, event: EventKind, count: number): void {
  const name = pluralOf(event);
  numbers[name] = (numbers[name] ?? 0) + count;
}

export async function totals(clickhouse: ClickHouse, query: CountQuery): Promise<Numbers> {
  const [source, numbers] = await Promise.all([
    sourceOf(clickhouse, query),
    postgresStore.totals(query),
  ]);
  if (source === undefined) return numbers;
  for (const { event } of source.waiting) add(numbers, event, 1);
  const [kind, ...others] = kindsIn(query);
  const sql =
    others.length === 0
      ? `SELECT count() AS n FROM ${source.table(['slot'], '1')}`
      : `SELECT event, count() AS n FROM ${source.table(['event'], '1')} GROUP BY event`;
  const counted = await clickhouse.rows<{ event?: EventKind; n: string | number }>(sql);
  for (const { event = kind!, n } of counted) add(numbers, event, Number(n));
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
  const sums = new Map(counted.map(({ value, numbers }) => [value, numbers]));
  const numbersOf = (value: string): Numbers => {
    let numbers = sums.get(value);
    if (numbers === undefined) {
      numbers = Object.fromEntries(numberNames(query.events).map((name) => [name, 0]));
      sums.set(value, numbers);
    }
    return numbers;
  };
  const read = readerOf(dimension);
  for (const event of source.waiting) {
    const value = read(event);
    if (value?.startsWith(prefix) === true) add(numbersOf(value), event.event, 1);
  }
  const candidates = [...sums.keys()];
  for (const row of await topStored(clickhouse, source, query, dimension, prefix, candidates)) {
    for (const kind of kindsIn(query)) add(numbersOf(row.value), kind, Number(row[kind]));
  }
  const valueCounts = Array.from(sums, ([value, numbers]) => ({ value, numbers }));
  return topValues(valueCounts, query.events);
}

/**
 * Columns of a table whose events are counted by one value and by kind, so that the group key is a
 * single column.
 */
const columnsOf = (kinds: readonly EventKind[], value: string, name: string): string[] => [
  `${value} AS ${name}`,
  ...(kinds.length === 1 ? [] : ['event']),
];

/** SQL that counts the events of each kind, under the name of the kind. */
const countsOf = (kinds: readonly EventKind[], before = ''): string =>
  kinds
    .map((kind) => {
      const count = kinds.length === 1 ? 'count()' : `countIf(event = ${literal(kind)})`;
      return `${count} AS ${before}${kind}`;
    })
    .join(', ');

type StoredValue = { value: string } & Record<EventKind, string | number>;

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
  const kinds = kindsIn(query);
  const { value, condition, isOfValue, part } = valueSql(dimension);
  // The server copies what remains after a condition on each event, so events without a value are
  // counted too and left out afterwards.
  const counted = `SELECT value, ${countsOf(kinds)}
    FROM ${source.table(columnsOf(kinds, value, 'value'), isOfValue ? '1' : condition)}
    GROUP BY value${isOfValue ? " HAVING value != ''" : ''}`;
  const values =
    part === undefined
      ? counted
      : `SELECT part AS value, ${kinds.map((kind) => `sum(n_${kind}) AS ${kind}`).join(', ')}
           FROM (SELECT ${part} AS part, ${kinds.map((kind) => `${kind} AS n_${kind}`).join(', ')} FROM (${counted}))
          WHERE part != '' GROUP BY part`;
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
  const counts = new Map(kinds.map((kind) => [kind as string, new Counts()]));
  for (const { event, occurred_at } of source.waiting) {
    counts.get(event)!.add(Math.floor(occurred_at.getTime() / unitMs), 1);
  }
  const step = unitMs === QUARTER_MS ? 'slot' : `intDiv(at, ${unitMs * 1000})`;
  // All counts in one row: a year has 35,000 quarter-hours.
  const [row] = await clickhouse.rows<Record<'steps' | EventKind, (string | number)[]>>(
    `SELECT groupArray(step) AS steps, ${kinds.map((kind) => `groupArray(n_${kind}) AS ${kind}`).join(', ')}
       FROM (SELECT step, ${countsOf(kinds, 'n_')} FROM ${source.table(columnsOf(kinds, step, 'step'), '1')} GROUP BY step)`,
  );
  for (const [at, unit] of row!.steps.entries()) {
    for (const kind of kinds) counts.get(kind)!.add(Number(unit), Number(row![kind][at]));
  }
  const otherCounts = inSteps(stepsOf(query.span), kinds, counts, unitMs);
  for (const [at, { numbers }] of counted.entries()) {
    for (const kind of kinds) add(numbers, kind, otherCounts[at]!.numbers[pluralOf(kind)]!);
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
  const { value, condition, part } = valueSql(dimension);
  const stored = `SELECT ${value} AS value FROM events WHERE ${counting} AND ${condition} GROUP BY value`;
  const storedValues = await clickhouse.rows<{ value: string }>(
    part === undefined
      ? stored
      : `SELECT DISTINCT part AS value FROM (SELECT ${part} AS part FROM (${stored})) WHERE part != ''`,
  );
  const read = readerOf(dimension);
  const waiting = events.flatMap((event: StoredEvent) => read(event) ?? []);
  return [...new Set([...values, ...storedValues.map((row) => row.value), ...waiting])];
}

import type { DimensionName } from '../../dimensions.ts';
import type { StoredEvent } from '../../event.ts';
import { type EventKind, pluralOf } from '../../kinds.ts';
import { type Numbers, numberNames } from '../../query/numbers.ts';
import { Counts } from '../postgres/counts.ts';
import { findSteps, inSteps } from '../postgres/questions.ts';
import { QUARTER_MS } from '../postgres/rollups.ts';
import { ask, toSqlQuestion } from '../postgres/source.ts';
import { postgresStore } from '../postgres/store.ts';
import { most } from '../postgres/top.ts';
import { MAX_VALUES, type Question, type TimeCount, type ValueCount } from '../store.ts';
import { type ClickHouse, isOneOf, literal } from './connection.ts';
import { readPending } from './pending.ts';
import { MOVED_KINDS } from './schema.ts';
import { type Source, sourceOf } from './source.ts';
import { readerOf, valueSql } from './values.ts';

/*
 * Each question is asked of Postgres, of the outbox and of ClickHouse, and their numbers are added: Postgres has leads,
 * sales, what it stored before ClickHouse was named, and the counts of what retention has deleted.
 */

const MINUTE_MS = 60_000;

const kindsIn = ({ events }: Question): EventKind[] =>
  events.filter((kind) => MOVED_KINDS.includes(kind));

/** Adds events to the numbers of their kind. */
function add(numbers: Numbers, event: EventKind, count: number): void {
  const name = pluralOf(event);
  numbers[name] = (numbers[name] ?? 0) + count;
}

export async function totals(clickhouse: ClickHouse, asked: Question): Promise<Numbers> {
  const [source, numbers] = await Promise.all([sourceOf(asked), postgresStore.totals(asked)]);
  if (source === undefined) return numbers;
  for (const { event } of source.waiting) add(numbers, event, 1);
  const [kind, ...others] = kindsIn(asked);
  const query =
    others.length === 0
      ? `SELECT count() AS n FROM ${source.table(['slot'], '1')}`
      : `SELECT event, count() AS n FROM ${source.table(['event'], '1')} GROUP BY event`;
  const found = await clickhouse.rows<{ event?: EventKind; n: string | number }>(query);
  for (const { event = kind!, n } of found) add(numbers, event, Number(n));
  return numbers;
}

export async function countByValue(
  clickhouse: ClickHouse,
  asked: Question,
  dimension: DimensionName,
  prefix = '',
): Promise<ValueCount[]> {
  const [source, counted] = await Promise.all([
    sourceOf(asked),
    postgresStore.countByValue(asked, dimension, prefix),
  ]);
  if (source === undefined) return counted;
  const sums = new Map(counted.map(({ value, numbers }) => [value, numbers]));
  const numbersOf = (value: string): Numbers => {
    let numbers = sums.get(value);
    if (numbers === undefined) {
      numbers = Object.fromEntries(numberNames(asked.events).map((name) => [name, 0]));
      sums.set(value, numbers);
    }
    return numbers;
  };
  const read = readerOf(dimension);
  for (const event of source.waiting) {
    const value = read(event);
    if (value?.startsWith(prefix) === true) add(numbersOf(value), event.event, 1);
  }
  const known = [...sums.keys()];
  for (const row of await topStored(clickhouse, source, asked, dimension, prefix, known)) {
    for (const kind of kindsIn(asked)) add(numbersOf(row.value), kind, Number(row[kind]));
  }
  const all = Array.from(sums, ([value, numbers]) => ({ value, numbers }));
  return most(all, asked.events);
}

/** Columns of a table whose events are counted by one value and by kind: the key of a group is then one column. */
const columnsOf = (kinds: readonly EventKind[], value: string, name: string): string[] => [
  `${value} AS ${name}`,
  ...(kinds.length === 1 ? [] : ['event']),
];

/** Numbers of events of each kind, each under the name of the kind. */
const countsOf = (kinds: readonly EventKind[], before = ''): string =>
  kinds
    .map((kind) => {
      const count = kinds.length === 1 ? 'count()' : `countIf(event = ${literal(kind)})`;
      return `${count} AS ${before}${kind}`;
    })
    .join(', ');

type StoredValue = { value: string } & Record<EventKind, string | number>;

/**
 * Reads the values of which ClickHouse has most, and those that are known from elsewhere: no other can be among those of
 * which there is most in all. Each value is looked at once its events are counted, rather than with each of them.
 */
async function topStored(
  clickhouse: ClickHouse,
  source: Source,
  asked: Question,
  dimension: DimensionName,
  prefix: string,
  known: readonly string[],
): Promise<StoredValue[]> {
  const kinds = kindsIn(asked);
  const { value, condition, isOfValue, part } = valueSql(dimension);
  // Of a condition on each event, the server copies what remains: events without a value are counted, and then left out.
  const counted = `SELECT value, ${countsOf(kinds)}
    FROM ${source.table(columnsOf(kinds, value, 'value'), isOfValue ? '1' : condition)}
    GROUP BY value${isOfValue ? " HAVING value != ''" : ''}`;
  const values =
    part === undefined
      ? counted
      : `SELECT part AS value, ${kinds.map((kind) => `sum(n_${kind}) AS ${kind}`).join(', ')}
           FROM (SELECT ${part} AS part, ${kinds.map((kind) => `${kind} AS n_${kind}`).join(', ')} FROM (${counted}))
          WHERE part != '' GROUP BY part`;
  const [first] = asked.events;
  const order = MOVED_KINDS.includes(first!) ? `${first} DESC, value` : 'value';
  const select = (among: string) =>
    clickhouse.rows<StoredValue>(
      `SELECT * FROM (${values}) WHERE ${among} ORDER BY ${order} LIMIT ${MAX_VALUES}`,
    );
  const top = await select(prefix === '' ? '1' : `startsWith(value, ${literal(prefix)})`);
  if (top.length < MAX_VALUES) return top;
  const listed = new Set(top.map((row) => row.value));
  const others = known.filter((some) => !listed.has(some));
  for (let from = 0; from < others.length; from += MAX_VALUES) {
    top.push(...(await select(isOneOf('value', others.slice(from, from + MAX_VALUES)))));
  }
  return top;
}

export async function countByTime(clickhouse: ClickHouse, asked: Question): Promise<TimeCount[]> {
  const [source, steps, counted] = await Promise.all([
    sourceOf(asked),
    findSteps(asked.span),
    postgresStore.countByTime(asked),
  ]);
  if (source === undefined) return counted;
  const unitMs = asked.span.granularity === 'minute' ? MINUTE_MS : QUARTER_MS;
  const kinds = kindsIn(asked);
  const counts = new Map(kinds.map((kind) => [kind as string, new Counts()]));
  for (const { event, occurred_at } of source.waiting) {
    counts.get(event)!.add(Math.floor(occurred_at.getTime() / unitMs), 1);
  }
  const step = unitMs === QUARTER_MS ? 'slot' : `intDiv(at, ${unitMs * 1000})`;
  // In one row: a year has 35,000 quarters of an hour.
  const [found] = await clickhouse.rows<Record<'steps' | EventKind, (string | number)[]>>(
    `SELECT groupArray(step) AS steps, ${kinds.map((kind) => `groupArray(n_${kind}) AS ${kind}`).join(', ')}
       FROM (SELECT step, ${countsOf(kinds, 'n_')} FROM ${source.table(columnsOf(kinds, step, 'step'), '1')} GROUP BY step)`,
  );
  for (const [at, unit] of found!.steps.entries()) {
    for (const kind of kinds) counts.get(kind)!.add(Number(unit), Number(found![kind][at]));
  }
  const elsewhere = inSteps(steps, kinds, counts, unitMs);
  for (const [at, { numbers }] of counted.entries()) {
    for (const kind of kinds) add(numbers, kind, elsewhere[at]!.numbers[pluralOf(kind)]!);
  }
  return counted;
}

export async function countVisitors(clickhouse: ClickHouse, asked: Question): Promise<number> {
  const source = await sourceOf(asked);
  if (source === undefined) return postgresStore.countVisitors(asked);
  const inPostgres = await ask<{ value: string }>(
    toSqlQuestion(asked),
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
  const first = times.reduce((one, other) => Math.min(one, other));
  return new Date(Math.floor(first / QUARTER_MS) * QUARTER_MS);
}

export async function listValues(
  clickhouse: ClickHouse,
  projectId: string,
  dimension: DimensionName,
): Promise<string[] | undefined> {
  const values = await postgresStore.listValues(projectId, dimension);
  if (values === undefined) return undefined;
  const { events, counting } = await readPending(projectId, 'true');
  const { value, condition, part } = valueSql(dimension);
  const stored = `SELECT ${value} AS value FROM events WHERE ${counting} AND ${condition} GROUP BY value`;
  const found = await clickhouse.rows<{ value: string }>(
    part === undefined
      ? stored
      : `SELECT DISTINCT part AS value FROM (SELECT ${part} AS part FROM (${stored})) WHERE part != ''`,
  );
  const read = readerOf(dimension);
  const waiting = events.flatMap((event: StoredEvent) => read(event) ?? []);
  return [...new Set([...values, ...found.map((row) => row.value), ...waiting])];
}

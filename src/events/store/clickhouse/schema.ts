import { COLUMNS, initialRow } from '../../columns.ts';
import { type EventRow, INITIAL_EVENT } from '../../event.ts';
import { kindsOfFamily, storedKinds } from '../../kinds.ts';
import type { ListedEvent } from '../store.ts';

/** Columns that are always empty for visits. Events with a value stay in Postgres. */
export const EMPTY = ['customer_id', 'amount_cents', 'sale', 'metadata'] as const;

type EmptyColumn = (typeof EMPTY)[number];

/** Columns of events that the ClickHouse table has under the same names. */
type TextColumn = Exclude<keyof EventRow, 'occurred_at' | EmptyColumn>;

const isText = (name: keyof EventRow): name is TextColumn =>
  name !== 'occurred_at' && !(EMPTY as readonly string[]).includes(name);

const TEXTS = (Object.keys(COLUMNS) as (keyof EventRow)[]).filter(isText);

/**
 * Event kinds kept in ClickHouse. Leads and sales stay in Postgres: they concern money, and are
 * few.
 */
export const MOVED_KINDS = [...kindsOfFamily('visit'), ...kindsOfFamily('view')];

/** Names under which these events are stored. */
export const MOVED_STORED_KINDS = storedKinds(MOVED_KINDS, 'all');

/** Returns true for an event that is kept in ClickHouse. */
export const isMoved = (row: EventRow): boolean =>
  MOVED_STORED_KINDS.includes(row.event) && EMPTY.every((name) => row[name] === null);

const INITIAL = initialRow(COLUMNS);

/**
 * Returns true for a column that can be null in Postgres. ClickHouse stores an empty text instead,
 * which no value equals.
 */
export const isNullable = (name: keyof EventRow): boolean => INITIAL[name] === null;

/**
 * Columns whose values differ from event to event, so that a dictionary would be as long as the
 * column.
 */
const DIFFERENT: readonly TextColumn[] = ['id', 'click_id', 'key', 'url', 'ip'];

const typeOf = (name: TextColumn): string =>
  DIFFERENT.includes(name) ? 'String' : 'LowCardinality(String)';

/**
 * Columns of the events table, with the SQL of their values for an event `e` of the outbox with
 * campaign `c`. `batch` decides which rows count (`pending.ts`); `at` is microseconds since 1970,
 * the precision of Postgres.
 */
const STORED: readonly { name: string; type: string; sql: string }[] = [
  { name: 'batch', type: 'UInt32', sql: ':batch::bigint' },
  { name: 'at', type: 'Int64', sql: '(extract(epoch FROM e.occurred_at) * 1000000)::bigint' },
  { name: 'utm', type: 'LowCardinality(String)', sql: "coalesce(c.utm, '')" },
  ...TEXTS.map((name) => ({
    name,
    type: typeOf(name),
    sql: isNullable(name) ? `coalesce(e.${name}, '')` : `e.${name}`,
  })),
];

/**
 * Columns that ClickHouse derives from others: quarter-hours since 1970, and values of dimensions.
 * Deriving them in each query would take several times as long.
 */
const MADE: readonly { name: string; type: string; sql: string }[] = [
  { name: 'slot', type: 'Int32', sql: 'toInt32(floor(at / 900000000))' },
  {
    name: 'page_url',
    type: 'LowCardinality(String)',
    sql: "splitByChar('?', splitByChar('#', url)[1])[1]",
  },
  {
    name: 'area',
    type: 'LowCardinality(String)',
    sql: String.raw`concat(country, '\t', region)`,
  },
  {
    name: 'place',
    type: 'LowCardinality(String)',
    sql: String.raw`concat(country, '\t', region, '\t', city)`,
  },
];

/** Columns that tables of releases before 0.6 lack. */
export const ADDED_COLUMNS = STORED.filter(({ name }) =>
  ['visitor', 'suspect', 'privacy'].includes(name),
);

/** SQL of the values of added columns in rows of before. */
export const EARLIER_VALUES: Readonly<Record<string, string>> = { privacy: "'unknown'" };

/** Columns that are inserted from the outbox. */
export const STORED_COLUMNS = STORED.map(({ name }) => name) as [string, ...string[]];

/**
 * Postgres SQL that selects {@link STORED_COLUMNS} of the events up to `:last`, in the batch
 * `:batch`.
 */
export const OUTBOX_VALUES = `
  WITH campaigns AS MATERIALIZED (
    SELECT url, array_to_string(nullif(utm_texts(url), array_fill(NULL::text, ARRAY[5])), E'\\t', '') AS utm
      FROM (SELECT DISTINCT url FROM event_outbox WHERE seq <= :last AND strpos(url, 'utm_') > 0) AS destinations)
  SELECT ${STORED.map(({ sql }) => sql).join(', ')}
    FROM event_outbox e LEFT JOIN campaigns c ON c.url = e.url WHERE e.seq <= :last`;

/**
 * SQL that creates the events table.
 *
 * A partition covers three months: an insert may touch no more than a hundred partitions, and
 * imports contain events of many years.
 */
export const createTable = (
  name: string,
  engine: string,
): string => `CREATE TABLE IF NOT EXISTS ${name} (
  ${STORED.map((column) => `${column.name} ${column.type}`).join(',\n  ')},
  ${MADE.map((column) => `${column.name} ${column.type} DEFAULT ${column.sql}`).join(',\n  ')}
) ENGINE = ${engine}
PARTITION BY toRelativeQuarterNum(toDateTime(intDiv(at, 1000000), 'UTC'))
ORDER BY (project_id, event, slot, at, id)`;

/** SQL of {@link STORED_COLUMNS} in the first layout, whose columns were nullable. */
export const FIRST_VALUES = STORED.map(({ name }) =>
  isText(name as keyof EventRow) && isNullable(name as keyof EventRow)
    ? `ifNull(${name}, '')`
    : name,
).join(', ');

/** Columns that are read for queries that return whole events. */
export const EVENT_COLUMNS = ['at', ...TEXTS].join(', ');

/** A row with {@link EVENT_COLUMNS}. */
export type StoredRow = Record<TextColumn, string> & { at: string | number };

/** Converts a row to an event. */
export function toEvent({ at, ...row }: StoredRow): ListedEvent {
  const atMicros = Number(at);
  const occurred_at = new Date(Math.floor(atMicros / 1000));
  const event = { ...INITIAL_EVENT, ...row, occurred_at, atMicros } as ListedEvent;
  for (const name of NULLABLE) if (row[name] === '') Object.assign(event, { [name]: null });
  return event;
}

const NULLABLE = TEXTS.filter(isNullable);

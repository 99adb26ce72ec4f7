import { COLUMNS, initialRow } from '../../columns.ts';
import { pageOf } from '../../dimensions.ts';
import { type EventRow, INITIAL_EVENT } from '../../event.ts';
import { kindsOfFamily } from '../../kinds.ts';
import { utmValue } from '../postgres/tally.ts';
import type { ListedEvent } from '../store.ts';

/** Columns that visits have no value in; events with one stay in Postgres. */
export const EMPTY = ['customer_id', 'amount_cents', 'sale', 'metadata'] as const;

type EmptyColumn = (typeof EMPTY)[number];

/** Columns of events that the table in ClickHouse has too, under the same names. */
type TextColumn = Exclude<keyof EventRow, 'occurred_at' | EmptyColumn>;

const isText = (name: keyof EventRow): name is TextColumn =>
  name !== 'occurred_at' && !(EMPTY as readonly string[]).includes(name);

const TEXTS = (Object.keys(COLUMNS) as (keyof EventRow)[]).filter(isText);

/** Kinds of events that are kept in ClickHouse. Leads and sales stay in Postgres: they are money, and few. */
export const MOVED_KINDS = [...kindsOfFamily('visit'), ...kindsOfFamily('view')];

/** True for an event that is kept in ClickHouse. */
export const isMoved = (row: EventRow): boolean =>
  MOVED_KINDS.includes(row.event) && EMPTY.every((name) => row[name] === null);

const INITIAL = initialRow(COLUMNS);

/**
 * The table of events. `at` is microseconds since 1970, as exact as Postgres keeps times; `page_url` and `utm` are the
 * values of these dimensions. `batch` says which rows count (`pending.ts`).
 *
 * Parts are of three months: an insert may have rows of a hundred parts at most, and imports have events of many years.
 */
export const CREATE_EVENTS = `CREATE TABLE IF NOT EXISTS events (
  batch UInt64,
  at Int64,
  page_url String,
  utm String,
  ${TEXTS.map((name) => `${name} ${INITIAL[name] === null ? 'Nullable(String)' : 'String'}`).join(',\n  ')}
) ENGINE = MergeTree
PARTITION BY toRelativeQuarterNum(toDateTime(intDiv(at, 1000000), 'UTC'))
ORDER BY (project_id, event, at, id)`;

/** Columns of a question that needs whole events. */
export const EVENT_COLUMNS = ['at', ...TEXTS].join(', ');

/** The row of an event in ClickHouse. */
export function toRow(batch: number, event: ListedEvent): object {
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, event[name]])),
    batch,
    at: event.atMicros,
    page_url: pageOf(event.url),
    utm: utmValue(event.url) ?? '',
  };
}

/** A row with {@link EVENT_COLUMNS}. */
export type StoredRow = Pick<EventRow, TextColumn> & { at: string | number };

/** The event of a row. */
export function toEvent({ at, ...row }: StoredRow): ListedEvent {
  const atMicros = Number(at);
  const occurred_at = new Date(Math.floor(atMicros / 1000));
  return { ...INITIAL_EVENT, ...row, occurred_at, atMicros };
}

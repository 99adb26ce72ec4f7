import { COLUMNS, columnsOfClick, initialRow, type RowOf } from './columns.ts';

/** Name of the lead that is recorded when a form in front of a destination is submitted. */
export const FORM_SUBMITTED = 'Form submitted';

/** An event as it is inserted. */
export type EventRow = RowOf<typeof COLUMNS>;

/** An event as it is read, with its time as a Date. */
export type StoredEvent = Omit<EventRow, 'occurred_at'> & { occurred_at: Date };

/**
 * Reason why a visit is not counted. `repeat`: the visitor was already counted in the same window.
 */
export type UncountedReason = 'repeat';

/** An event for live streams: a stored one, or an uncounted visit, which is stored nowhere. */
export type LiveRow = EventRow & { uncounted?: UncountedReason };

/** An event with the initial value of every column. */
export const INITIAL_EVENT: Readonly<EventRow> = initialRow(COLUMNS);

/**
 * Makes a lead or sale that inherits visitor and link or QR code from its click.
 *
 * @param from the click, or the lead, that the event is attributed to
 */
export function attributed(
  from: StoredEvent | undefined,
  fields: Partial<EventRow> & Pick<EventRow, 'project_id' | 'id' | 'occurred_at' | 'event'>,
): EventRow {
  if (from === undefined) return { ...INITIAL_EVENT, ...fields };
  const row = { ...INITIAL_EVENT, click_id: from.click_id ?? from.id };
  return Object.assign(row, columnsOfClick(COLUMNS, from), fields);
}

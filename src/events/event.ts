import { COLUMNS, columnsOfClick, initialRow, type RowOf } from './columns.ts';

/** Name of the lead that a form before a destination makes. */
export const FORM_SUBMITTED = 'Form submitted';

/** An event as it is stored. */
export type EventRow = RowOf<typeof COLUMNS>;

/** An event as it is read: its time is a date. */
export type StoredEvent = Omit<EventRow, 'occurred_at'> & { occurred_at: Date };

/** Reason for which a visit is not counted. `repeat`: the visitor has been counted in the same window. */
export type UncountedReason = 'repeat';

/** An event on its way to the clients that watch: a stored one, or a visit that is not counted and stored nowhere. */
export type LiveRow = EventRow & { uncounted?: UncountedReason };

/** An event of which nothing is known. */
export const INITIAL_EVENT: Readonly<EventRow> = initialRow(COLUMNS);

/**
 * A lead or sale, with the visitor and the link or QR code of its click.
 *
 * @param from the click, or the lead, that it is attributed to
 */
export function attributed(
  from: StoredEvent | undefined,
  fields: Partial<EventRow> & Pick<EventRow, 'project_id' | 'id' | 'occurred_at' | 'event'>,
): EventRow {
  if (from === undefined) return { ...INITIAL_EVENT, ...fields };
  const row = { ...INITIAL_EVENT, click_id: from.click_id ?? from.id };
  return Object.assign(row, columnsOfClick(COLUMNS, from), fields);
}

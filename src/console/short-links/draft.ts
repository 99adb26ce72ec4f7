import { changedOf } from '../app/changed-of.ts';
import { ALL_FIELDS, type ShortLinkDraft, type ShortLinkRecord } from './fields.ts';

/** The form of a new record. */
export const EMPTY = Object.fromEntries(
  ALL_FIELDS.map(({ name, empty }) => [name, empty]),
) as ShortLinkDraft;

/** Returns the form of a stored record. */
export const draftOf = (record: ShortLinkRecord): ShortLinkDraft =>
  Object.fromEntries(
    ALL_FIELDS.map(({ name, empty, read }) => [
      name,
      read === undefined ? (record[name as keyof ShortLinkRecord] ?? empty) : read(record),
    ]),
  ) as ShortLinkDraft;

/** Adds an id to a list, or removes it. */
export const toggled = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];

/**
 * Returns the fields that changed, in the format of the API; an empty text becomes null.
 *
 * @param draft can have further fields, whose values are sent unchanged
 */
export function changesOf<Draft extends ShortLinkDraft>(
  draft: Draft,
  before: Draft,
): Partial<Record<keyof Draft, unknown>> {
  const body = Object.entries(changedOf(draft, before)).map(([name, changed]) => {
    const write = ALL_FIELDS.find((field) => field.name === name)?.write;
    const value: unknown = write === undefined ? changed : write(changed);
    return [name, value === '' ? null : value];
  });
  return Object.fromEntries(body) as Partial<Record<keyof Draft, unknown>>;
}

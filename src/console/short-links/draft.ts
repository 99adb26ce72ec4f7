import { ALL_FIELDS, type ShortLinkDraft, type ShortLinkRecord } from './fields.ts';

/** A new record. */
export const EMPTY = Object.fromEntries(
  ALL_FIELDS.map(({ name, empty }) => [name, empty]),
) as ShortLinkDraft;

/** The form of a record that exists. */
export const draftOf = (record: ShortLinkRecord): ShortLinkDraft =>
  Object.fromEntries(
    ALL_FIELDS.map(({ name, empty, read }) => [
      name,
      read === undefined ? (record[name as keyof ShortLinkRecord] ?? empty) : read(record),
    ]),
  ) as ShortLinkDraft;

/**
 * The fields of a form that differ from those before, as the API takes them; an empty text is null.
 *
 * @param draft may have further fields, whose values the API takes as they are
 */
export function changesOf<Draft extends ShortLinkDraft>(
  draft: Draft,
  before: Draft,
): Partial<Record<keyof Draft, unknown>> {
  const names = Object.keys(before) as (keyof Draft & string)[];
  const changed = names.filter(
    (name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]),
  );
  const body = changed.map((name) => {
    const write = ALL_FIELDS.find((field) => field.name === name)?.write;
    const value = write === undefined ? draft[name] : write(draft[name]);
    return [name, value === '' ? null : value];
  });
  return Object.fromEntries(body) as Partial<Record<keyof Draft, unknown>>;
}

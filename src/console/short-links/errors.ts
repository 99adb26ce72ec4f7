import { type RefObject, useEffect, useState } from 'react';
import { ApiError, describe } from '../api/error.ts';
import { EMPTY } from './draft.ts';

/** Messages by field, both by its whole path and, where it is a part of a shared field, by that field. */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

/** The field of the form that a path belongs to: that of `rules[0].url` is `rules`. */
export const fieldOf = (path: string): string => path.split(/[.[]/, 1)[0]!;

/** What was refused, by field. A key or an external id that is taken is refused as such. */
export function fieldErrors(error: unknown): FieldErrors {
  if (!(error instanceof ApiError)) return {};
  const taken = error.status === 409 ? /^The (key|externalId) /.exec(error.message) : null;
  if (taken !== null) return { [taken[1]!]: describe(error) };
  const errors: Record<string, string> = {};
  for (const [path, message] of Object.entries(error.fields)) {
    // Countries are names of fields in a body: a row without one has no name.
    errors[path] = path === 'geo.' ? 'Choose a country.' : message;
    if (fieldOf(path) in EMPTY) errors[fieldOf(path)] ??= errors[path];
  }
  return errors;
}

/** Messages of a refusal by field, and a function that takes away those of fields that have been changed since. */
export function useFieldErrors(
  refusal: unknown,
): [errors: FieldErrors, correct: (changes: object) => void] {
  const [corrected, setCorrected] = useState<{ of: unknown; names: string[] }>();
  const names = corrected?.of === refusal ? (corrected?.names ?? []) : [];
  const left = Object.entries(fieldErrors(refusal)).filter(
    ([path]) => !names.includes(fieldOf(path)),
  );
  return [
    Object.fromEntries(left),
    (changes) => setCorrected({ of: refusal, names: [...names, ...Object.keys(changes)] }),
  ];
}

/** True when a form shows each of the fields that a refusal names. */
export const hasEveryField = (error: unknown, form: object): boolean => {
  const names = Object.keys(fieldErrors(error)).map(fieldOf);
  return names.length > 0 && names.every((name) => name in form || name.startsWith('utm_'));
};

/** Moves the focus to the first field of a form that a refusal names. */
export function useFocusOnRefusal(form: RefObject<HTMLElement | null>, error: Error | null): void {
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [form, error]);
}

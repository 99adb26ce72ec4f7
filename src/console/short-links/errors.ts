import { type RefObject, useEffect, useState } from 'react';
import { ApiError, describe } from '../api/error.ts';
import { EMPTY } from './draft.ts';

/**
 * Error messages by field path; an error inside a shared field is also listed under the name of
 * that field.
 */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

/** Returns the form field of a path: `rules` for `rules[0].url`. */
export const fieldOf = (path: string): string => path.split(/[.[]/, 1)[0]!;

/**
 * Returns the messages of a refusal by field, including a conflict about a key or an external id.
 */
export function fieldErrors(error: unknown): FieldErrors {
  if (!(error instanceof ApiError)) return {};
  const taken = error.status === 409 ? /^The (key|externalId) /.exec(error.message) : null;
  if (taken !== null) return { [taken[1]!]: describe(error) };
  const errors: Record<string, string> = {};
  for (const [path, message] of Object.entries(error.fields)) {
    // Countries are property names in the body, so a row without a country has an empty name.
    errors[path] = path === 'geo.' ? 'Choose a country.' : message;
    if (fieldOf(path) in EMPTY) errors[fieldOf(path)] ??= errors[path];
  }
  return errors;
}

/**
 * Returns the messages of a refusal by field, and a function that drops the messages of fields that
 * the person has changed.
 */
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

/** True when the form shows every field that a refusal names. */
export const hasEveryField = (error: unknown, form: object): boolean => {
  const names = Object.keys(fieldErrors(error)).map(fieldOf);
  return names.length > 0 && names.every((name) => name in form || name.startsWith('utm_'));
};

/** Focuses the first invalid field of a form after a refusal. */
export function useFocusOnRefusal(form: RefObject<HTMLElement | null>, error: Error | null): void {
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [form, error]);
}

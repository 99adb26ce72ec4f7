import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answer, type Schemas } from '../../api/client.ts';
import { ApiError, describe } from '../../api/error.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { fieldErrors } from '../../short-links/errors.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Row } from './rows.ts';

/** Links per request. */
const PER_REQUEST = 100;
/** Delay after typing before the rows are checked, in ms. */
const TYPING_MS = 300;

type Body = Schemas['NewLink'];

/** Errors of a row by its cells, and what is worth a look. */
export interface Outcome {
  url?: string | undefined;
  key?: string | undefined;
  title?: string | undefined;
  note?: string | undefined;
}

export const hasError = ({ url, key, title }: Outcome): boolean =>
  url !== undefined || key !== undefined || title !== undefined;

/**
 * Checks rows during typing.
 *
 * @param bodies links of the rows as they would be created
 * @returns the outcome of each row, and whether some are not known yet
 */
export function useCheck(rows: readonly Row[], bodies: readonly Body[]) {
  const { api } = useWorkspace();
  const text = useDebounced(JSON.stringify(bodies), TYPING_MS);
  const checked = useMemo(() => JSON.parse(text) as Body[], [text]);
  const parts = Array.from({ length: Math.ceil(checked.length / PER_REQUEST) }, (_, at) =>
    checked.slice(at * PER_REQUEST, (at + 1) * PER_REQUEST),
  );
  const results = useQueries({
    queries: parts.map((body) => ({
      queryKey: keys.slugs.list('new links', body),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer(api.POST('/links/bulk/check', { body, signal })),
      staleTime: 5_000,
    })),
  });
  const known = new Map<string, Schemas['NewLinkCheck']>();
  for (const [part, { data }] of results.entries()) {
    for (const [at, check] of (data ?? []).entries()) {
      const body = JSON.stringify(parts[part]![at]);
      // Of equal rows, the first can be created; the others are found by `repeatsIn`.
      if (!known.has(body)) known.set(body, check);
    }
  }
  const failure = results.find(({ error }) => error !== null)?.error ?? null;
  const repeats = repeatsIn(rows);
  const checks = bodies.map((body) => known.get(JSON.stringify(body)));
  const isChecking = checks.includes(undefined);
  const outcomes = rows.map((row, at): Outcome => {
    const error = checks[at]?.error;
    const hasSpace = /\s/.test(row.url.trim());
    return {
      ...(hasSpace && { note: 'Contains a space. A slug goes into a separate field.' }),
      ...repeats.get(row.id),
      ...(error ? inCells(error) : {}),
    };
  });
  return { outcomes, isChecking: isChecking && failure === null, failure };
}

/** Assigns the messages of an error to the cells of a row. */
function inCells({ code, message }: { code: string; message: string }): Outcome {
  const error = new ApiError(code === 'conflict' ? 409 : 422, code, message);
  const { url, key, title, ...others } = fieldErrors(error);
  const rest = [...new Set(Object.values(others))].join(' ');
  const isKnown = url !== undefined || key !== undefined || title !== undefined;
  return {
    url:
      [url, rest || undefined].filter(Boolean).join(' ') || (isKnown ? undefined : describe(error)),
    key,
    title,
  };
}

/** Finds the rows whose slug or destination an earlier row has. */
function repeatsIn(rows: readonly Row[]): Map<number, Outcome> {
  const found = new Map<number, Outcome>();
  const [slugs, urls] = [new Map<string, number>(), new Map<string, number>()];
  for (const [at, { id, key, url, others }] of rows.entries()) {
    const slug = key.trim() === '' ? '' : `${others.domain ?? ''}/${key.trim()}`;
    const [bySlug, byUrl] = [slugs.get(slug), urls.get(url.trim())];
    if (slug !== '' && bySlug !== undefined) {
      found.set(id, { key: `Row ${bySlug + 1} has this slug too.` });
    } else if (url.trim() !== '' && byUrl !== undefined) {
      found.set(id, { note: `Same destination as row ${byUrl + 1}.` });
    }
    if (bySlug === undefined) slugs.set(slug, at);
    if (byUrl === undefined) urls.set(url.trim(), at);
  }
  return found;
}

import { TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError } from '../api/error.ts';
import { IconButton } from '../ui/button.tsx';
import {
  FILTER_LIST,
  FILTERS,
  type Filter,
  type Filters,
  listOf,
  nameOfFilter,
} from './event-query.ts';
import { useEventQuery } from './use-event-query.ts';

/** Names of the parameters that are not filters. */
const PARAMETER_NAMES: Record<string, string> = {
  interval: 'Period',
  start: 'Dates',
  timezone: 'Time zone',
  event: 'Event',
};

/** Lists the URL parameters that were ignored. */
export function IgnoredNotice() {
  const { query, change } = useEventQuery();
  const names = listOf(query.ignored).flatMap((name) =>
    name in FILTERS ? nameOfFilter(name as Filter) : (PARAMETER_NAMES[name] ?? []),
  );
  if (names.length === 0) return null;
  return (
    <p
      role="status"
      className="flex w-full items-center gap-2 rounded-md bg-warning-soft pl-2.5 text-warning"
    >
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <span className="flex-1 py-1.5">
        Not applied: {names.join(', ')}. The URL has a value that doesn’t exist.
      </span>
      <IconButton icon={X} label="Dismiss" onClick={() => change({ ignored: undefined }, true)} />
    </p>
  );
}

/**
 * Removes filters whose values the API refuses, such as an unknown code or a deleted link.
 *
 * @returns true while filters are being removed; the caller handles other errors
 */
export function useRefusedFilters(error: unknown): boolean {
  const { query, change } = useEventQuery();
  const refused = refusedFilters(error, query).join(',');
  useEffect(() => {
    if (refused === '') return;
    const names = listOf(refused) as Filter[];
    const cleared = Object.fromEntries(names.map((name) => [name, undefined]));
    change({ ...cleared, ignored: [...listOf(query.ignored), ...names].join(',') }, true);
  });
  return refused !== '';
}

/**
 * Finds the refused filters: the API's message starts with the parameter, or quotes the id of a
 * missing record.
 */
function refusedFilters(error: unknown, filters: Filters): Filter[] {
  if (!(error instanceof ApiError)) return [];
  const fields = Object.keys(error.fields).map((field) => /^\w+/.exec(field)?.[0]);
  const id = error.status === 404 ? /"([^"]+)"/.exec(error.message)?.[1] : undefined;
  return FILTER_LIST.filter(
    (name) =>
      filters[name] !== undefined &&
      (fields.includes(name) || (id !== undefined && listOf(filters[name]).includes(id))),
  );
}

import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  type EventQuery,
  FILTER_LIST,
  type Filters,
  listOf,
  readEventQuery,
} from './event-query.ts';

/** A change of a query; `undefined` removes a parameter. */
export type EventQueryChange = { [Part in keyof EventQuery]?: EventQuery[Part] | undefined };

/** Returns the query in the URL and functions that change it. */
export function useEventQuery() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  // The router keeps parameters that a route's `validateSearch` removed.
  const query = useMemo(() => readEventQuery(search), [search]);
  const navigate = useNavigate();
  /** Changes parameters of the query; each change adds a history entry unless `isPassing`. */
  const change = (parts: EventQueryChange, isPassing = false) =>
    void navigate({
      to: '.',
      // Read again, because exclusion and comparison end with their filter.
      search: (before: object) => ({
        ...readEventQuery({ ...readEventQuery({ ...before }), ignored: undefined, ...parts }),
      }),
      replace: isPassing,
      resetScroll: false,
    });
  return {
    query,
    change,
    /** Selects values, also of filters that exclude others now. */
    addFilters: (filters: Filters) => {
      const excluded = listOf(query.exclude).filter((name) => !(name in filters));
      const exclude = excluded.length === 0 ? undefined : excluded.join(',');
      change({ ...filters, exclude, group: undefined });
    },
    clearFilters: () => change(Object.fromEntries(FILTER_LIST.map((name) => [name, undefined]))),
  };
}

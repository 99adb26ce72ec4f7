import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type EventQuery, FILTER_LIST, type Filters, readEventQuery } from './event-query.ts';

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
      search: (before: object) => ({
        ...readEventQuery({ ...before }),
        ignored: undefined,
        ...parts,
      }),
      replace: isPassing,
      resetScroll: false,
    });
  return {
    query,
    change,
    addFilters: (filters: Filters) => change({ ...filters, group: undefined }),
    clearFilters: () => change(Object.fromEntries(FILTER_LIST.map((name) => [name, undefined]))),
  };
}

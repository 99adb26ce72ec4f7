import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, useContext, useMemo } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import {
  type EventQuery,
  FILTER_LIST,
  type Filters,
  listOf,
  readEventQuery,
} from './event-query.ts';

/** A change of a query; `undefined` removes a parameter. */
export type EventQueryChange = { [Part in keyof EventQuery]?: EventQuery[Part] | undefined };

/**
 * The part of the query that a view of one record sets; the URL of such a view has no filters.
 * Absent in views of all events.
 */
export const RecordQuery = createContext<EventQuery | undefined>(undefined);

/** Leaves out that a form is open above the numbers, which would render all of them again. */
const QUERY_SEARCH = {
  strict: false,
  select: ({ edit: _, ...others }: Record<string, unknown>) =>
    others as Record<string, string | number | boolean>,
  structuralSharing: true,
} as const;

/** Returns the query in the URL and functions that change it. */
export function useEventQuery() {
  const { slug } = useWorkspace();
  const search: Record<string, unknown> = useSearch(QUERY_SEARCH);
  const ofRecord = useContext(RecordQuery);
  // The router keeps parameters that a route's `validateSearch` removed.
  const query = useMemo(
    () => (ofRecord === undefined ? readEventQuery(search) : queryOfRecord(search, ofRecord)),
    [search, ofRecord],
  );
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
  /** Changes parameters that only analytics has: a view of one record leads there. */
  const show = (parts: EventQueryChange) =>
    ofRecord === undefined
      ? change(parts)
      : void navigate({
          to: '/$workspace/analytics',
          params: { workspace: slug },
          search: withoutUndefined({ ...query, ...parts }),
        });
  return {
    query,
    change,
    show,
    /** Selects values, also of filters that exclude others now. */
    addFilters: (filters: Filters) => {
      const excluded = listOf(query.exclude).filter((name) => !(name in filters));
      const exclude = excluded.length === 0 ? undefined : excluded.join(',');
      show({ ...filters, exclude, group: undefined });
    },
    clearFilters: () => change(Object.fromEntries(FILTER_LIST.map((name) => [name, undefined]))),
  };
}

/** Returns the query of a record: the period, event and tabs of the URL, and the record's filter. */
function queryOfRecord(search: Record<string, unknown>, ofRecord: EventQuery): EventQuery {
  const shown = Object.entries(readEventQuery(search)).filter(
    ([name]) => !(FILTER_LIST as readonly string[]).includes(name),
  );
  return { ...ofRecord, ...Object.fromEntries(shown) };
}

const withoutUndefined = (parts: EventQueryChange): EventQuery =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));

import {
  type EventKind,
  kindsWithVisitors,
  type StoredKind,
  storedKinds,
  type Traffic,
} from '../../kinds.ts';
import { VISITORS } from '../../query/numbers.ts';
import { Counts } from './counts.ts';

/** Name under which sums and kept counts have the visitors of a stored kind, beside its events. */
export const visitorsOf = (kind: StoredKind): string => `${kind}+visitors`;

/** Counts of a query, by event kind and {@link VISITORS}. */
export type CountsByNumber = ReadonlyMap<string, Counts>;

/** The counts of a query while it adds up what is stored. */
export interface QueryCounts {
  counts: CountsByNumber;
  /** The same counts by the names under which sums and kept counts have their parts. */
  byStoredName: CountsByNumber;
  /** Kinds whose visitors are counted. */
  withVisitors: ReadonlySet<EventKind>;
}

/** Makes the counts of a query, all 0. */
export function queryCounts(events: readonly EventKind[], traffic?: Traffic): QueryCounts {
  const withVisitors = new Set(kindsWithVisitors(events));
  const counts = new Map(events.map((event) => [event as string, new Counts()]));
  const byStoredName = new Map<string, Counts>();
  for (const event of events) {
    for (const stored of storedKinds([event], traffic))
      byStoredName.set(stored, counts.get(event)!);
  }
  if (withVisitors.size > 0) {
    const visitors = new Counts();
    counts.set(VISITORS, visitors);
    for (const stored of storedKinds([...withVisitors], traffic)) {
      byStoredName.set(visitorsOf(stored), visitors);
    }
  }
  return { counts, byStoredName, withVisitors };
}

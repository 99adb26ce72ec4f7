import {
  type EventKind,
  kindOfStored,
  kindsWithVisitors,
  type StoredKind,
  storedKinds,
  type Traffic,
} from '../../kinds.ts';
import { Counts } from './counts.ts';

/** Name under which sums and kept counts have the visitors of a stored kind, beside its events. */
export const visitorsOf = (kind: StoredKind): string => `${kind}+visitors`;

/** Counts by event kind. */
export type CountsByKind = ReadonlyMap<EventKind, Counts>;

/** The counts of a query while it adds up what is stored. */
export interface QueryCounts {
  counts: CountsByKind;
  /** The same counts by the kinds under which their events are stored. */
  byStoredKind: ReadonlyMap<StoredKind, Counts>;
  /** Kinds whose visitors are counted. */
  withVisitors: ReadonlySet<EventKind>;
}

/** Makes the counts of a query, all 0. */
export function queryCounts(events: readonly EventKind[], traffic?: Traffic): QueryCounts {
  const counts = new Map(events.map((event) => [event, new Counts()]));
  const stored = storedKinds(events, traffic);
  return {
    counts,
    byStoredKind: new Map(stored.map((kind) => [kind, counts.get(kindOfStored(kind))!])),
    withVisitors: new Set(kindsWithVisitors(events)),
  };
}

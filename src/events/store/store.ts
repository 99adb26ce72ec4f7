import type { Db } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import type { DimensionName } from '../dimensions.ts';
import type { EventRow, StoredEvent } from '../event.ts';
import type { EventFilter } from '../filters.ts';
import type { Counter, EventKind } from '../kinds.ts';
import type { Numbers } from '../query/numbers.ts';
import type { Span } from '../span.ts';

/** The event of a visit, and how long a repeat of it must be known. */
export interface GuardedEvent {
  row: EventRow;
  /** The same for everything that counts as one visit. */
  guardId: string;
  guardUntil: Date;
}

/** The outcome of {@link EventsStore.appendVisits}. */
export interface AppendedVisits {
  /** Events that were new. */
  fresh: EventRow[];
  /** Number of visits that were stored already. */
  repeats: number;
  /** Workspaces whose visits were left out; their visits must be handed in again. */
  busy: ReadonlySet<string>;
}

/** An event of a list, with its time as exact as it is stored. */
export type ListedEvent = StoredEvent & { atMicros: number };

/** The name of a link or QR code at the time of an event. */
export type NameThen = Pick<EventRow, 'domain' | 'key' | 'url'>;

/** A place in a list of events: after which one. */
export interface Cursor {
  /** Microseconds since 1970. */
  atMicros: number;
  id: string;
}

/** Sums of the stored events of a link, QR code or page, as its counters count them. */
export interface StoredSums extends Record<Counter, number> {
  saleAmountCents: number;
}

/** Events of one kind in a span of time, its end not included. */
export interface EventSelection {
  projectId: string;
  kind: EventKind;
  span: Pick<Span, 'start' | 'end'>;
  filter: EventFilter;
}

/** Which part of a list, in which order: by time, then by id. */
export interface ListPage {
  limit: number;
  order: 'asc' | 'desc';
  /** Events that are passed over. */
  offset: number;
  after?: Cursor | undefined;
}

/** A question about how many events there were. */
export interface Question {
  projectId: string;
  span: Span;
  filter: EventFilter;
  events: readonly EventKind[];
}

/** Counts of the events with one value of a dimension. */
export interface ValueCount {
  value: string;
  numbers: Numbers;
}

/** Counts of the events in one step of time. */
export interface TimeCount {
  start: Date;
  numbers: Numbers;
}

/**
 * A store of events. Events of one workspace are never seen in another. What is appended in a transaction can be listed
 * and counted once the transaction is committed.
 *
 * The suite in `test/support/events-store.ts` says what every store must do.
 */
export interface EventsStore {
  /**
   * Stores the events of visits, and counts them. A visit whose guard is known, from an earlier run of the same job or an
   * earlier visit in the same window, changes nothing.
   */
  appendVisits(trx: Db, visits: readonly GuardedEvent[]): Promise<AppendedVisits>;
  /** Stores events that the caller knows to be new, and counts them. */
  append(trx: Db, events: readonly EventRow[]): Promise<void>;

  list(selection: EventSelection, page: ListPage, connection?: Db): Promise<ListedEvent[]>;
  /** Sums of the stored events of links, QR codes and pages, by their ids; none for those without events. */
  sumStored(
    connection: Db,
    projectId: string,
    recordIds: readonly string[],
  ): Promise<Map<string, StoredSums>>;
  /** Finds out which of these ids stored events have. */
  findKnown(connection: Db, projectId: string, ids: readonly string[]): Promise<Set<string>>;
  /** Resolves to the number of events; `most` where there are more. */
  countUpTo(selection: EventSelection, most: number): Promise<number>;
  /** Finds the click or scan of an id. */
  findVisit(projectId: string, id: string, connection?: Db): Promise<StoredEvent | undefined>;
  /** Finds the latest lead of a customer; with a name, the latest of that name. */
  findLatestLead(
    trx: Db,
    lead: { projectId: string; customerId: string; eventName: string | null },
  ): Promise<StoredEvent | undefined>;
  /** Finds the first lead of a customer under a name by a click. */
  findLeadOfClick(
    trx: Db,
    lead: { projectId: string; customerId: string; eventName: string; clickId: string },
  ): Promise<StoredEvent | undefined>;

  /** Finds the names of links and QR codes as their newest events have them. */
  findNewestNames(projectId: string, ids: readonly string[]): Promise<Map<string, NameThen>>;
  /** Finds the names of links and QR codes as retention kept them when it deleted their events. */
  findKeptNames(projectId: string, ids: readonly string[]): Promise<Map<string, NameThen>>;

  /** Numbers of each kind of event. */
  totals(question: Question): Promise<Numbers>;
  /**
   * Numbers by the values of a dimension, most of the first kind first, at most {@link MAX_VALUES}.
   *
   * @param prefix of the values that are meant
   */
  countByValue(
    question: Question,
    dimension: DimensionName,
    prefix?: string,
  ): Promise<ValueCount[]>;
  /**
   * Numbers by time, without gaps. Minutes and hours are steps of real time from the zone's first hour on, so that a day
   * of 23 or 25 hours has as many; days and months are those of the zone's calendar.
   */
  countByTime(question: Question): Promise<TimeCount[]>;
  /** Number of different visitors. */
  countVisitors(question: Question): Promise<number>;
  /** Time of the first event of a workspace, to the quarter of an hour. */
  findFirstTime(projectId: string): Promise<Date | undefined>;
  /** Values of a dimension that events of the workspace have; `undefined` while that is not known. */
  listValues(projectId: string, dimension: DimensionName): Promise<string[] | undefined>;

  /** Deletes all events of some links and QR codes, and takes them out of every count. */
  eraseRecords(trx: Db, projectId: string, recordIds: readonly string[]): Promise<void>;
  /** Empties the personal data in the events of a customer. The events stay, and with them every count. */
  eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void>;

  /** Deletes events that are older than their workspaces keep them; their counts stay. */
  retain(log: Log): Promise<void>;
  /** Makes counts of the past smaller or faster to read; they stay the same. */
  compact(log: Log): Promise<void>;
  /** Derives all counts of a workspace from its events again. Resolves to the differences, for the operator. */
  rebuild(projectId: string): Promise<object>;
}

/** Most values of an answer to {@link EventsStore.countByValue}. */
export const MAX_VALUES = 5_000;

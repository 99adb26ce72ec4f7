import type { Db } from '../../infra/db.ts';
import type { Log } from '../../infra/log.ts';
import type { DimensionName } from '../dimensions.ts';
import type { EventRow, StoredEvent } from '../event.ts';
import type { EventFilter } from '../filters.ts';
import type { Counter, EventKind } from '../kinds.ts';
import type { Numbers } from '../query/numbers.ts';
import type { Span } from '../span.ts';

/** The event of a visit, with its guard, by which repeats are recognized. */
export interface GuardedEvent {
  row: EventRow;
  /** Id shared by everything that counts as one visit. */
  guardId: string;
  /** Id of the visitor on the day of the visit; absent if none is counted. */
  visitorId?: string | undefined;
  /** Time until which both ids are kept. */
  guardUntil: Date;
  /** True if the visit adds to counters, and no event is stored. */
  isCountedOnly?: boolean | undefined;
}

/** Time of a customer's click without a lead or sale. */
export interface SeenCustomer {
  projectId: string;
  customerId: string;
  at: Date;
}

/** The outcome of {@link EventsStore.appendVisits}. */
export interface AppendedVisits {
  /** Events that were new and are stored. */
  fresh: EventRow[];
  /** Number of new visits that were only counted. */
  counted: number;
  /** Number of visits that were already stored. */
  repeats: number;
}

/** An event of a list, with its time in the stored precision. */
export type ListedEvent = StoredEvent & { atMicros: number };

/** Name of a link or QR code at the time of an event. */
export type NameThen = Pick<EventRow, 'domain' | 'key' | 'url'>;

/** Position in a list of events: the event to continue after. */
export interface Cursor {
  /** Microseconds since 1970. */
  atMicros: number;
  id: string;
}

/** Sums over the stored events of a link, QR code or page, in the same way as its counters. */
export interface StoredSums extends Record<Counter, number> {
  /** Less refunds. */
  saleAmountCents: number;
  refundAmountCents: number;
}

/** The sums of a record without events. */
export const NO_SUMS: Readonly<StoredSums> = {
  visits: 0,
  suspects: 0,
  leads: 0,
  sales: 0,
  refunds: 0,
  saleAmountCents: 0,
  refundAmountCents: 0,
};

/** Sums over the stored leads, sales and refunds of a customer. */
export interface StoredCustomerSums {
  leads: number;
  sales: number;
  /** Less refunds. */
  saleAmountCents: number;
  refundAmountCents: number;
}

/** The amount of a sale or refund that was stored without one. */
export interface AmountChange {
  projectId: string;
  id: string;
  /** Time of the event. */
  at: string | Date;
  amountCents: number;
  /** Rate and its day, as in `SaleDetails`. */
  rate: string;
  rateDate: string | null;
}

/** A sale to find: by the id of its event if it is known, otherwise by customer and invoice. */
export interface SaleKey {
  projectId: string;
  eventId: string | null;
  customerId: string;
  invoiceId: string;
}

/** Events of some kinds in a time span, excluding its end. */
export interface EventSelection {
  projectId: string;
  kind: EventKind;
  span: Pick<Span, 'start' | 'end'>;
  filter: EventFilter;
}

/** Part and order of a list: by time, then by id. */
export interface ListPage {
  limit: number;
  order: 'asc' | 'desc';
  /** Number of events to skip. */
  offset: number;
  after?: Cursor | undefined;
}

/** A query for numbers of events. */
export interface CountQuery {
  projectId: string;
  span: Span;
  filter: EventFilter;
  events: readonly EventKind[];
}

/** Numbers of the events with one value of a dimension. */
export interface ValueCount {
  value: string;
  numbers: Numbers;
}

/** Numbers of the events in one step of time. */
export interface TimeCount {
  start: Date;
  numbers: Numbers;
}

/**
 * A store of events. A workspace never sees the events of another. Events appended in a transaction
 * can be listed and counted once it is committed.
 *
 * The suite in `test/support/events-store.ts` defines what every store must do.
 */
export interface EventsStore {
  /**
   * Stores and counts the events of visits, and marks the first of each visitor on a day. A visit
   * whose guard exists, from an earlier run of the same job or an earlier visit in the same window,
   * changes nothing.
   */
  appendVisits(trx: Db, visits: readonly GuardedEvent[]): Promise<AppendedVisits>;
  /** Stores events that the caller knows to be new, and counts them for their links and QR codes. */
  append(trx: Db, events: readonly EventRow[]): Promise<void>;
  /** Counts appended events for their customers, once at the end of the transaction. */
  countCustomers(
    trx: Db,
    events: readonly EventRow[],
    seen?: readonly SeenCustomer[],
  ): Promise<void>;

  list(selection: EventSelection, page: ListPage, connection?: Db): Promise<ListedEvent[]>;
  /**
   * Sums the stored events of links, QR codes and pages, by id; ids without events are left out.
   */
  sumStored(
    connection: Db,
    projectId: string,
    recordIds: readonly string[],
  ): Promise<Map<string, StoredSums>>;
  /** Sums the stored events of customers, by id; customers without any are left out. */
  sumCustomers(
    connection: Db,
    projectId: string,
    customerIds: readonly string[],
  ): Promise<Map<string, StoredCustomerSums>>;
  /** Lists the leads, sales and refunds of a customer, newest first. */
  listOfCustomer(
    projectId: string,
    customerId: string,
    page: Pick<ListPage, 'limit' | 'after'>,
  ): Promise<ListedEvent[]>;
  /** Lists the ids of the clicks of a customer's newest leads and sales, up to a maximum. */
  listClickIds(projectId: string, customerId: string, max: number): Promise<string[]>;
  /** Finds which of these ids belong to stored events. */
  findKnown(connection: Db, projectId: string, ids: readonly string[]): Promise<Set<string>>;
  /** Resolves to the number of events, or to `max` if there are more. */
  countUpTo(selection: EventSelection, max: number): Promise<number>;
  /** Finds a click or scan by id. */
  findVisit(projectId: string, id: string, connection?: Db): Promise<StoredEvent | undefined>;
  /** Finds those of some clicks and scans that are stored. */
  findVisits(projectId: string, ids: readonly string[]): Promise<ListedEvent[]>;
  /** Finds a customer's latest lead, optionally with a given name. */
  findLatestLead(
    trx: Db,
    lead: { projectId: string; customerId: string; eventName: string | null },
  ): Promise<StoredEvent | undefined>;
  /** Finds a sale. */
  findSale(trx: Db, sale: SaleKey): Promise<StoredEvent | undefined>;
  /** Finds a customer's first lead with a given name for a click. */
  findLeadOfClick(
    trx: Db,
    lead: { projectId: string; customerId: string; eventName: string; clickId: string },
  ): Promise<StoredEvent | undefined>;

  /** Finds the names of links and QR codes in their newest events. */
  findNewestNames(projectId: string, ids: readonly string[]): Promise<Map<string, NameThen>>;
  /** Finds the names of links and QR codes that retention kept when it deleted their events. */
  findKeptNames(projectId: string, ids: readonly string[]): Promise<Map<string, NameThen>>;

  /** Counts events by kind. */
  totals(query: CountQuery): Promise<Numbers>;
  /**
   * Counts events by the values of a dimension, highest count of the first kind first, up to
   * {@link MAX_VALUES}.
   *
   * @param prefix start of the values to count
   */
  countByValue(query: CountQuery, dimension: DimensionName, prefix?: string): Promise<ValueCount[]>;
  /**
   * Counts events by time, without gaps. Minutes and hours are steps of real time from the zone's
   * first hour on, so that a day of 23 or 25 hours has 23 or 25 steps; days and months follow the
   * calendar of the zone.
   */
  countByTime(query: CountQuery): Promise<TimeCount[]>;
  /** Counts distinct visitors. */
  countVisitors(query: CountQuery): Promise<number>;
  /** Finds the time of a workspace's first event, to the quarter-hour. */
  findFirstTime(projectId: string): Promise<Date | undefined>;
  /** Lists the values of a dimension in events of the workspace. */
  listValues(projectId: string, dimension: DimensionName): Promise<string[]>;

  /** Sets the amounts of sales and refunds that were stored without one, also in all counts. */
  setAmounts(trx: Db, changes: readonly AmountChange[]): Promise<void>;

  /** Deletes all events of some links and QR codes, which then no longer count. */
  eraseRecords(trx: Db, projectId: string, recordIds: readonly string[]): Promise<void>;
  /** Erases the personal data in a customer's events. The events and all counts remain. */
  eraseCustomer(trx: Db, projectId: string, customerId: string): Promise<void>;
  /** Gives the events of some customers to another one. */
  moveCustomers(trx: Db, projectId: string, from: readonly string[], to: string): Promise<void>;

  /** Deletes events that are past their workspace's retention; their counts remain. */
  retain(log: Log): Promise<void>;
  /** Makes counts of the past faster to read without changing them. */
  compact(log: Log): Promise<void>;
  /** Drops what was derived from the events of a workspace; it is derived from them again. */
  rebuild(projectId: string): Promise<void>;
}

/** Maximum number of values in an answer of {@link EventsStore.countByValue}. */
export const MAX_VALUES = 5_000;

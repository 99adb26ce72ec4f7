import type { Schema } from 'joi';
import type { StoredEvent } from './event.ts';
import type { EventFilter } from './filters.ts';
import type { Counter } from './kinds.ts';
import type { ResolveRecords } from './query/filters.ts';

/**
 * Access of the endpoints of events to the records that events are about. Links, QR codes, pages and customers import
 * events, so the composition of the API passes it in.
 */
export interface EventRecords {
  /** Schema of an event in answers. */
  schema: Schema;
  /** Public records of events, with their links, QR codes, pages and customers as they are now. */
  toEvents(projectId: string, events: readonly StoredEvent[]): Promise<object[]>;
  resolveRecords: ResolveRecords;
  /** Sums of counters, since the creation of the records. */
  readCounters(
    projectId: string,
    filter: Pick<EventFilter, 'records' | 'domain'>,
  ): Promise<RecordCounters>;
  names: RecordNames;
}

/** Names of records, as analytics show them. */
export interface RecordNames {
  /** Names of links and QR codes, by all of the ids. */
  findNames(projectId: string, ids: readonly string[]): Promise<Map<string, ShownName>>;
  /** Titles of pages, by their ids; deleted pages are left out. */
  findTitles(projectId: string, ids: readonly string[]): Promise<Map<string, string>>;
}

/** The name of a link or QR code. */
export interface ShownName {
  domain: string;
  key: string;
  url: string;
  /** Missing where it has none, or was deleted. */
  title?: string | null | undefined;
  /** In the format of ISO 8601; `null`: it was deleted. */
  createdAt: string | null;
}

/** Sums of the counters of links, QR codes and pages. */
export interface RecordCounters {
  link: CounterSums;
  qrcode: CounterSums;
  /** Number of views of pages. */
  views: number;
}

/** Sums of the counters of links, or of QR codes. */
export interface CounterSums extends Record<Counter, number> {
  saleAmountCents: number;
}

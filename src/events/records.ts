import type { Schema } from 'joi';
import type { StoredEvent } from './event.ts';
import type { EventFilter } from './filters.ts';
import type { Counter } from './kinds.ts';
import type { ResolveRecords } from './query/filters.ts';

/**
 * Access of the event endpoints to the records that events are about. The composition of the API
 * passes it in, because links, QR codes, pages and customers depend on events.
 */
export interface EventRecords {
  /** Schema of an event record. */
  schema: Schema;
  /**
   * Makes public records of events, with the current data of their links, QR codes, pages and
   * customers.
   */
  toEvents(projectId: string, events: readonly StoredEvent[]): Promise<object[]>;
  resolveRecords: ResolveRecords;
  /** Sums counters since the creation of the records. */
  readCounters(
    projectId: string,
    filter: Pick<EventFilter, 'records' | 'domain'>,
  ): Promise<RecordCounters>;
  names: RecordNames;
}

/** Reads names of records for analytics. */
export interface RecordNames {
  /** Finds the names of all of these links and QR codes. */
  findNames(projectId: string, ids: readonly string[]): Promise<Map<string, ShownName>>;
  /** Finds the titles of pages by id; deleted pages are left out. */
  findTitles(projectId: string, ids: readonly string[]): Promise<Map<string, string>>;
  /** Finds the tags or folders of these links and QR codes. */
  findLabels(
    projectId: string,
    kind: LabelKind,
    ids: readonly string[],
  ): Promise<{ record: string; id: string; name: string }[]>;
  /** Lists the ids of links and QR codes with a tag or folder in order, after an id. */
  listLabeled(
    projectId: string,
    kind: LabelKind,
    page: { after: string; limit: number },
  ): Promise<string[]>;
}

/** Something that groups links and QR codes. */
export type LabelKind = 'tag' | 'folder';

/** Display name of a link or QR code. */
export interface ShownName {
  domain: string;
  key: string;
  url: string;
  /** Absent if there is no title or the record was deleted. */
  title?: string | null | undefined;
  /** Time in ISO 8601; `null` if the record was deleted. */
  createdAt: string | null;
}

/** Sums of the counters of links, QR codes and pages. */
export interface RecordCounters {
  link: CounterSums;
  qrcode: CounterSums;
  /** Views of pages. */
  page: Pick<CounterSums, 'visits' | 'suspects'>;
}

/** Sums of the counters of links, or of QR codes. */
export interface CounterSums extends Record<Counter, number> {
  /** Less refunds. */
  saleAmountCents: number;
  refundAmountCents: number;
}

import { type EventFilter } from '../analytics/filters.ts';
import { toEvents } from '../events/context.ts';
import type { EventName } from '../events/event.ts';
import { type Cursor, listEvents } from '../events/queries.ts';
import { shortLinkOf } from '../records/record.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';

const PAGE = 1_000;

/** Which events are exported. */
export interface EventExport {
  event: EventName;
  /** ISO 8601. */
  start: string;
  end: string;
  filter: EventFilter;
}

type Exported = Awaited<ReturnType<typeof toEvents>>[number];

async function* pages(projectId: string, wanted: EventExport): AsyncGenerator<Exported[]> {
  const span = { start: new Date(wanted.start), end: new Date(wanted.end) };
  for (let after: Cursor | undefined; ; ) {
    const events = await listEvents(projectId, wanted.event, span, wanted.filter, {
      limit: PAGE,
      order: 'asc',
      offset: 0,
      ...(after === undefined ? {} : { after }),
    });
    yield (await toEvents(projectId, events)).map(withoutPasswords);
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last;
  }
}

/** A file goes from hand to hand. */
function withoutPasswords<T extends object>(event: T): T {
  const copy = { ...event } as Record<string, unknown>;
  for (const name of ['link', 'qrcode']) {
    if (copy[name]) copy[name] = { ...(copy[name] as object), password: null };
  }
  return copy as T;
}

const COLUMNS = [
  'timestamp',
  'event',
  'eventName',
  'clickId',
  'linkId',
  'domain',
  'key',
  'shortLink',
  'url',
  'continent',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
  'referer',
  'refererUrl',
  'type',
  'ip',
  'pageId',
  'customerId',
  'customerName',
  'customerEmail',
  'amount',
  'currency',
  'paymentProcessor',
  'invoiceId',
  'metadata',
];

/** The fields of an event side by side. */
function toRow(event: Exported): Record<string, unknown> {
  const some = event as unknown as Record<string, Record<string, unknown> | null | undefined>;
  const record = some['link'] ?? some['qrcode'] ?? {};
  const { domain, key } = record as { domain?: string; key?: string };
  return {
    ...some['click'],
    ...some['sale'],
    ...event,
    clickId: some['click']?.['id'],
    linkId: record['id'],
    domain,
    key,
    shortLink: domain === undefined || domain === '' ? '' : shortLinkOf(domain, key!),
    url: some['click']?.['url'],
    pageId: some['page']?.['id'],
    customerId: some['customer']?.['externalId'],
    customerName: some['customer']?.['name'],
    customerEmail: some['customer']?.['email'],
  };
}

/** Events, oldest first. */
export const exportEvents = (projectId: string, wanted: EventExport, format: ExportFormat): Parts =>
  formatted(pages(projectId, wanted), format, COLUMNS, toRow);

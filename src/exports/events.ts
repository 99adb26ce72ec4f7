import { Refusal } from '../errors.ts';
import { toEvents } from '../event-records/context.ts';
import { COLUMNS, csvColumns } from '../events/columns.ts';
import { conditionsOf, type EventFilter, type FilterValues, NOTHING } from '../events/filters.ts';
import type { EventKind } from '../events/kinds.ts';
import { eventsStore } from '../events/store/index.ts';
import type { Cursor } from '../events/store/store.ts';
import type { UtmField } from '../events/utm.ts';
import { readLagging } from '../infra/standbys.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';

const PAGE = 1_000;

/** Which events are exported. */
export interface EventExport {
  event: EventKind;
  /** ISO 8601. */
  start: string;
  end: string;
  filter: EventFilter | EarlierFilter;
}

/** A filter in a job of version 0.5, which may wait while the service is updated. */
interface EarlierFilter extends Pick<EventFilter, 'records' | 'domain'> {
  values?: Pick<FilterValues, 'continent' | 'country' | 'device' | 'browser' | 'os'> & {
    city?: string[];
  };
  via?: string[];
  parts?: Pick<FilterValues, 'referer' | 'url'>;
  utm?: Partial<Record<UtmField, string>>;
  pageId?: string;
  variants?: string[];
  isRoot?: boolean;
  isEmpty?: true;
}

function upgraded(filter: EventFilter | EarlierFilter): EventFilter {
  if ('conditions' in filter) {
    if (Array.isArray(filter.conditions)) return filter;
    // Still earlier versions have SQL, which is not run any more.
    throw new Refusal('conflict', 'The export was requested before an update; request it again');
  }
  const {
    values: { city, ...values } = {},
    via,
    parts,
    utm,
    pageId,
    variants,
    isRoot,
    isEmpty,
    ...named
  } = filter as EarlierFilter;
  const asked = {
    ...values,
    ...parts,
    ...utm,
    city: city?.[0],
    types: via,
    pageId,
    variant: variants,
    root: isRoot,
  };
  return { ...named, conditions: isEmpty === true ? [NOTHING] : conditionsOf(asked) };
}

type Exported = Awaited<ReturnType<typeof toEvents>>[number];

async function* pages(projectId: string, wanted: EventExport): AsyncGenerator<Exported[]> {
  const filter = upgraded(wanted.filter);
  const span = { start: new Date(wanted.start), end: new Date(wanted.end) };
  for (let after: Cursor | undefined; ; ) {
    const page = { limit: PAGE, order: 'asc', offset: 0, after } as const;
    const [events, exported] = await readLagging(projectId, async () => {
      const listed = await eventsStore().list(
        { projectId, kind: wanted.event, span, filter },
        page,
      );
      return [listed, await toEvents(projectId, listed)] as const;
    });
    yield exported;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last;
  }
}

/** The fields of an event side by side. */
function toRow(event: Exported): Record<string, unknown> {
  const some = event as Record<string, Record<string, unknown> | null | undefined>;
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
  formatted(pages(projectId, wanted), format, csvColumns(COLUMNS), toRow);

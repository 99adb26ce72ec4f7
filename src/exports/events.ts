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

/** Selection of the exported events. */
export interface EventExport {
  event: EventKind;
  /** Time in ISO 8601. */
  start: string;
  end: string;
  filter: EventFilter | EarlierFilter;
}

/** Filter in a job of version 0.5, which may be waiting during an update of the service. */
interface EarlierFilter extends Pick<EventFilter, 'records' | 'domain'> {
  values?: Pick<FilterValues, 'continent' | 'country' | 'device' | 'browser' | 'os'> & {
    city?: string[];
  };
  via?: string[];
  parts?: { referer?: string; url?: string };
  utm?: Partial<Record<UtmField, string>>;
  pageId?: string;
  variants?: string[];
  isRoot?: boolean;
  isEmpty?: true;
}

function upgraded(filter: EventFilter | EarlierFilter): EventFilter {
  if ('conditions' in filter) {
    if (Array.isArray(filter.conditions)) return filter;
    // Even earlier versions sent SQL, which is no longer run.
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
  const query = {
    ...values,
    ...Object.fromEntries(
      Object.entries({ ...parts, ...utm }).map(([name, value]) => [name, listOf(value)]),
    ),
    city,
    types: via,
    pageId: listOf(pageId),
    variant: variants,
    root: isRoot,
  };
  return { ...named, conditions: isEmpty === true ? [NOTHING] : conditionsOf(query) };
}

const listOf = (value: string | undefined) => (value === undefined ? undefined : [value]);

type Exported = Awaited<ReturnType<typeof toEvents>>[number];

async function* pages(projectId: string, selection: EventExport): AsyncGenerator<Exported[]> {
  const filter = upgraded(selection.filter);
  const span = { start: new Date(selection.start), end: new Date(selection.end) };
  for (let after: Cursor | undefined; ; ) {
    const page = { limit: PAGE, order: 'asc', offset: 0, after } as const;
    const [events, exported] = await readLagging(projectId, async () => {
      const listed = await eventsStore().list(
        { projectId, kind: selection.event, span, filter },
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

/** Flattens the fields of an event to one level. */
function toRow(event: Exported): Record<string, unknown> {
  const parts = event as Record<string, Record<string, unknown> | null | undefined>;
  const record = parts['link'] ?? parts['qrcode'] ?? {};
  const { domain, key } = record as { domain?: string; key?: string };
  return {
    ...parts['click'],
    ...parts['sale'],
    ...parts['refund'],
    ...event,
    clickId: parts['click']?.['id'],
    linkId: record['id'],
    domain,
    key,
    shortLink: domain === undefined || domain === '' ? '' : shortLinkOf(domain, key!),
    url: parts['click']?.['url'],
    pageId: parts['page']?.['id'],
    customerId: parts['customer']?.['externalId'],
    customerName: parts['customer']?.['name'],
    customerEmail: parts['customer']?.['email'],
  };
}

/** Exports events, oldest first. */
export const exportEvents = (
  projectId: string,
  selection: EventExport,
  format: ExportFormat,
): Parts => formatted(pages(projectId, selection), format, csvColumns(COLUMNS), toRow);

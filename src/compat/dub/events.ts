import { Refusal } from '../../errors.ts';
import { ok } from '../../http/route.ts';
import {
  type Call,
  type CallQuery,
  type Fields,
  type LinkRecord,
  lastValue,
  omit,
  type PeerRoute,
} from '../peer.ts';
import { withoutWww } from './analytics.ts';
import { sizeIn } from './cursor.ts';
import { fromDubQuery } from './event-query.ts';
import { type Colors, colorsOf, toDubLink } from './link.ts';
import { metadataFilter } from './metadata-query.ts';

/** Number of events on a page of Dub, and the most that this API returns at once. */
const PAGE = 100;
const MOST = 1_000;
/** Maximum number of pages that are read for the events that a condition keeps. */
const MAX_PAGES = 10;

export const eventRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/events',
    operation: 'listEvents',
    async answer({ query: dubQuery }, call) {
      const query = fromDubQuery(omit(dubQuery, ['query', 'sortOrder']));
      const sorted = { ...query, order: lastValue(dubQuery, 'sortOrder') };
      const metadata = lastValue(dubQuery, 'query');
      const events =
        metadata === undefined
          ? (await call<EventRecord[]>('listEvents', { query: sorted })).body
          : await listKept(call, sorted, metadataFilter(metadata));
      // Events of Dub always belong to a link.
      const ofLinks = events.flatMap((event) => (hasLink(event) ? [event] : []));
      const colors = await colorsOf(
        call,
        ofLinks.map(({ link }) => link),
      );
      return ok(ofLinks.map((event) => toDubEvent(event, colors)));
    },
  },
];

/**
 * Reads the page of the events whose metadata a condition keeps.
 *
 * @throws Refusal `unprocessable_entity` if it is not among the first {@link MAX_PAGES} pages of
 * all events
 */
async function listKept(
  call: Call,
  query: CallQuery,
  keep: ReturnType<typeof metadataFilter>,
): Promise<EventRecord[]> {
  const limit = sizeIn(query, 'limit', { most: MOST, otherwise: PAGE });
  const end = Number(lastValue(query, 'page') ?? 1) * limit;
  if (!(end >= limit)) throw new Refusal('unprocessable_entity', 'page must be at least 1');
  const kept: EventRecord[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { body: events, headers } = await call<EventRecord[]>('listEvents', {
      query: { ...omit(query, ['page']), limit: String(MOST), cursor },
    });
    kept.push(...events.filter((event) => hasLink(event) && keep(event['metadata'])));
    cursor = headers?.['X-Next-Cursor'] as string | undefined;
    if (cursor === undefined || kept.length >= end) return kept.slice(end - limit, end);
  }
  throw new Refusal(
    'unprocessable_entity',
    `interval must be shorter: query reads at most ${MOST * MAX_PAGES} events`,
  );
}

/** An event record of this API. */
interface EventRecord extends Fields {
  event: 'click' | 'lead' | 'sale';
  timestamp: string;
  click: (Record<string, string> & { id: string }) | null;
  link: LinkRecord | null;
}

type EventOfLink = EventRecord & {
  click: NonNullable<EventRecord['click']>;
  link: LinkRecord;
};

const hasLink = (event: EventRecord): event is EventOfLink =>
  event.link !== null && event.click !== null;

/** Times that Dub's SDK expects as texts in the links of events. */
const TIMES = ['expiresAt', 'disabledAt', 'testStartedAt', 'testCompletedAt', 'lastClicked'];
const PROCESSORS = ['stripe', 'shopify', 'polar', 'paddle', 'revenuecat', 'custom'];

function toDubEvent(event: EventOfLink, colors: Colors): Fields {
  const { click, timestamp } = event;
  const dubLink = toDubLink(event.link, colors);
  const link = {
    ...dubLink,
    ...Object.fromEntries(TIMES.map((name) => [name, dubLink[name] ?? ''])),
  };
  const { type, variant, referer, suspect: _, ...values } = click;
  const isQr = type === 'qr';
  const common = {
    event: event.event,
    timestamp,
    click: {
      ...values,
      ...(variant ? { variant } : {}),
      referer: withoutWww(referer ?? ''),
      timestamp,
      trigger: type,
      qr: isQr,
    },
    link,
    click_id: click.id,
    link_id: event.link.id,
    domain: event.link.domain,
    key: event.link.key,
    ...Object.fromEntries(
      ['url', 'continent', 'country', 'city', 'device', 'browser', 'os', 'ip'].map((name) => [
        name,
        click[name],
      ]),
    ),
    qr: isQr ? 1 : 0,
  };
  if (event.event === 'click') return common;
  const { eventName, metadata } = event;
  const conversion = {
    ...common,
    // Events have no id of their own here; click, name and time make a stable one.
    eventId: `${click.id}:${String(eventName)}:${timestamp}`,
    eventName,
    metadata,
    customer: toDubCustomer(event['customer'] as Fields | null, timestamp),
  };
  if (event.event === 'lead') return conversion;
  const sale = event['sale'] as Fields;
  const processor = String(sale['paymentProcessor']);
  const paymentProcessor = PROCESSORS.includes(processor) ? processor : 'custom';
  return {
    ...conversion,
    sale: { ...sale, paymentProcessor },
    saleAmount: sale['amount'],
    invoice_id: sale['invoiceId'] ?? '',
    payment_processor: paymentProcessor,
  };
}

/** Converts the customer of an event; empty after their data was erased. */
const toDubCustomer = (customer: Fields | null, timestamp: string): Fields =>
  customer ?? {
    id: '',
    externalId: '',
    name: null,
    email: null,
    avatar: null,
    createdAt: timestamp,
  };

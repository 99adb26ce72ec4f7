import type { Query } from '../../http/input.ts';
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
import { type Colors, colorsOf, toDubLink } from './link.ts';
import { startOf } from './start-of.ts';

type Row = Record<string, unknown>;

/** Groups with other names at Dub, and the conversion of their rows. */
const GROUPS: Readonly<Record<string, { ours: string; toRows(rows: Row[]): Row[] }>> = {
  continents: {
    ours: 'continents',
    toRows: (rows) => rows.filter(({ continent }) => continent !== ''),
  },
  countries: {
    ours: 'countries',
    toRows: (rows) => rows.map(({ continent: _, ...row }) => ({ ...row, region: '*', city: '*' })),
  },
  regions: { ours: 'region', toRows: (rows) => rows.map((row) => ({ ...row, city: '*' })) },
  cities: { ours: 'cities', toRows: (rows) => rows },
  top_links: {
    ours: 'top_links',
    toRows: (rows) => rows.map((row) => ({ ...row, createdAt: row['createdAt'] ?? '' })),
  },
  top_base_urls: { ours: 'top_urls', toRows: (rows) => rows },
};

/** Ways to open short links, with the same names at Dub. */
const TRIGGERS = ['link', 'qr'] as const;

export const analyticsRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/analytics',
    operation: 'retrieveAnalytics',
    async answer({ query: dubQuery }, call) {
      const { groupBy: requestedGroup = 'count', ...query } = fromDubQuery(dubQuery);
      const groupBy = [requestedGroup].flat().at(-1)!;
      if (groupBy === 'trigger' || groupBy === 'triggers') return ok(await byTrigger(call, query));
      const group = Object.hasOwn(GROUPS, groupBy) ? GROUPS[groupBy] : undefined;
      const translated = { ...query, groupBy: group?.ours ?? groupBy };
      const { body } = await call<Row | Row[]>('retrieveAnalytics', { query: translated });
      if (!Array.isArray(body)) return ok(totalsOf(body));
      return ok(group === undefined ? body : group.toRows(body));
    },
  },
  {
    method: 'get',
    path: '/events',
    operation: 'listEvents',
    async answer({ query: dubQuery }, call) {
      const { sortOrder, ...query } = fromDubQuery(dubQuery);
      const order = sortOrder === undefined ? {} : { order: sortOrder };
      const { body } = await call<EventRecord[]>('listEvents', { query: { ...query, ...order } });
      // Events of Dub always belong to a link.
      const ofLinks = body.flatMap((event) => (hasLink(event) ? [event] : []));
      const colors = await colorsOf(
        call,
        ofLinks.map(({ link }) => link),
      );
      return ok(ofLinks.map((event) => toDubEvent(event, colors)));
    },
  },
];

/** Converts time span and filters of events. Other filters of Dub are refused as unknown. */
function fromDubQuery(dubQuery: Query): CallQuery {
  const { trigger, qr, tagIds, interval, start, ...rest } = omit(dubQuery, [
    'workspaceId',
    'projectSlug',
    'externalId',
  ]);
  const from =
    start ?? startOf(lastValue(dubQuery, 'interval'), lastValue(dubQuery, 'timezone') ?? 'UTC');
  const external = lastValue(dubQuery, 'externalId');
  return {
    ...rest,
    types: trigger,
    type: qr === undefined ? undefined : qr === 'true' ? 'qr' : 'link',
    tagId: tagIds,
    externalId:
      external === undefined || external.startsWith('ext_') ? external : `ext_${external}`,
    // `start` takes precedence at Dub, `interval` in this API.
    interval: from === undefined ? interval : undefined,
    start: from,
  };
}

const totalsOf = ({ clicks, leads, sales, saleAmount }: Row): Row => ({
  clicks,
  leads,
  sales,
  saleAmount,
});

/** Counts by the way in which short links were opened. */
async function byTrigger(call: Call, query: CallQuery): Promise<Row[]> {
  const triggers = [query['types'] ?? TRIGGERS].flat().flatMap((names) => names.split(','));
  const rows: Row[] = [];
  for (const trigger of TRIGGERS.filter((name) => triggers.includes(name))) {
    const { body } = await call<Row>('retrieveAnalytics', {
      query: { ...query, type: trigger, groupBy: 'count' },
    });
    rows.push({ trigger, ...totalsOf(body) });
  }
  return rows.filter(({ clicks, leads, sales }) => [clicks, leads, sales].some((n) => n !== 0));
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
  const { type, ...values } = click;
  const isQr = type === 'qr';
  const common = {
    event: event.event,
    timestamp,
    click: { ...values, timestamp, trigger: type, qr: isQr },
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

import { ok } from '../../http/answer.ts';
import type { Query } from '../../http/input.ts';
import {
  type Ask,
  type AskedQuery,
  type Fields,
  type LinkRecord,
  one,
  type PeerRoute,
  without,
} from '../peer.ts';
import { type Colors, colorsOf, toDubLink } from './link.ts';
import { startOf } from './start-of.ts';

type Row = Record<string, unknown>;

/** Groups that Dub names otherwise, and how their rows are made of ours. */
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

/** How short links were opened, as Dub and we name it. */
const TRIGGERS = ['link', 'qr'] as const;

export const analyticsRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/analytics',
    operation: 'retrieveAnalytics',
    async answer({ query: sent }, ask) {
      const { groupBy: wanted = 'count', ...query } = fromDubQuery(sent);
      const groupBy = [wanted].flat().at(-1)!;
      if (groupBy === 'trigger' || groupBy === 'triggers') return ok(await byTrigger(ask, query));
      const group = Object.hasOwn(GROUPS, groupBy) ? GROUPS[groupBy] : undefined;
      const asked = { ...query, groupBy: group?.ours ?? groupBy };
      const { body } = await ask<Row | Row[]>('retrieveAnalytics', { query: asked });
      if (!Array.isArray(body)) return ok(totalsOf(body));
      return ok(group === undefined ? body : group.toRows(body));
    },
  },
  {
    method: 'get',
    path: '/events',
    operation: 'listEvents',
    async answer({ query: sent }, ask) {
      const { sortOrder, ...query } = fromDubQuery(sent);
      const order = sortOrder === undefined ? {} : { order: sortOrder };
      const { body } = await ask<EventRecord[]>('listEvents', { query: { ...query, ...order } });
      // An event of Dub is always one of a link.
      const ofLinks = body.flatMap((event) => (hasLink(event) ? [event] : []));
      const colors = await colorsOf(
        ask,
        ofLinks.map(({ link }) => link),
      );
      return ok(ofLinks.map((event) => toDubEvent(event, colors)));
    },
  },
];

/** Span and filters of events. Other filters of Dub are refused as unknown. */
function fromDubQuery(sent: Query): AskedQuery {
  const { trigger, qr, tagIds, interval, start, ...rest } = without(sent, [
    'workspaceId',
    'projectSlug',
    'externalId',
  ]);
  const from = start ?? startOf(one(sent, 'interval'), one(sent, 'timezone') ?? 'UTC');
  const external = one(sent, 'externalId');
  return {
    ...rest,
    types: trigger,
    type: qr === undefined ? undefined : qr === 'true' ? 'qr' : 'link',
    tagId: tagIds,
    externalId:
      external === undefined || external.startsWith('ext_') ? external : `ext_${external}`,
    // `start` takes precedence at Dub, `interval` here.
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

/** Counts by how short links were opened. */
async function byTrigger(ask: Ask, query: AskedQuery): Promise<Row[]> {
  const wanted = [query['types'] ?? TRIGGERS].flat().flatMap((names) => names.split(','));
  const rows: Row[] = [];
  for (const trigger of TRIGGERS.filter((name) => wanted.includes(name))) {
    const { body } = await ask<Row>('retrieveAnalytics', {
      query: { ...query, type: trigger, groupBy: 'count' },
    });
    rows.push({ trigger, ...totalsOf(body) });
  }
  return rows.filter(({ clicks, leads, sales }) => [clicks, leads, sales].some((n) => n !== 0));
}

/** An event of our interface. */
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

/** Times that Dub's SDK expects as texts in links of events. */
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
    // Events have no id of their own here: click, name and time make one that stays.
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

/** The customer of an event; empty once their data was erased. */
const toDubCustomer = (customer: Fields | null, timestamp: string): Fields =>
  customer ?? {
    id: '',
    externalId: '',
    name: null,
    email: null,
    avatar: null,
    createdAt: timestamp,
  };

import { createHash } from 'node:crypto';
import { COLUMNS, clickFields, clickValues } from '../events/columns.ts';
import type { StoredEvent } from '../events/event.ts';
import { ROOT_KEY } from '../events/filters.ts';
import { truncateIp } from '../events/ingest/pipeline.ts';
import { kindOf, kindOfStored, VISIT_KINDS } from '../events/kinds.ts';
import { UTM_FIELDS, utmText } from '../events/utm.ts';
import { minorUnitsOf } from '../infra/minor-units.ts';
import { parseUrl } from '../infra/url.ts';
import { originOf, shortLinkOf } from '../lookup/short-link.ts';
import { cityName } from '../visitors/city.ts';
import { UNKNOWN } from '../visitors/places.ts';

/** An event as kinds of destinations send it: nothing that identifies a visitor or a customer. */
export interface SentEvent {
  /** Id of the event, the same whenever it is sent. */
  id: string;
  kind: 'visit' | 'lead' | 'sale' | 'refund';
  /** True for a visit of a QR code. */
  isCode: boolean;
  /** Name of the event in webhooks, such as `link.clicked`. */
  type: string;
  at: Date;
  /** Name of a lead, sale or refund; empty for visits. */
  name: string;
  /** 16 hexadecimal digits, which a click and its leads and sales share. */
  visitorId: string;
  /** The short link. */
  shortLink: string;
  /** The short link with the UTM parameters of its destination. */
  url: string;
  domain: string;
  key: string;
  /** Id of the link or QR code; empty for the root of a domain. */
  linkId: string;
  destination: string;
  /** URL of the referring page; empty if unknown. */
  referrer: string;
  /** ISO 3166-1 alpha-2; empty if unknown. */
  country: string;
  /** ISO 3166-2, or a name; empty if unknown. */
  region: string;
  city: string;
  device: string;
  browser: string;
  os: string;
  /** IP address without its last part; empty if unknown. */
  ip: string;
  variant: string;
  /** Absent for clicks, scans and leads. */
  payment?: Payment | undefined;
  /** True for an event that its owner requested to test the destination. */
  isTest?: true | undefined;
  /** The fields of `click` in event records, with a truncated IP address. */
  click: Record<string, unknown>;
}

/** Payment details of a sale or refund. */
interface Payment {
  /** Amount in major units of the currency. */
  value: number;
  /** Upper-case code of ISO 4217. */
  currency: string;
  /** Amount in US dollars; `null` until there is an exchange rate. */
  dollars: number | null;
  /** Id of the invoice, or of the event if there is none. */
  orderId: string;
}

const CLICK_FIELDS = clickFields(COLUMNS);
const VISITOR_ID_LENGTH = 16;

const known = (value: string): string => (value === UNKNOWN ? '' : value);

/** Builds what destinations send of an event. */
export function toSentEvent(event: StoredEvent): SentEvent {
  const clickId = event.click_id ?? event.id;
  const ip = truncateIp(event.ip);
  const kind = kindOfStored(event.event);
  const isVisit = kindOf(kind).family === 'visit';
  const isRoot = event.key === ROOT_KEY && event.link_id === null;
  const isPlaced = event.domain !== '';
  const shortLink = isRoot
    ? `${originOf(event.domain)}/`
    : isPlaced
      ? shortLinkOf(event.domain, event.key)
      : '';
  return {
    id: event.id,
    kind: isVisit ? 'visit' : (kind as SentEvent['kind']),
    isCode: kind === VISIT_KINDS.qrcode,
    type: kindOf(event.event).webhook!,
    at: event.occurred_at,
    name: event.event_name ?? '',
    visitorId: createHash('sha256')
      .update(`${event.project_id} ${clickId}`)
      .digest('hex')
      .slice(0, VISITOR_ID_LENGTH),
    shortLink,
    url: withCampaign(shortLink, event.url),
    domain: event.domain,
    key: event.key,
    linkId: event.link_id ?? '',
    destination: event.url,
    referrer: /^https?:$/.test(parseUrl(event.referer_url)?.protocol ?? '')
      ? event.referer_url
      : '',
    country: known(event.country),
    region: known(event.region),
    city: cityName(known(event.city)),
    device: known(event.device),
    browser: known(event.browser),
    os: known(event.os),
    ip,
    variant: event.variant ?? '',
    payment: paymentOf(event),
    click: { id: clickId, ...clickValues(CLICK_FIELDS, { ...event, ip }) },
  };
}

/** Adds the UTM parameters of a destination to its short link. */
function withCampaign(shortLink: string, destination: string): string {
  const campaign = new URLSearchParams(
    UTM_FIELDS.flatMap((field) => {
      const value = utmText(destination, field);
      return value === undefined ? [] : [[field, value]];
    }),
  ).toString();
  return campaign === '' || shortLink === '' ? shortLink : `${shortLink}?${campaign}`;
}

function paymentOf({ id, sale, amount_cents }: StoredEvent): Payment | undefined {
  if (sale === null) return undefined;
  const currency = sale.currency.toUpperCase();
  const { amount, decimals = minorUnitsOf(currency), invoiceId, isFromPage } = sale;
  return {
    value: amount / 10 ** decimals,
    currency,
    dollars: amount_cents === null ? null : amount_cents / 100,
    // Receivers count an order once: an invoice that a visitor invents must not hide a real one.
    orderId: isFromPage === true ? id : (invoiceId ?? id),
  };
}

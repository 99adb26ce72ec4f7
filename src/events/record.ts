import { type CustomerRecord, customerRecord } from '../customers/record.ts';
import { Joi } from '../infra/fields.ts';
import { LINKS } from '../links/kind.ts';
import { linkRecord, type SealedLink, toSealedLink } from '../links/record.ts';
import { type PageRecord, pageRecord } from '../pages/record.ts';
import { QR_CODES } from '../qrcodes/kind.ts';
import { qrCodeRecord, type SealedQrCode, toSealedQrCode } from '../qrcodes/record.ts';
import type { StoredEvent } from './queries.ts';

/** What an event is about, as it is now; what has been deleted is absent. */
export interface EventContext {
  link?: SealedLink;
  qrcode?: SealedQrCode;
  page?: PageRecord;
  customer?: CustomerRecord;
}

type Shape = (event: StoredEvent, timestamp: string, context: EventContext) => object;

const SHAPES: Record<StoredEvent['event'], Shape> = {
  click: toClick,
  scan: (event, timestamp, { qrcode }) => ({
    event: 'scan',
    timestamp,
    click: clickOf(event),
    qrcode: qrcode ?? rememberedQrCode(event),
  }),
  view: (event, timestamp, context) => ({
    event: 'view',
    timestamp,
    click: clickOf(event),
    page: context.page ?? null,
    ...recordOf(event, context),
  }),
  lead: (event, timestamp, context) => ({
    event: 'lead',
    ...conversion(event, timestamp, context),
  }),
  sale: (event, timestamp, context) => ({
    event: 'sale',
    ...conversion(event, timestamp, context),
    sale: {
      amount: event.amount_cents ?? 0,
      currency: 'usd',
      paymentProcessor: event.sale?.paymentProcessor ?? 'custom',
      invoiceId: event.sale?.invoiceId ?? null,
    },
  }),
};

/** An event as callers get it. The link and the code say what the event remembers, where they were deleted. */
export function toEvent(event: StoredEvent, context: EventContext): object {
  return SHAPES[event.event](event, event.occurred_at.toISOString(), context);
}

const conversion = (event: StoredEvent, timestamp: string, context: EventContext) => ({
  timestamp,
  eventName: event.event_name ?? '',
  customer: context.customer ?? null,
  // A sale or lead that nobody's click led to has neither.
  click: event.click_id === null ? null : clickOf(event),
  ...recordOf(event, context),
  metadata: event.metadata,
});

/** What webhooks are told of an event: what `GET /events` answers, without what is there twice. */
export function toTold(event: StoredEvent, context: EventContext): object {
  const { event: _, timestamp: __, ...told } = toEvent(event, context) as Record<string, unknown>;
  return event.event === 'click' ? { click: told['click'], link: told['link'] } : told;
}

/** The link of an event, or its QR code; `link: null` where it has neither. */
function recordOf(event: StoredEvent, { link, qrcode }: EventContext) {
  if (event.link_id === null) return { link: null };
  return event.link_id.startsWith('qr_')
    ? { link: null, qrcode: qrcode ?? rememberedQrCode(event) }
    : { link: link ?? rememberedLink(event) };
}

function clickOf(event: StoredEvent) {
  const { url, continent, country, region, city, device, browser, os, referer, via, ip } = event;
  return {
    id: event.click_id ?? event.id,
    url,
    continent,
    country,
    region,
    city,
    device,
    browser,
    os,
    referer,
    refererUrl: event.referer_url,
    type: via,
    ip,
  };
}

/** The click event of the contract, with its deprecated flat fields. */
function toClick(event: StoredEvent, timestamp: string, { link }: EventContext) {
  const click = clickOf(event);
  const shown = link ?? rememberedLink(event);
  const { url, continent, country, city, device, browser, os, type, ip } = click;
  return {
    event: 'click' as const,
    timestamp,
    click,
    link: shown,
    click_id: event.id,
    link_id: shown.id,
    domain: event.domain,
    key: event.key,
    url,
    continent,
    country,
    city,
    device,
    browser,
    os,
    type,
    ip,
  };
}

const idsOf = (event: StoredEvent) => ({
  project_id: event.project_id,
  id: event.link_id ?? '',
  user_id: '',
  domain_id: '',
  key: event.key,
});

function rememberedLink(event: StoredEvent): SealedLink {
  const row = { ...LINKS.blank(idsOf(event), event.occurred_at), url: event.url };
  return toSealedLink(row, { domain: event.domain, tags: [] });
}

function rememberedQrCode(event: StoredEvent): SealedQrCode {
  const { url } = event;
  const blank = QR_CODES.blank(idsOf(event), event.occurred_at);
  return toSealedQrCode({ ...blank, url, content: { url } }, { domain: event.domain, tags: [] });
}

const text = Joi.string().allow('').required();

const clickFields = Joi.object({
  id: text,
  url: text,
  continent: text,
  country: text,
  region: text.description('Addition: the region, ISO 3166-2 where it is known.'),
  city: text,
  device: text,
  browser: text,
  os: text,
  referer: text,
  refererUrl: text,
  type: text,
  ip: text,
});

const FLAT = [
  'click_id',
  'link_id',
  'domain',
  'key',
  'url',
  'continent',
  'country',
  'city',
  'device',
  'browser',
  'os',
  'type',
  'ip',
];

const linkOfEvent = linkRecord
  .keys({ id: text, userId: text })
  .description('The link as it is now; of one that was deleted, what the event remembers.');
const qrCodeOfEvent = qrCodeRecord
  .keys({ id: text, userId: text })
  .description('The QR code as it is now; of one that was deleted, what the event remembers.');
const timestamp = Joi.string().isoDate().required();

const conversionFields = {
  timestamp,
  eventName: text,
  customer: customerRecord.allow(null).required().description('null once they are forgotten.'),
  click: clickFields.allow(null).required(),
  link: linkOfEvent.allow(null).required(),
  qrcode: qrCodeOfEvent,
  metadata: Joi.object().unknown().allow(null).required(),
};

/** The events, for the reference and for checking answers. */
export const eventRecord = Joi.alternatives(
  Joi.object({
    event: Joi.string().valid('click').required(),
    timestamp,
    click: clickFields.required(),
    link: linkOfEvent.required(),
    ...Object.fromEntries(
      FLAT.map((name) => [name, text.description('Deprecated: use the fields of click and link.')]),
    ),
  }),
  Joi.object({
    event: Joi.string().valid('scan').required(),
    timestamp,
    click: clickFields.required(),
    qrcode: qrCodeOfEvent.required(),
  }),
  Joi.object({
    event: Joi.string().valid('view').required(),
    timestamp,
    click: clickFields.required(),
    page: pageRecord.allow(null).required().description('null of a page that was deleted.'),
    link: linkOfEvent.allow(null).required(),
    qrcode: qrCodeOfEvent,
  }),
  Joi.object({ event: Joi.string().valid('lead').required(), ...conversionFields }),
  Joi.object({
    event: Joi.string().valid('sale').required(),
    ...conversionFields,
    sale: Joi.object({
      amount: Joi.number().integer().required().description('In US cents.'),
      currency: text,
      paymentProcessor: text,
      invoiceId: Joi.string().allow(null).required(),
    }).required(),
  }),
);

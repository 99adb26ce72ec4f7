import { defineKind, postJson, sendEach, type Target, urlBelow } from '../kind.ts';
import { type Receipt, SendFailure } from '../receipt.ts';
import type { SentEvent } from '../sent-event.ts';
import { type Ga4Settings, ga4Settings } from './schema.ts';

/*
 * The Measurement Protocol of Google Analytics 4
 * (https://developers.google.com/analytics/devguides/collection/protocol/ga4/reference). A request is
 * about one client, so that each event has its own. Events may be 72 hours old. The answer is 204
 * whatever the request contains.
 */

/** Maximum age of events, in ms; 72 hours less the time that a request may take. */
const MAX_AGE_MS = 71.5 * 3_600_000;
/** Limits of the lengths of values. */
const MAX_LENGTH = { value: 100, location: 1_000, referrer: 420 };

const DEVICES: Readonly<Record<string, string>> = {
  Desktop: 'desktop',
  Mobile: 'mobile',
  Tablet: 'tablet',
  Smarttv: 'smart TV',
};

async function send(
  target: Target<Ga4Settings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const url = urlOf(target, 'mp/collect');
  await sendEach(events, target.stopping, receipt, async (event) => {
    await postJson(target, url, payloadOf(event));
    receipt.accept([event]);
  });
}

function urlOf({ settings, secret }: Target<Ga4Settings>, path: string): string {
  const { measurementId, url } = settings;
  const query = new URLSearchParams({ measurement_id: measurementId, api_secret: secret ?? '' });
  return `${urlBelow(url, path)}?${query}`;
}

/**
 * Asks the validation server
 * (https://developers.google.com/analytics/devguides/collection/protocol/ga4/validating-events),
 * which checks neither the measurement ID nor the secret. Server containers have none.
 */
async function validate(target: Target<Ga4Settings>, event: SentEvent): Promise<void> {
  let body: string;
  try {
    const answer = await postJson({}, urlOf(target, 'debug/mp/collect'), payloadOf(event));
    body = answer.body.toString();
  } catch (error) {
    if (error instanceof SendFailure) return;
    throw error;
  }
  const messages = validationMessages(body);
  if (messages.length === 0) return;
  target.onResponse?.({ status: 200, body: Buffer.from(body) });
  throw new SendFailure(`Google Analytics found errors: ${messages.join('; ')}`);
}

function validationMessages(body: string): string[] {
  try {
    const { validationMessages: messages = [] } = JSON.parse(body) as {
      validationMessages?: { fieldPath?: string; description?: string }[];
    };
    return messages.map(({ fieldPath = '', description = '' }) => `${fieldPath} ${description}`);
  } catch {
    return [];
  }
}

function payloadOf(event: SentEvent): object {
  const { visitorId, at, country, region, city, device, browser, os } = event;
  return {
    client_id: clientIdOf(visitorId),
    timestamp_micros: at.getTime() * 1_000,
    consent: { ad_user_data: 'DENIED', ad_personalization: 'DENIED' },
    user_location: present({
      city,
      region_id: /^[A-Z]{2}-/.test(region) ? region : '',
      country_id: country,
    }),
    device: present({ category: DEVICES[device] ?? '', browser, operating_system: os }),
    events: [eventOf(event)],
  };
}

/** Returns a client id in the form of those of gtag.js: two numbers. */
const clientIdOf = (visitorId: string): string =>
  [visitorId.slice(0, 8), visitorId.slice(8)].map((part) => Number.parseInt(part, 16)).join('.');

const NAMES = {
  visit: 'link_click',
  lead: 'generate_lead',
  sale: 'purchase',
  refund: 'refund',
} as const;

function eventOf(event: SentEvent): object {
  const { kind, id, visitorId, name, url, referrer, linkId, payment, variant } = event;
  return {
    name: event.isCode ? 'qr_scan' : NAMES[kind],
    params: {
      event_id: id,
      session_id: String(Number.parseInt(visitorId.slice(0, 8), 16)),
      engagement_time_msec: 1,
      // Shows the event in DebugView.
      ...(event.isTest === true ? { debug_mode: 1, test: 'true' } : {}),
      ...present({
        page_location: url.slice(0, MAX_LENGTH.location),
        page_referrer: referrer.slice(0, MAX_LENGTH.referrer),
        short_link: event.shortLink.slice(0, MAX_LENGTH.value),
        link_id: linkId,
        variant,
        event_label: name.slice(0, MAX_LENGTH.value),
      }),
      ...(payment === undefined
        ? {}
        : {
            transaction_id: payment.orderId.slice(0, MAX_LENGTH.value),
            value: payment.value,
            currency: payment.currency,
            items: [{ item_id: linkId || id, item_name: name.slice(0, MAX_LENGTH.value) || kind }],
          }),
    },
  };
}

const present = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** A web stream of Google Analytics 4. */
export const ga4 = defineKind<Ga4Settings>({
  settings: ga4Settings,
  secret: 'required',
  batch: 100,
  maxAgeMs: MAX_AGE_MS,
  send,
  validate,
});

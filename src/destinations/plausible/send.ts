import { defineKind, postJson, sendEach, type Target, urlBelow } from '../kind.ts';
import type { Receipt } from '../receipt.ts';
import type { SentEvent } from '../sent-event.ts';
import { addressOf, userAgentOf } from '../user-agent.ts';
import { type PlausibleSettings, plausibleSettings } from './schema.ts';

/*
 * The events API of Plausible (https://plausible.io/docs/events-api). Visits are page views of the
 * short link; leads, sales and refunds are custom events. Plausible dates events by their arrival,
 * and says in a header which it dropped.
 */

/** Maximum length of the value of a property. */
const MAX_VALUE = 2_000;

const NAMES = {
  visit: 'pageview',
  lead: 'Lead',
  sale: 'Sale',
  refund: 'Refund',
} as const;

async function send(
  target: Target<PlausibleSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const { settings, stopping } = target;
  const url = urlBelow(settings.url, 'api/event');
  await sendEach(events, stopping, receipt, async (event) => {
    const { headers } = await postJson(target, url, payloadOf(settings, event), {
      'user-agent': userAgentOf(event),
      'x-forwarded-for': addressOf(event),
    });
    if (headers['x-plausible-dropped'] === undefined) receipt.accept([event]);
    else receipt.drop([event], 'Plausible dropped the event');
  });
}

function payloadOf({ domain }: PlausibleSettings, event: SentEvent): object {
  const { kind, id, name, referrer, payment, linkId, variant } = event;
  const props = {
    event_id: id,
    type: event.isCode ? 'qr' : 'link',
    link_id: linkId,
    name: name.slice(0, MAX_VALUE),
    variant,
    order_id: payment?.orderId.slice(0, MAX_VALUE) ?? '',
    test: event.isTest === true ? 'true' : '',
  };
  return {
    name: NAMES[kind],
    domain,
    url: (event.url || `https://${domain}/`).slice(0, MAX_VALUE),
    ...(referrer === '' ? {} : { referrer: referrer.slice(0, MAX_VALUE) }),
    props: Object.fromEntries(Object.entries(props).filter(([, value]) => value !== '')),
    ...(kind === 'sale' && payment !== undefined
      ? { revenue: { amount: String(payment.value), currency: payment.currency } }
      : {}),
  };
}

/** A site of Plausible. */
export const plausible = defineKind<PlausibleSettings>({
  settings: plausibleSettings,
  secret: 'none',
  batch: 100,
  datesByArrival: true,
  send,
});

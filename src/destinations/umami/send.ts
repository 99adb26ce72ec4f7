import {
  defineKind,
  postJson,
  type Receipt,
  SendFailure,
  sendEach,
  type Target,
  urlBelow,
} from '../kind.ts';
import type { SentEvent } from '../sent-event.ts';
import { addressOf, userAgentOf } from '../user-agent.ts';
import { type UmamiSettings, umamiSettings } from './schema.ts';

/*
 * Events of Umami (https://umami.is/docs/api/sending-stats). Visits are page views of the short link;
 * leads, sales and refunds are named events. What Umami takes for a program gets the answer
 * `{"beep":"boop"}`.
 */

/** Maximum length of a URL. */
const MAX_URL = 500;

const NAMES = { lead: 'Lead', sale: 'Sale', refund: 'Refund' } as const;

async function send(
  { settings, stopping }: Target<UmamiSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const url = urlBelow(settings.url, 'api/send');
  await sendEach(events, stopping, async (event) => {
    const body = { type: 'event', payload: payloadOf(settings, event) };
    if (await isTaken(url, body, userAgentOf(event))) receipt.accept([event]);
    else receipt.refuse([event]);
  });
}

/** @throws SendFailure without an answer about this event */
async function isTaken(url: string, body: object, userAgent: string): Promise<boolean> {
  try {
    const answer = await postJson(url, body, { 'user-agent': userAgent });
    return !/"beep"/.test(answer.body.toString());
  } catch (error) {
    // Umami has no accounts here: it refuses IP addresses that its owner ignores.
    if (error instanceof SendFailure && error.status === 403) return false;
    throw error;
  }
}

function payloadOf({ websiteId }: UmamiSettings, event: SentEvent): object {
  const { kind, id, at, name, referrer, domain, linkId, variant, payment } = event;
  const data = { event_id: id, link_id: linkId, variant, name };
  return {
    website: websiteId,
    hostname: domain,
    url: event.url.slice(0, MAX_URL) || '/',
    referrer: referrer.slice(0, MAX_URL),
    ...(domain === '' ? {} : { title: `${domain}/${event.key}` }),
    ip: addressOf(event),
    userAgent: userAgentOf(event),
    timestamp: Math.floor(at.getTime() / 1_000),
    ...(kind === 'visit'
      ? { tag: event.isCode ? 'qr' : 'link' }
      : {
          name: NAMES[kind],
          data: {
            ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== '')),
            ...(kind === 'sale' ? { revenue: payment!.value, currency: payment!.currency } : {}),
            ...(kind === 'refund' ? { refund: payment!.value, currency: payment!.currency } : {}),
            ...(payment === undefined ? {} : { order_id: payment.orderId }),
          },
        }),
  };
}

/** A website of Umami. */
export const umami = defineKind<UmamiSettings>({
  settings: umamiSettings,
  secret: 'none',
  batch: 100,
  send,
});

import { defineKind, postJson, sendEach, type Target, urlBelow } from '../kind.ts';
import { type Receipt, SendFailure } from '../receipt.ts';
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
  target: Target<UmamiSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const { settings, stopping } = target;
  const url = urlBelow(settings.url, 'api/send');
  await sendEach(events, stopping, receipt, async (event) => {
    const body = { type: 'event', payload: payloadOf(settings, event) };
    try {
      const answer = await postJson(target, url, body, { 'user-agent': userAgentOf(event) });
      if (!/"beep"/.test(answer.body.toString())) receipt.accept([event]);
      else receipt.drop([event], 'Umami took the visitor for a program');
    } catch (error) {
      if (!isIgnored(error)) throw refusalOf(error);
      receipt.drop([event], 'Umami ignores the IP address');
    }
  });
}

/**
 * True for the answer of Umami about an IP address that its owner ignores
 * (https://github.com/umami-software/umami/blob/master/src/lib/response.ts). It knows the website,
 * which it looks up before. Another body of 403 is that of a server in front of it.
 */
function isIgnored(error: unknown): boolean {
  return error instanceof SendFailure && error.status === 403 && codeOf(error.body) === 'forbidden';
}

function codeOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { error?: { code?: unknown } } | null)?.error?.code;
  } catch {
    return undefined;
  }
}

/**
 * Corrects the subject of a refusal: Umami answers 400 also about an unknown website. Before 2.17, it
 * answered this text about an ignored IP address, before it looked up the website.
 */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof SendFailure)) return error;
  const { status, body } = error;
  if (status === 403 && body === '403 Forbidden') {
    return new SendFailure(error.message, { refused: 'event', status });
  }
  if (status !== 400 || !/website not found/i.test(body)) return error;
  return new SendFailure('Umami must know the website', { refused: 'receiver', status });
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
      ? { tag: event.isTest === true ? 'test' : event.isCode ? 'qr' : 'link' }
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

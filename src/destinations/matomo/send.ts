import { defineKind, postJson, sendEach, type Target, urlBelow } from '../kind.ts';
import { type Receipt, SendFailure } from '../receipt.ts';
import type { SentEvent } from '../sent-event.ts';
import { userAgentOf } from '../user-agent.ts';
import { type MatomoSettings, matomoSettings } from './schema.ts';

/*
 * Bulk requests of Matomo (https://developer.matomo.org/api-reference/tracking-api). Visits are page
 * views of the short link; leads and refunds are events; sales are orders, which Matomo counts once
 * by their id. Time, IP address and place need `token_auth`.
 */

/** Name of the category of events. */
const CATEGORY = 'Short links';

async function send(
  target: Target<MatomoSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  try {
    await sendTogether(target, events, receipt);
  } catch (error) {
    // One event can make the whole request be refused, by Matomo or by a firewall in front of it.
    const isSplit = error instanceof SendFailure && error.refused !== undefined;
    if (!isSplit || error.status === undefined || events.length === 1) throw error;
    await sendEach(events, target.stopping, receipt, (event) =>
      sendTogether(target, [event], receipt),
    );
  }
}

async function sendTogether(
  target: Target<MatomoSettings>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<void> {
  const { settings, secret } = target;
  const { body } = await postJson(target, urlBelow(settings.url, 'matomo.php'), {
    requests: events.map((event) => `?${new URLSearchParams(fieldsOf(settings, event))}`),
    token_auth: secret,
  });
  const { status, tracked = 0, invalid = 0, invalid_indices } = readAnswer(body);
  // Matomo leaves out a request whose rows are locked, without saying which.
  if (status !== 'success' || tracked + invalid < events.length) {
    throw new SendFailure('Matomo must track all requests');
  }
  if (invalid === events.length) {
    throw new SendFailure('Matomo must know the site, and the token must be allowed to track it', {
      refused: 'receiver',
    });
  }
  // Without the rights of a superuser, a token learns only how many requests are invalid.
  const invalidOnes = new Set(invalid_indices);
  const isInvalid = (n: number) =>
    invalid_indices === undefined ? n >= events.length - invalid : invalidOnes.has(n);
  receipt.accept(events.filter((_, n) => !isInvalid(n)));
  receipt.drop(
    events.filter((_, n) => isInvalid(n)),
    'Matomo found the event invalid',
  );
}

interface MatomoAnswer {
  status?: string;
  tracked?: number;
  invalid?: number;
  invalid_indices?: number[];
}

function readAnswer(body: Buffer): MatomoAnswer {
  try {
    return (JSON.parse(body.toString()) ?? {}) as MatomoAnswer;
  } catch {
    return {};
  }
}

function fieldsOf({ siteId }: MatomoSettings, event: SentEvent): Record<string, string> {
  const { country, region, city, ip, referrer } = event;
  // Matomo has the part of ISO 3166-2 after the country.
  const part = country !== '' && region.startsWith(`${country}-`) ? region.slice(3) : '';
  return {
    idsite: String(siteId),
    rec: '1',
    apiv: '1',
    send_image: '0',
    // Suspects are what the filter says.
    bots: '1',
    _id: event.visitorId,
    ...(event.url === '' ? {} : { url: event.url }),
    ua: userAgentOf(event),
    cdt: String(Math.floor(event.at.getTime() / 1_000)),
    ...(referrer === '' ? {} : { urlref: referrer }),
    ...(ip === '' ? {} : { cip: ip }),
    ...(country === '' ? {} : { country: country.toLowerCase() }),
    ...(part === '' ? {} : { region: part }),
    ...(city === '' ? {} : { city }),
    ...ACTIONS[event.kind](event),
  };
}

type Action = (event: SentEvent) => Record<string, string>;

const ACTIONS: Readonly<Record<SentEvent['kind'], Action>> = {
  visit: ({ isCode, isTest, domain, key }) => ({
    action_name: isTest === true ? 'Test event' : `${domain}/${key}${isCode ? ' (QR code)' : ''}`,
  }),
  lead: ({ name }) => ({ ca: '1', e_c: CATEGORY, e_a: 'Lead', e_n: name }),
  sale: ({ payment }) => ({
    idgoal: '0',
    ec_id: payment!.orderId,
    revenue: String(payment!.dollars ?? 0),
  }),
  refund: ({ payment }) => ({
    ca: '1',
    e_c: CATEGORY,
    e_a: 'Refund',
    e_n: payment!.orderId,
    e_v: String(payment!.dollars ?? 0),
  }),
};

/** A site of Matomo. */
export const matomo = defineKind<MatomoSettings>({
  settings: matomoSettings,
  secret: 'required',
  batch: 200,
  send,
});

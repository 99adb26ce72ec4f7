import { noCustomer } from '../../conversions/record.ts';
import { MAX_QUANTITY } from '../../conversions/schema.ts';
import { Refusal } from '../../errors.ts';
import { ok } from '../../http/route.ts';
import { parseUrl, percentDecoded } from '../../infra/url.ts';
import { refererOf } from '../../visitors/referrer.ts';
import {
  type Answered,
  type Call,
  definedFields,
  type Fields,
  fieldsOf,
  ifReadable,
  type LinkRecord,
  type PeerRequest,
  type PeerRoute,
} from '../peer.ts';

/** Payment processors that only Dub knows. */
const OTHER_PROCESSORS: readonly unknown[] = ['apple', 'dub'];

/** Ways to record a lead: the first two wait for it, since this service stores it at once. */
const MODES: readonly unknown[] = ['async', 'wait', 'deferred'];
/** Name of a sale without one. */
const DEFAULT_SALE = 'Purchase';

/** Routes for clicks, leads and sales. */
export const trackRoutes: PeerRoute[] = [
  {
    method: 'post',
    path: '/track/click',
    operation: 'trackClick',
    isForPages: true,
    takes: 'json',
    async answer(request, call) {
      const { domain, key, url, referrer, ...rest } = fieldsOf(request.body);
      refuseMissing({ domain, key });
      const click = { ...rest, domain: hostOf(domain), key, ...(url == null ? {} : { url }) };
      return ok(await trackClick(request, call, click, referrer));
    },
  },
  {
    method: 'post',
    path: '/track/open',
    operation: 'trackClick',
    isForPages: true,
    takes: 'json',
    async answer(request, call) {
      const { deepLink, dubDomain: _, ...rest } = fieldsOf(request.body);
      const opened = typeof deepLink === 'string' ? parseUrl(deepLink) : undefined;
      if (opened === undefined) {
        throw new Refusal(
          'unprocessable_entity',
          'deepLink must be the short link that was opened: this service cannot find it by IP address',
        );
      }
      const { hostname, pathname } = opened;
      const query = { domain: hostOf(hostname) as string, key: percentDecoded(pathname.slice(1)) };
      const { body: link } = await call<LinkRecord>('findLink', { query });
      const click = { ...rest, linkId: link.id };
      const { clickId } = await trackClick(request, call, click, undefined);
      const { id, domain, key, url } = link;
      return ok({ clickId, link: { id, domain, key, url } });
    },
  },
  {
    method: 'post',
    path: '/track/lead',
    operation: 'trackLead',
    takes: 'json',
    async answer({ body }, call) {
      const lead = withCustomer(fieldsOf(body));
      const { body: tracked, headers } = await call<{ clickId: string; linkId: string | null }>(
        'trackLead',
        { body: fromDubLead(lead) },
      );
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          click: { id: tracked.clickId },
          link: await linkOf(call, tracked.linkId),
          customer: await customerOfLead(call, lead),
        },
      };
    },
  },
  {
    method: 'post',
    path: '/track/sale',
    operation: 'trackSale',
    takes: 'json',
    async answer({ body }, call) {
      const { paymentProcessor, ...sale } = withCustomer(fieldsOf(body));
      const processor = OTHER_PROCESSORS.includes(paymentProcessor) ? 'custom' : paymentProcessor;
      const answer = await trackSale(call, { ...sale, paymentProcessor: processor });
      if (answer === undefined) {
        return ok({ eventName: sale['eventName'] ?? DEFAULT_SALE, customer: null, sale: null });
      }
      const { body: tracked, headers } = answer;
      const { eventName, amount, currency, invoiceId, metadata } = tracked;
      return {
        status: 200,
        headers: headers ?? {},
        body: {
          eventName,
          customer: await customerOf(call, String(tracked['customerId'])),
          sale: {
            amount,
            currency,
            paymentProcessor: paymentProcessor ?? tracked['paymentProcessor'],
            invoiceId,
            metadata,
          },
        },
      };
    },
  },
];

/**
 * Records a sale.
 *
 * @returns `undefined` for a sale without a click to a customer who does not exist, whom Dub ignores
 */
async function trackSale(call: Call, sale: Fields): Promise<Answered<Fields> | undefined> {
  const { clickId, ...rest } = sale;
  if (!isMissing(clickId)) return call<Fields>('trackSale', { body: sale });
  try {
    return await call<Fields>('trackSale', { body: { ...rest, knownCustomer: true } });
  } catch (thrown) {
    const { message } = noCustomer(String(sale['customerExternalId']));
    if (thrown instanceof Refusal && thrown.message === message) return undefined;
    throw thrown;
  }
}

/** Records a click of the client that sends the request. */
async function trackClick(
  { header, ip }: PeerRequest,
  call: Call,
  click: Fields,
  referrer: unknown,
): Promise<{ clickId: string }> {
  const visitor = {
    ip,
    userAgent: header('user-agent')?.slice(0, 1_000),
    referer: referrer ?? (refererOf(header('referer') ?? '').slice(0, 2_000) || undefined),
  };
  const { body } = await call<{ clickId: string }>('trackClick', {
    body: { ...click, ...definedFields(visitor) },
  });
  return body;
}

/** @throws Refusal `unprocessable_entity` naming each field that is absent */
function refuseMissing(fields: Fields): void {
  const missing = Object.keys(fields).filter((name) => fields[name] === undefined);
  if (missing.length === 0) return;
  const message = missing.map((name) => `${name} is required`).join('; ');
  throw new Refusal('unprocessable_entity', message);
}

const hostOf = (domain: unknown): unknown =>
  typeof domain === 'string' ? domain.replace(/^www\./i, '') : domain;

/** Reads the older names of `customerExternalId`. */
function withCustomer({ externalId, customerId, ...fields }: Fields): Fields {
  const older = externalId ?? customerId;
  return older === undefined ? fields : { customerExternalId: older, ...fields };
}

/**
 * Converts a lead for this API. Without a click, it belongs to the first click of its customer.
 *
 * @throws Refusal `unprocessable_entity`
 */
function fromDubLead({ mode = 'async', eventQuantity, clickId, ...lead }: Fields): Fields {
  if (!MODES.includes(mode)) {
    throw new Refusal('unprocessable_entity', 'mode must be async, wait or deferred');
  }
  const quantity = eventQuantity ?? undefined;
  if (quantity !== undefined && !isQuantity(quantity)) {
    throw new Refusal(
      'unprocessable_entity',
      `eventQuantity must be a whole number from 1 to ${MAX_QUANTITY}`,
    );
  }
  return {
    ...lead,
    clickId: isMissing(clickId) ? undefined : clickId,
    quantity,
    deferred: mode === 'deferred' ? true : undefined,
  };
}

const isQuantity = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_QUANTITY;

const isMissing = (clickId: unknown): boolean =>
  clickId === undefined || clickId === null || clickId === '';

/** Reads the customer of a lead; what the lead says of it if the key may not read customers. */
async function customerOfLead(call: Call, lead: Fields): Promise<Fields> {
  const externalId = lead['customerExternalId'];
  const known = await customerOf(call, String(externalId));
  return {
    externalId,
    name: known?.['name'] ?? lead['customerName'] ?? null,
    email: known?.['email'] ?? lead['customerEmail'] ?? null,
    avatar: known?.['avatar'] ?? lead['customerAvatar'] ?? null,
  };
}

/** Reads the link of a lead; `null` if the key may not read links. */
async function linkOf(call: Call, linkId: string | null): Promise<Fields | null> {
  if (linkId === null) return null;
  const link = await ifReadable(call<LinkRecord>('retrieveLink', { params: { linkId } }));
  if (link === undefined) return null;
  const { id, domain, key, shortLink, url, externalId } = link.body;
  const nothing = { partnerId: null, programId: null, tenantId: null };
  return { id, domain, key, shortLink, url, externalId, ...nothing };
}

/** Reads a customer by their external id; `null` if the key may not read customers. */
async function customerOf(call: Call, externalId: string): Promise<Fields | null> {
  const input = { params: { id: `ext_${externalId}` } };
  const customer = await ifReadable(call<Fields>('retrieveCustomer', input));
  if (customer === undefined) return null;
  const { id, name, email, avatar } = customer.body;
  return { id, name, email, avatar, externalId };
}

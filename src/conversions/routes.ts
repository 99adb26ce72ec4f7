import { setTimeout as sleep } from 'node:timers/promises';
import { type UsCents, usCents } from '../currency/convert.ts';
import { currencyJobs } from '../currency/jobs.ts';
import { Refusal } from '../errors.ts';
import { eventsStore } from '../events/store/index.ts';
import { ok, type Requester, type Route, replayed, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { AddressSet, plainIp } from '../infra/ip.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { runJob } from '../jobs/run-job.ts';
import { linkQueries } from '../links/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { canBeClickId, clickId } from '../visitors/click-id.ts';
import { withoutSecrets } from '../visitors/referrer.ts';
import { visitJobs } from '../visits/jobs.ts';
import type { TrackedClick } from '../visits/visit.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { visitSettings } from '../workspaces/queries.ts';
import { refuseLeadFromPage, refuseSaleFromPage } from './from-page.ts';
import { conversionJobs, type Tracked } from './jobs.ts';
import { clickResult, leadResult, noClick, refundResult, saleResult } from './record.ts';
import {
  type ClickBody,
  clickBody,
  type LeadBody,
  leadBody,
  type NewSaleBody,
  type RefundBody,
  refundBody,
  type SaleBody,
  saleBody,
} from './schema.ts';

const write = {
  tag: 'Conversions',
  scope: 'conversions.write',
  plan: 'business',
  limit: 'track',
  writes: true,
} as const;

/** Part of the descriptions of endpoints for pages. */
const FROM_PAGES =
  'A page can send it with a publishable key, and then changes nothing of an existing customer. ';

/**
 * Delays between look-ups of a click that was answered a moment ago and is not in the database yet,
 * in ms.
 */
const PAUSES_MS = [100, 300, 600];

/** True for a request of a page, which any visitor could have sent. */
const isPage = ({ origins }: Caller): boolean => origins !== null;

const answerTracked = <Body>({ answer, isReplayed }: Tracked<Body>) =>
  isReplayed ? replayed(ok(answer)) : ok(answer);

export const conversionRoutes: Route[] = [
  route<{ body: LeadBody }>({
    ...write,
    method: 'post',
    path: '/track/lead',
    operationId: 'trackLead',
    isForPages: true,
    summary: 'Track a lead',
    description:
      'Records that a click became a lead. Repeating the customer, event name and click returns ' +
      'the first response with `Idempotent-Replayed: true`. Waits for a click not yet stored. ' +
      'Without `clickId`, it belongs to the latest click of the customer, for example of a lead ' +
      'with `deferred`. ' +
      FROM_PAGES +
      'It needs `clickId`, and sets neither `quantity` nor `timestamp`.',
    extension: true,
    body: leadBody,
    answers: { 200: leadResult },
    handle(request) {
      const { caller, body: lead } = request;
      const isFromPage = isPage(caller);
      if (isFromPage) refuseLeadFromPage(lead);
      const data = async () => {
        if (lead.clickId !== undefined) await awaitClick(caller.projectId, lead.clickId);
        const at = lead.timestamp ?? new Date().toISOString();
        return { eventId: newId('event'), at, lead, isFromPage };
      };
      return answerWrite(request, conversionJobs['lead.track'], data, answerTracked);
    },
  }),
  route<{ body: NewSaleBody }>({
    ...write,
    method: 'post',
    path: '/track/sale',
    operationId: 'trackSale',
    isForPages: true,
    summary: 'Track a sale',
    description:
      'Records a sale to a customer. Repeating an invoice returns the first response with ' +
      '`Idempotent-Replayed: true`. An amount in another currency is converted to US dollars ' +
      'at the latest exchange rates; `rateDate` in the response is their day. Without a rate, or ' +
      'with rates older than the operator allows, `amount` is 0 and `pending` true: the sale ' +
      'counts, its amount once there is a rate. Waits for a click or named lead not yet stored. ' +
      FROM_PAGES +
      'It sets no `timestamp`, `paymentProcessor`, `leadEventName` or `knownCustomer`.',
    body: saleBody,
    answers: { 200: saleResult },
    handle(request) {
      const { knownCustomer, ...body } = request.body;
      const isFromPage = isPage(request.caller);
      if (isFromPage) refuseSaleFromPage(request.body);
      const sale = { ...body, currency: body.currency.toUpperCase() };
      const data = async () => {
        if (sale.clickId !== null) await awaitClick(request.caller.projectId, sale.clickId);
        return {
          eventId: newId('event'),
          leadEventId: newId('event'),
          at: sale.timestamp ?? new Date().toISOString(),
          sale,
          isFromPage,
          knownCustomer,
          converted: await convert(request, sale),
        };
      };
      return answerWrite(request, conversionJobs['sale.track'], data, answerTracked);
    },
  }),
  route<{ body: RefundBody }>({
    ...write,
    method: 'post',
    path: '/track/refund',
    operationId: 'trackRefund',
    summary: 'Track a refund',
    description:
      'Records a refund of the sale of an invoice, in full or in part, at the exchange rate of the ' +
      'sale. Partial refunds add up; more than is left of the sale is refused with 422. Repeating a ' +
      '`refundId`, or a refund without `amount`, returns the first response with ' +
      '`Idempotent-Replayed: true`; other contents are refused with 409.',
    extension: true,
    body: refundBody,
    answers: { 200: refundResult },
    handle: (request) =>
      answerWrite(
        request,
        conversionJobs['refund.track'],
        { eventId: newId('event'), at: new Date().toISOString(), refund: request.body },
        answerTracked,
      ),
  }),
  route<{ body: ClickBody }>({
    ...write,
    method: 'post',
    path: '/track/click',
    operationId: 'trackClick',
    summary: 'Track a click',
    description:
      'Records a click of a link that was opened without the redirect. It counts like a visit: ' +
      'bots and `excludedIps` of the workspace don’t count, and a visitor counts once within its ' +
      '`clickDedupeSeconds`.',
    extension: true,
    body: clickBody,
    answers: { 200: clickResult },
    handle: (request) =>
      answerWrite(request, visitJobs['click.track'], () => visitOf(request, request.body), ok),
  }),
];

/** US dollars need no rate, so their sales do not depend on another worker. */
async function convert(
  request: Requester,
  { amount, currency: code, paymentProcessor }: SaleBody,
): Promise<UsCents> {
  if (code === 'USD') return usCents(amount);
  const data = { amount, currency: code, paymentProcessor };
  return runJob(request, currencyJobs['amount.convert'], data);
}

/**
 * Waits a moment for a click, because a visitor may convert before the click is in the database. If
 * that takes longer, the job of the event waits (`waiting.ts`).
 *
 * @throws Refusal `not_found` for an id that no click can have
 */
async function awaitClick(projectId: string, id: string): Promise<void> {
  const isThere = async () => (await eventsStore().findVisit(projectId, id)) !== undefined;
  for (const pause of PAUSES_MS) {
    if (await isThere()) return;
    if (!canBeClickId(id)) throw noClick(id);
    await sleep(pause);
  }
}

async function visitOf(
  { caller: { projectId } }: Pick<Requester, 'caller'>,
  { linkId, domain, key, url, referer = '', ip = '', userAgent = '' }: ClickBody,
): Promise<TrackedClick> {
  const info = { id: linkId, domain, key };
  const record =
    (await linkQueries.findByInfo(projectId, info)) ??
    (await qrCodeQueries.findByInfo(projectId, info));
  if (record === undefined) throw new Refusal('not_found', 'There is no such link or QR code');
  const { dedupeSeconds, excludedIps } = (await visitSettings([projectId])).get(projectId)!;
  const [id, at] = [newId('event'), Date.now()];
  return {
    id,
    at,
    projectId,
    linkId: record.id,
    domain: record.domain,
    key: record.key,
    destination: url ?? (typeof record.url === 'string' ? record.url : ''),
    ip,
    userAgent,
    referer: withoutSecrets(referer),
    via: 'link',
    clickId: clickId({ target: record.id, ip, userAgent, at, visitId: id }, dedupeSeconds),
    isExcluded: new AddressSet(excludedIps).has(plainIp(ip)) || undefined,
    ...(record.trackEvents ? {} : { countsOnly: true }),
  };
}

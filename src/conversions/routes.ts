import { type Asker, answerWrite, askWorker, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { clickId } from '../click-id.ts';
import type { UsCents } from '../currency/convert.ts';
import { Refusal } from '../errors.ts';
import { findClick } from '../events/queries.ts';
import { newId } from '../ids.ts';
import { Joi } from '../infra/fields.ts';
import { linkQueries } from '../links/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { clicks, type Visit } from '../queues/clicks.ts';
import { currency } from '../queues/currency.ts';
import { writes } from '../queues/writes.ts';
import { findByInfo } from '../records/requests.ts';
import { visitSettings } from '../workspaces/queries.ts';
import { leadResult, saleResult } from './record.ts';
import {
  type ClickBody,
  clickBody,
  type LeadBody,
  leadBody,
  type SaleBody,
  saleBody,
} from './schema.ts';

const tag = 'Conversions';

/** How long a click is waited for that was answered a moment ago and is still on its way into the database, in ms. */
const CLICK_MS = 2_000;
const LOOK_MS = 100;

export const conversionRoutes: Route[] = [
  route<{ body: LeadBody }>({
    method: 'post',
    path: '/track/lead',
    summary: 'Addition: record a lead of a click',
    tag,
    scope: 'conversions.write',
    plan: 'business',
    limit: 'track',
    body: leadBody,
    answers: { 200: leadResult },
    writes: true,
    async handle(request) {
      const lead = request.body;
      await awaitClick(request.caller.projectId, lead.clickId);
      const data = { eventId: newId('event'), at: new Date().toISOString(), lead };
      return answerWrite(request, writes, 'lead.track', data, ok);
    },
  }),
  route<{ body: SaleBody }>({
    method: 'post',
    path: '/track/sale',
    summary: 'Record a sale',
    description:
      'An invoice that was recorded before is answered with its first answer and `Idempotent-Replayed: true`.',
    tag,
    scope: 'conversions.write',
    plan: 'business',
    limit: 'track',
    body: saleBody,
    answers: { 200: saleResult },
    writes: true,
    async handle(request) {
      const sale = { ...request.body, currency: request.body.currency.toUpperCase() };
      if (sale.clickId !== null) await awaitClick(request.caller.projectId, sale.clickId);
      const data = {
        eventId: newId('event'),
        leadEventId: newId('event'),
        at: new Date().toISOString(),
        sale,
        converted: await convert(request, sale),
      };
      return answerWrite(request, writes, 'sale.track', data, ({ sale: result, isReplayed }) => ({
        ...ok(result),
        ...(isReplayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
      }));
    },
  }),
  route<{ body: ClickBody }>({
    method: 'post',
    path: '/track/click',
    summary: 'Addition: record a click of a link that is opened without our redirect',
    description:
      'It counts as a visit does: bots do not, and the same visitor once in the workspace’s window.',
    tag,
    scope: 'conversions.write',
    plan: 'business',
    limit: 'track',
    body: clickBody,
    answers: { 200: Joi.object({ clickId: Joi.string().required() }) },
    async handle(request) {
      const visit = await visitOf(request, request.body);
      await askWorker(request, clicks, 'visits.record', [visit]);
      return ok({ clickId: visit.clickId });
    },
  }),
];

function convert(request: Asker, { amount, currency: code }: SaleBody): Promise<UsCents> {
  return askWorker(request, currency, 'amount.convert', { amount, currency: code });
}

/** Whoever was redirected may be faster than the click on its way into the database. */
async function awaitClick(projectId: string, id: string): Promise<void> {
  for (const until = Date.now() + CLICK_MS; ; ) {
    if ((await findClick(projectId, id)) !== undefined) return;
    if (Date.now() >= until) throw new Refusal('not_found', `There is no click "${id}"`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function visitOf(
  { caller: { projectId } }: Pick<Asker, 'caller'>,
  { linkId, domain, key, url, referer = '', ip = '', userAgent = '' }: ClickBody,
): Promise<Visit & { clickId: string }> {
  const info = {
    ...(linkId === undefined ? {} : { id: linkId }),
    ...(domain === undefined ? {} : { domain }),
    ...(key === undefined ? {} : { key }),
  };
  const record =
    (await findByInfo(linkQueries, projectId, info)) ??
    (await findByInfo(qrCodeQueries, projectId, info));
  if (record === undefined) throw new Refusal('not_found', 'There is no such link or QR code');
  const { dedupeSeconds } = (await visitSettings([projectId])).get(projectId)!;
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
    referer,
    via: 'link',
    clickId: clickId({ target: record.id, ip, userAgent, at, visitId: id }, dedupeSeconds),
  };
}

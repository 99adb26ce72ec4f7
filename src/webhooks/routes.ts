import { answerWrite, created, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { newId } from '../ids.ts';
import { Joi } from '../infra/fields.ts';
import { seal } from '../infra/secrets.ts';
import { writes } from '../queues/writes.ts';
import { found } from '../records/requests.ts';
import type { WebhookKind } from './kinds.ts';
import { findDelivery, findWebhook, listDeliveries, listWebhooks } from './queries.ts';
import {
  deliveryRecord,
  openSecret,
  toDelivery,
  toWebhook,
  toWholeDelivery,
  webhookRecord,
  webhookWithSecret,
  wholeDeliveryRecord,
} from './record.ts';
import {
  type DeliveryQuery,
  deliveryParams,
  deliveryQuery,
  type NewWebhook,
  newWebhookBody,
  type ResendBody,
  resendBody,
  testBody,
  type WebhookBody,
  webhookBody,
  webhookListQuery,
  webhookParams,
} from './schema.ts';
import { newSecret } from './sign.ts';

const tag = 'Webhooks';

type Params = { id: string };
type DeliveryParams = { id: string; deliveryId: string };

async function find(projectId: string, id: string) {
  return found(await findWebhook(projectId, id), `webhook "${id}"`);
}

/** Addition to the contract, in which links and QR codes name webhooks by their ids. */
export const webhookRoutes: Route[] = [
  route<{ body: NewWebhook }>({
    method: 'post',
    path: '/webhooks',
    summary: 'Addition: create a webhook',
    description: 'The answer shows the secret by which deliveries are signed (Standard Webhooks).',
    tag,
    scope: 'webhooks.write',
    body: newWebhookBody,
    answers: { 201: webhookWithSecret },
    writes: true,
    handle(request) {
      const { secret = newSecret(), ...fields } = request.body;
      const data = { ...fields, id: newId('webhook'), secret: seal(secret) };
      return answerWrite(request, writes, 'webhook.create', data, (made) =>
        created(`/webhooks/${made.id}`, openSecret(made)),
      );
    },
  }),
  route<{ query: { page: number; pageSize: number } }>({
    method: 'get',
    path: '/webhooks',
    summary: 'Addition: list webhooks, newest first',
    tag,
    scope: 'webhooks.read',
    query: webhookListQuery,
    answers: { 200: Joi.array().items(webhookRecord) },
    handle: async ({ caller, query }) =>
      ok((await listWebhooks(caller.projectId, query)).map(toWebhook)),
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/webhooks/{id}',
    summary: 'Addition: get a webhook',
    tag,
    scope: 'webhooks.read',
    params: webhookParams,
    answers: { 200: webhookRecord },
    handle: async ({ caller, params: { id } }) => ok(toWebhook(await find(caller.projectId, id))),
  }),
  route<{ params: Params; body: WebhookBody }>({
    method: 'patch',
    path: '/webhooks/{id}',
    summary: 'Addition: change, enable or disable a webhook',
    tag,
    scope: 'webhooks.write',
    params: webhookParams,
    body: webhookBody,
    answers: { 200: webhookRecord },
    writes: true,
    handle(request) {
      const data = { id: request.params.id, changes: request.body };
      return answerWrite(request, writes, 'webhook.update', data, ok);
    },
  }),
  route<{ params: Params }>({
    method: 'delete',
    path: '/webhooks/{id}',
    summary: 'Addition: delete a webhook with its deliveries',
    tag,
    scope: 'webhooks.write',
    params: webhookParams,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'webhook.delete', request.params, ok),
  }),
  route<{ params: Params }>({
    method: 'post',
    path: '/webhooks/{id}/rotate-secret',
    summary: 'Addition: replace the secret of a webhook',
    description: 'For a day deliveries are signed by both, the new one first.',
    tag,
    scope: 'webhooks.write',
    params: webhookParams,
    answers: { 200: webhookWithSecret },
    writes: true,
    handle(request) {
      const data = { id: request.params.id, secret: seal(newSecret()) };
      return answerWrite(request, writes, 'webhook.rotate', data, (webhook) =>
        ok(openSecret(webhook)),
      );
    },
  }),
  route<{ params: Params; body: { kind: WebhookKind } }>({
    method: 'post',
    path: '/webhooks/{id}/test',
    summary: 'Addition: send an example to a webhook',
    description: 'Its data has `test: true`. What came of it is in the delivery.',
    tag,
    scope: 'webhooks.write',
    params: webhookParams,
    body: testBody,
    answers: { 201: deliveryRecord },
    writes: true,
    handle(request) {
      const { id } = request.params;
      const data = { id, deliveryId: newId('delivery'), kind: request.body.kind };
      return answerWrite(request, writes, 'webhook.test', data, (delivery) =>
        created(`/webhooks/${id}/deliveries/${delivery.id}`, delivery),
      );
    },
  }),
  route<{ params: Params; body: ResendBody }>({
    method: 'post',
    path: '/webhooks/{id}/resend',
    summary: 'Addition: send all deliveries since a time again',
    description: 'With their own ids, by which a receiver knows those that it has. For 30 days.',
    tag,
    scope: 'webhooks.write',
    params: webhookParams,
    body: resendBody,
    answers: { 200: Joi.object({ count: Joi.number().integer().required() }) },
    writes: true,
    handle(request) {
      const data = { ...request.body, id: request.params.id };
      return answerWrite(request, writes, 'webhook.resendAll', data, ok);
    },
  }),
  route<{ params: Params; query: DeliveryQuery }>({
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    summary: 'Addition: list the deliveries of a webhook, newest first',
    description: 'They are kept for 30 days.',
    tag,
    scope: 'webhooks.read',
    params: webhookParams,
    query: deliveryQuery,
    answers: { 200: Joi.array().items(deliveryRecord) },
    async handle({ caller: { projectId }, params, query }) {
      const { id } = await find(projectId, params.id);
      return ok((await listDeliveries(projectId, id, query)).map(toDelivery));
    },
  }),
  route<{ params: DeliveryParams }>({
    method: 'get',
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    summary: 'Addition: get a delivery with its request and every attempt',
    tag,
    scope: 'webhooks.read',
    params: deliveryParams,
    answers: { 200: wholeDeliveryRecord },
    async handle({ caller: { projectId }, params: { id, deliveryId } }) {
      const webhook = await find(projectId, id);
      const { delivery, attempts } = found(
        await findDelivery(projectId, id, deliveryId),
        `delivery "${deliveryId}"`,
      );
      return ok(toWholeDelivery(delivery, attempts, webhook.url));
    },
  }),
  route<{ params: DeliveryParams }>({
    method: 'post',
    path: '/webhooks/{id}/deliveries/{deliveryId}/resend',
    summary: 'Addition: send a delivery again',
    tag,
    scope: 'webhooks.write',
    params: deliveryParams,
    answers: { 200: deliveryRecord },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'webhook.resend', request.params, ok),
  }),
];

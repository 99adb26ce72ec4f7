import { deletedRecord } from '../http/deleted.ts';
import { Joi, requiredCount } from '../http/fields.ts';
import { created, found, hasAny, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { seal } from '../infra/seal.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { sealFields } from './credentials.ts';
import { webhookJobs } from './jobs.ts';
import type { WebhookKind } from './kinds.ts';
import { Webhook } from './model.ts';
import { findDelivery, listDeliveries } from './queries.ts';
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

const write = { extension: true, tag: 'Webhooks', scope: 'webhooks.write', writes: true } as const;
const read = { extension: true, tag: 'Webhooks', scope: 'webhooks.read' } as const;

/** Seals the secret of a webhook for its job. */
const sealSecret = ({ projectId }: Caller, secret: string): string =>
  seal({ purpose: 'webhook secret', owner: projectId }, secret);

type Params = { id: string };
type DeliveryParams = { id: string; deliveryId: string };

async function find(projectId: string, id: string) {
  return found(await Webhook.of(projectId).where({ id }).first(), `webhook "${id}"`);
}

/**
 * Endpoints of webhooks, an extension of the contract, in which links and QR codes name webhooks by
 * id.
 */
export const webhookRoutes: Route[] = [
  route<{ body: NewWebhook }>({
    ...write,
    method: 'post',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Creates a webhook. The response has the secret that signs deliveries (Standard Webhooks).',
    record: true,
    body: newWebhookBody,
    answers: { 201: webhookWithSecret },
    handle(request) {
      const { secret = newSecret(), headers, basicAuth, ...fields } = request.body;
      const data = {
        ...fields,
        credentials: sealFields(request.caller.projectId, { headers, basicAuth }),
        id: newId('webhook'),
        secret: sealSecret(request.caller, secret),
      };
      return answerWrite(request, webhookJobs['webhook.create'], data, (made) =>
        created(`/webhooks/${made.id}`, openSecret(request.caller.projectId, made)),
      );
    },
  }),
  route<{ query: Paging }>({
    ...read,
    method: 'get',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks, newest first',
    description: 'Returns the webhooks, newest first.',
    query: webhookListQuery,
    answers: { 200: Joi.array().items(webhookRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await newestFirst(Webhook.of(caller.projectId), query), toWebhook),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/webhooks/{id}',
    operationId: 'retrieveWebhook',
    summary: 'Retrieve a webhook',
    description: 'Returns a webhook, without its secret.',
    record: true,
    params: webhookParams,
    answers: { 200: webhookRecord },
    handle: async ({ caller, params: { id } }) => ok(toWebhook(await find(caller.projectId, id))),
  }),
  route<{ params: Params; body: WebhookBody }>({
    ...write,
    method: 'patch',
    path: '/webhooks/{id}',
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description: 'Changes, enables or disables a webhook. Absent fields stay as they are.',
    record: true,
    params: webhookParams,
    body: webhookBody,
    answers: { 200: webhookRecord },
    handle(request) {
      const { headers, basicAuth, ...fields } = request.body;
      const credentials = sealFields(request.caller.projectId, { headers, basicAuth });
      const data = { id: request.params.id, changes: { ...fields, credentials } };
      return answerWrite(request, webhookJobs['webhook.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and its deliveries.',
    record: true,
    params: webhookParams,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, webhookJobs['webhook.delete'], request.params, ok),
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/webhooks/{id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Replaces the secret. For a day, deliveries are signed with both secrets, the new one first.',
    record: true,
    params: webhookParams,
    answers: { 200: webhookWithSecret },
    handle(request) {
      const data = { id: request.params.id, secret: sealSecret(request.caller, newSecret()) };
      return answerWrite(request, webhookJobs['webhook.rotate'], data, (webhook) =>
        ok(openSecret(request.caller.projectId, webhook)),
      );
    },
  }),
  route<{ params: Params; body: { kind: WebhookKind } }>({
    ...write,
    method: 'post',
    path: '/webhooks/{id}/test',
    operationId: 'testWebhook',
    summary: 'Send a test delivery',
    description:
      'Sends an example event, whose data has `test: true`. The delivery has the result.',
    params: webhookParams,
    body: testBody,
    answers: { 201: deliveryRecord },
    handle(request) {
      const { id } = request.params;
      const data = { id, deliveryId: newId('delivery'), kind: request.body.kind };
      return answerWrite(request, webhookJobs['webhook.test'], data, (delivery) =>
        created(`/webhooks/${id}/deliveries/${delivery.id}`, delivery),
      );
    },
  }),
  route<{ params: Params; body: ResendBody }>({
    ...write,
    method: 'post',
    path: '/webhooks/{id}/resend',
    operationId: 'resendDeliveries',
    summary: 'Resend deliveries',
    description:
      'Resends all deliveries since a time, with their original ids. Deliveries are stored for ' +
      '30 days.',
    params: webhookParams,
    body: resendBody,
    answers: {
      200: Joi.object({
        count: requiredCount.description('Number of resent deliveries.'),
      }).meta({ name: 'ResendResult' }),
    },
    handle(request) {
      const data = { ...request.body, id: request.params.id };
      return answerWrite(request, webhookJobs['webhook.resendAll'], data, ok);
    },
  }),
  route<{ params: Params; query: DeliveryQuery }>({
    ...read,
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'List deliveries, newest first',
    description: 'Returns the deliveries of a webhook, newest first. They are stored for 30 days.',
    params: webhookParams,
    isHeavy: hasAny('state', 'kind', 'since', 'until'),
    query: deliveryQuery,
    answers: { 200: Joi.array().items(deliveryRecord) },
    async handle({ caller: { projectId }, params, query }) {
      const { id } = await find(projectId, params.id);
      return pageOf(await listDeliveries(projectId, id, query), toDelivery);
    },
  }),
  route<{ params: DeliveryParams }>({
    ...read,
    method: 'get',
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    operationId: 'retrieveDelivery',
    summary: 'Retrieve a delivery',
    description: 'Returns a delivery with its request and all attempts.',
    params: deliveryParams,
    answers: { 200: wholeDeliveryRecord },
    async handle({ caller: { projectId }, params: { id, deliveryId } }) {
      const webhook = await find(projectId, id);
      const { delivery, attempts } = found(
        await findDelivery(projectId, id, deliveryId),
        `delivery "${deliveryId}"`,
      );
      return ok(toWholeDelivery(delivery, attempts, webhook));
    },
  }),
  route<{ params: DeliveryParams }>({
    ...write,
    method: 'post',
    path: '/webhooks/{id}/deliveries/{deliveryId}/resend',
    operationId: 'resendDelivery',
    summary: 'Resend a delivery',
    description: 'Resends a delivery with its original id.',
    params: deliveryParams,
    answers: { 200: deliveryRecord },
    handle: (request) => answerWrite(request, webhookJobs['webhook.resend'], request.params, ok),
  }),
];

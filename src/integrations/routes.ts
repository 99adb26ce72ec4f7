import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { seal } from '../infra/seal.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { integrationJobs } from './jobs.ts';
import { Integration } from './model.ts';
import { integrationRecord, toIntegration } from './record.ts';
import {
  type IntegrationChanges,
  integrationBody,
  integrationListQuery,
  integrationParams,
  type NewIntegration,
  newIntegrationBody,
} from './schema.ts';

// A connection records conversions, so that a key that may do this may also manage connections.
const common = {
  extension: true,
  tag: 'Integrations',
  scope: 'conversions.write',
  plan: 'business',
} as const;
const write = { ...common, writes: true } as const;

/** Seals the secret of a connection for its job. */
const sealSecret = ({ projectId }: Caller, secret: string): string =>
  seal({ purpose: 'integration secret', owner: projectId }, secret);

type Params = { id: string };

/** Endpoints of connections to payment processors. Their deliveries are in `src/api`. */
export const integrationRoutes: Route[] = [
  route<{ body: NewIntegration }>({
    ...write,
    method: 'post',
    path: '/integrations',
    operationId: 'createIntegration',
    summary: 'Create a connection',
    description:
      'Connects a payment processor. Its webhooks to the `url` of the response are recorded as ' +
      'leads, sales and refunds.',
    record: true,
    body: newIntegrationBody,
    answers: { 201: integrationRecord },
    handle(request) {
      const { secret, ...fields } = request.body;
      const sealed = sealSecret(request.caller, secret);
      const data = { ...fields, id: newId('integration'), secret: sealed };
      return answerWrite(request, integrationJobs['integration.create'], data, (integration) =>
        created(`/integrations/${integration.id}`, integration),
      );
    },
  }),
  route<{ query: Paging }>({
    ...common,
    method: 'get',
    path: '/integrations',
    operationId: 'listIntegrations',
    summary: 'List connections, newest first',
    description: 'Returns the connections to payment processors, newest first.',
    query: integrationListQuery,
    answers: { 200: Joi.array().items(integrationRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await newestFirst(Integration.of(caller.projectId), query), toIntegration),
  }),
  route<{ params: Params }>({
    ...common,
    method: 'get',
    path: '/integrations/{id}',
    operationId: 'retrieveIntegration',
    summary: 'Retrieve a connection',
    description: 'Returns a connection, without its secret.',
    record: true,
    params: integrationParams,
    answers: { 200: integrationRecord },
    async handle({ caller, params: { id } }) {
      const row = await Integration.of(caller.projectId).where({ id }).first();
      return ok(toIntegration(found(row, `integration "${id}"`)));
    },
  }),
  route<{ params: Params; body: IntegrationChanges }>({
    ...write,
    method: 'patch',
    path: '/integrations/{id}',
    operationId: 'updateIntegration',
    summary: 'Update a connection',
    description: 'Changes the name or the secret. Absent fields stay as they are.',
    record: true,
    params: integrationParams,
    body: integrationBody,
    answers: { 200: integrationRecord },
    handle(request) {
      const { secret, ...fields } = request.body;
      const sealed = secret === undefined ? {} : { secret: sealSecret(request.caller, secret) };
      const data = { id: request.params.id, changes: { ...fields, ...sealed } };
      return answerWrite(request, integrationJobs['integration.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/integrations/{id}',
    operationId: 'deleteIntegration',
    summary: 'Delete a connection',
    description: 'Deletes a connection. Recorded leads, sales and refunds remain.',
    record: true,
    params: integrationParams,
    answers: { 200: deletedRecord },
    handle: (request) =>
      answerWrite(request, integrationJobs['integration.delete'], request.params, ok),
  }),
];

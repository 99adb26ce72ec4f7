import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { seal } from '../infra/seal.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { eventDestinationJobs } from './jobs.ts';
import { destinationsOf, findDestination } from './queries.ts';
import { destinationRecord, toDestination, type WaitingDestination } from './record.ts';
import {
  backfillBody,
  type DestinationChanges,
  destinationBody,
  destinationListQuery,
  destinationParams,
  type NewDestination,
  newDestinationBody,
  type Period,
} from './schema.ts';

// A destination gets what webhooks get, so that a key for webhooks may also manage destinations.
const common = { extension: true, tag: 'Destinations', plan: 'business' } as const;
const write = { ...common, scope: 'webhooks.write', writes: true } as const;
const readOnly = { ...common, scope: 'webhooks.read' } as const;

/** Seals the secret of a destination for its job. */
const sealSecret = ({ projectId }: Caller, secret: string): string =>
  seal({ purpose: 'destination secret', owner: projectId }, secret);

type Params = { id: string };

/** Endpoints of destinations. */
export const destinationRoutes: Route[] = [
  route<{ body: NewDestination }>({
    ...write,
    method: 'post',
    path: '/destinations',
    operationId: 'createDestination',
    summary: 'Create a destination',
    description:
      'Creates a destination. From now on it gets the clicks, scans, leads, sales and refunds that ' +
      'its filter matches, each at least once; visitors who send Global Privacy Control or Do Not ' +
      'Track are left out.',
    record: true,
    body: newDestinationBody,
    answers: { 201: destinationRecord },
    handle(request) {
      const { secret, ...fields } = request.body;
      const data = {
        ...fields,
        secret: secret === undefined ? undefined : sealSecret(request.caller, secret),
        id: newId('destination'),
      };
      return answerWrite(request, eventDestinationJobs['destination.create'], data, (destination) =>
        created(`/destinations/${destination.id}`, destination),
      );
    },
  }),
  route<{ query: Paging }>({
    ...readOnly,
    method: 'get',
    path: '/destinations',
    operationId: 'listDestinations',
    summary: 'List destinations, newest first',
    description: 'Returns the destinations, newest first.',
    query: destinationListQuery,
    answers: { 200: Joi.array().items(destinationRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await newestFirst(destinationsOf(caller.projectId), query), (row) =>
        toDestination(row as WaitingDestination),
      ),
  }),
  route<{ params: Params }>({
    ...readOnly,
    method: 'get',
    path: '/destinations/{id}',
    operationId: 'retrieveDestination',
    summary: 'Retrieve a destination',
    description: 'Returns a destination, without its secret.',
    record: true,
    params: destinationParams,
    answers: { 200: destinationRecord },
    async handle({ caller, params: { id } }) {
      const row = await findDestination(caller.projectId, id);
      return ok(toDestination(found(row, `destination "${id}"`)));
    },
  }),
  route<{ params: Params; body: DestinationChanges }>({
    ...write,
    method: 'patch',
    path: '/destinations/{id}',
    operationId: 'updateDestination',
    summary: 'Update a destination',
    description:
      'Changes, pauses or activates a destination. Absent fields stay as they are. New settings or a ' +
      'new secret activate a disabled one.',
    record: true,
    params: destinationParams,
    body: destinationBody,
    answers: { 200: destinationRecord },
    handle(request) {
      const { secret, ...fields } = request.body;
      const sealed = typeof secret === 'string' ? sealSecret(request.caller, secret) : secret;
      const data = { id: request.params.id, changes: { ...fields, secret: sealed } };
      return answerWrite(request, eventDestinationJobs['destination.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/destinations/{id}',
    operationId: 'deleteDestination',
    summary: 'Delete a destination',
    description: 'Deletes a destination, and the events that wait for it.',
    record: true,
    params: destinationParams,
    answers: { 200: deletedRecord },
    handle: (request) =>
      answerWrite(request, eventDestinationJobs['destination.delete'], request.params, ok),
  }),
  route<{ params: Params; body: Period }>({
    ...write,
    method: 'post',
    path: '/destinations/{id}/backfill',
    operationId: 'resendDestinationEvents',
    summary: 'Send the events of a period',
    description:
      'Sends the stored events of a period of at most 31 days that the filter matches. The record ' +
      'shows the progress in `backfill`. Events that were sent before are sent again with the same id.',
    record: true,
    params: destinationParams,
    body: backfillBody,
    answers: { 200: destinationRecord },
    handle(request) {
      const data = { ...request.body, id: request.params.id, backfillId: newId('job') };
      return answerWrite(request, eventDestinationJobs['destination.backfill'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/destinations/{id}/test',
    operationId: 'testDestination',
    summary: 'Send a test event',
    description:
      'Sends one example click, marked as a test, with the settings and the secret that are stored. ' +
      'A failure is not retried. `lastTest` of the record has the result within seconds; the queue ' +
      'and `status` stay as they are.',
    record: true,
    params: destinationParams,
    answers: { 200: destinationRecord },
    handle(request) {
      const data = { id: request.params.id, testId: newId('event') };
      return answerWrite(request, eventDestinationJobs['destination.test'], data, ok);
    },
  }),
];

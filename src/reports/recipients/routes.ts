import { deletedRecord } from '../../http/deleted.ts';
import { Joi } from '../../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { answerWrite } from '../../jobs/answer-write.ts';
import { newestFirst, type Paging } from '../../workspaces/lists.ts';
import { SHARED_REPORT_PLAN, SharedReport } from '../model.ts';
import { VALID_DAYS } from './confirmation.ts';
import { reportRecipientJobs } from './jobs.ts';
import { ReportRecipient } from './model.ts';
import { recipientRecord, toRecipient } from './record.ts';
import {
  MAX_RECIPIENTS,
  type NewRecipient,
  newRecipientBody,
  type RecipientParams,
  recipientListQuery,
  recipientParams,
  recipientsParams,
} from './schema.ts';

const common = { extension: true, tag: 'Shared reports', plan: SHARED_REPORT_PLAN } as const;
const write = { ...common, scope: 'analytics.write', writes: true } as const;
const read = { ...common, scope: 'analytics.read' } as const;

type Params = { id: string };

/** @throws Refusal `not_found` if there is no such report */
async function refuseMissing(projectId: string, id: string): Promise<void> {
  found(await SharedReport.of(projectId).where({ id }).first(), `shared report "${id}"`);
}

const recipientsOf = (projectId: string, reportId: string) =>
  ReportRecipient.of(projectId).where({ report_id: reportId });

const locationOf = (reportId: string, id: string) => `/reports/${reportId}/recipients/${id}`;

/** Endpoints of people who get a shared report by email. */
export const reportRecipientRoutes: Route[] = [
  route<{ params: Params; body: NewRecipient }>({
    ...write,
    method: 'post',
    path: '/reports/{id}/recipients',
    operationId: 'createReportRecipient',
    summary: 'Add a recipient of a report',
    description:
      'Adds a person who gets the report by email at the times of its `schedule`. They need no account. ' +
      'They get one email with a link to confirm, which is valid for ' +
      `${VALID_DAYS} days, and nothing else until they confirm. A report has at most ${MAX_RECIPIENTS} ` +
      'recipients. An email address that is one already stays as it is. Confirmation emails are limited: ' +
      '100 per workspace and 5 per recipient in 24 hours, and 15 per recipient in 30 days.',
    record: true,
    params: recipientsParams,
    body: newRecipientBody,
    answers: { 201: recipientRecord },
    handle(request) {
      const { body, params } = request;
      const data = { ...body, reportId: params.id, id: newId('reportRecipient') };
      return answerWrite(
        request,
        reportRecipientJobs['reportRecipient.create'],
        data,
        (recipient) => created(locationOf(params.id, recipient.id), recipient),
      );
    },
  }),
  route<{ params: Params; query: Paging }>({
    ...read,
    method: 'get',
    path: '/reports/{id}/recipients',
    operationId: 'listReportRecipients',
    summary: 'List the recipients of a report, newest first',
    description: 'Returns the people who get the report by email, or were asked to confirm it.',
    params: recipientsParams,
    query: recipientListQuery,
    answers: { 200: Joi.array().items(recipientRecord) },
    async handle({ caller: { projectId }, params, query }) {
      await refuseMissing(projectId, params.id);
      return pageOf(await newestFirst(recipientsOf(projectId, params.id), query), toRecipient);
    },
  }),
  route<{ params: RecipientParams }>({
    ...read,
    method: 'get',
    path: '/reports/{id}/recipients/{recipientId}',
    operationId: 'retrieveReportRecipient',
    summary: 'Retrieve a recipient of a report',
    description: 'Returns a recipient of a report.',
    record: true,
    params: recipientParams,
    answers: { 200: recipientRecord },
    async handle({ caller: { projectId }, params: { id, recipientId } }) {
      const row = await recipientsOf(projectId, id).where({ id: recipientId }).first();
      return ok(toRecipient(found(row, `report recipient "${recipientId}"`)));
    },
  }),
  route<{ params: RecipientParams }>({
    ...write,
    method: 'post',
    path: '/reports/{id}/recipients/{recipientId}/resend',
    operationId: 'resendReportConfirmation',
    summary: 'Resend the confirmation email of a recipient',
    description:
      'Sends another email with a link to confirm to a person who has not confirmed. Responds with 409 if the ' +
      'person has confirmed or unsubscribed. The link in the earlier email stops working. It counts against the limits of new recipients.',
    params: recipientParams,
    answers: { 200: recipientRecord },
    handle: (request) =>
      answerWrite(
        request,
        reportRecipientJobs['reportRecipient.resend'],
        dataOf(request.params),
        ok,
      ),
  }),
  route<{ params: RecipientParams }>({
    ...write,
    method: 'delete',
    path: '/reports/{id}/recipients/{recipientId}',
    operationId: 'deleteReportRecipient',
    summary: 'Remove a recipient of a report',
    description: 'Removes a recipient; emails that wait for the mail server are not sent.',
    record: true,
    params: recipientParams,
    answers: { 200: deletedRecord },
    handle: (request) =>
      answerWrite(
        request,
        reportRecipientJobs['reportRecipient.delete'],
        dataOf(request.params),
        ok,
      ),
  }),
];

const dataOf = ({ id, recipientId }: RecipientParams) => ({ reportId: id, id: recipientId });

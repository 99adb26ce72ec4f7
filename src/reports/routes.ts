import { resolveQuestion } from '../events/query/question.ts';
import type { EventRecords } from '../events/records.ts';
import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { normalize } from '../infra/normalize.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { hashPassword } from '../users/passwords.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { type NewToken, sharedReportJobs } from './jobs.ts';
import { SHARED_REPORT_PLAN, SharedReport } from './model.ts';
import { openReport, reportRecord, sealToken, toReport } from './record.ts';
import {
  type NewReport,
  newReportBody,
  questionIn,
  type ReportChanges,
  reportChangesBody,
  reportListQuery,
  reportParams,
} from './schema.ts';

// The scope for writing includes the one for reading: nobody can share numbers that they cannot
// read.
const write = {
  extension: true,
  tag: 'Shared reports',
  scope: 'analytics.write',
  plan: SHARED_REPORT_PLAN,
  writes: true,
} as const;
const read = {
  extension: true,
  tag: 'Shared reports',
  scope: 'analytics.read',
  plan: SHARED_REPORT_PLAN,
} as const;

type Params = { id: string };

/** Draws the token of a URL. */
function drawToken(projectId: string): NewToken {
  const token = newToken();
  return { token: sealToken(projectId, token), tokenHash: hashToken(token) };
}

const hashIn = async (
  password: string | null | undefined,
  network: string,
): Promise<string | null | undefined> =>
  typeof password === 'string' ? hashPassword(normalize(password, 'NFC'), network) : password;

/** Endpoints of reports that are shared by URL. */
export const sharedReportRoutes = (records: Pick<EventRecords, 'resolveRecords'>): Route[] => {
  /** @throws Refusal `unprocessable_entity` or `not_found`, as `GET /analytics` does */
  const checkQuestion = async (projectId: string, query: string | undefined): Promise<void> => {
    if (query !== undefined) await resolveQuestion(projectId, questionIn(query), records);
  };
  return [
    route<{ body: NewReport }>({
      ...write,
      method: 'post',
      path: '/reports',
      operationId: 'createSharedReport',
      summary: 'Share a report',
      description:
        'Creates a report: a page with the numbers of analytics that everyone who has its `url` can ' +
        'open, without an account. A workspace has at most 100.',
      record: true,
      body: newReportBody,
      answers: { 201: reportRecord },
      handle(request) {
        const { body, caller, client } = request;
        const { projectId } = caller;
        const data = async () => {
          await checkQuestion(projectId, body.query);
          const password = await hashIn(body.password, client.network);
          return { ...body, password, id: newId('sharedReport'), ...drawToken(projectId) };
        };
        return answerWrite(request, sharedReportJobs['sharedReport.create'], data, (report) =>
          created(`/reports/${report.id}`, openReport(projectId, report)),
        );
      },
    }),
    route<{ query: Paging }>({
      ...read,
      method: 'get',
      path: '/reports',
      operationId: 'listSharedReports',
      summary: 'List shared reports, newest first',
      description: 'Returns the reports of the workspace, newest first, with their URLs.',
      query: reportListQuery,
      answers: { 200: Joi.array().items(reportRecord) },
      async handle({ caller: { projectId }, query }) {
        return pageOf(await newestFirst(SharedReport.of(projectId), query), toReport);
      },
    }),
    route<{ params: Params }>({
      ...read,
      method: 'get',
      path: '/reports/{id}',
      operationId: 'retrieveSharedReport',
      summary: 'Retrieve a shared report',
      description: 'Returns a report, with its URL.',
      record: true,
      params: reportParams,
      answers: { 200: reportRecord },
      async handle({ caller: { projectId }, params: { id } }) {
        const row = await SharedReport.of(projectId).where({ id }).first();
        return ok(toReport(found(row, `shared report "${id}"`)));
      },
    }),
    route<{ params: Params; body: ReportChanges }>({
      ...write,
      method: 'patch',
      path: '/reports/{id}',
      operationId: 'updateSharedReport',
      summary: 'Update a shared report',
      description:
        'Changes a report. Its URL stays the same; readers see the change within 10 seconds. A new ' +
        'password locks it again for everyone.',
      record: true,
      params: reportParams,
      body: reportChangesBody,
      answers: { 200: reportRecord },
      handle(request) {
        const { body, caller, client, params } = request;
        const { projectId } = caller;
        const data = async () => {
          await checkQuestion(projectId, body.query);
          const password = await hashIn(body.password, client.network);
          return {
            id: params.id,
            changes: { ...body, ...(password !== undefined && { password }) },
          };
        };
        return answerWrite(request, sharedReportJobs['sharedReport.update'], data, (report) =>
          ok(openReport(projectId, report)),
        );
      },
    }),
    route<{ params: Params }>({
      ...write,
      method: 'post',
      path: '/reports/{id}/rotate',
      operationId: 'rotateSharedReport',
      summary: 'Rotate the URL of a shared report',
      description: 'Gives a report a new URL; the previous one stops working at once.',
      params: reportParams,
      answers: { 200: reportRecord },
      handle(request) {
        const { caller, params } = request;
        const { projectId } = caller;
        const data = { id: params.id, ...drawToken(projectId) };
        return answerWrite(request, sharedReportJobs['sharedReport.rotate'], data, (report) =>
          ok(openReport(projectId, report)),
        );
      },
    }),
    route<{ params: Params }>({
      ...write,
      method: 'delete',
      path: '/reports/{id}',
      operationId: 'deleteSharedReport',
      summary: 'Delete a shared report',
      description: 'Deletes a report; its URL stops working at once.',
      record: true,
      params: reportParams,
      answers: { 200: deletedRecord },
      handle: (request) =>
        answerWrite(request, sharedReportJobs['sharedReport.delete'], request.params, ok),
    }),
  ];
};

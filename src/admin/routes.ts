import { Refusal } from '../errors.ts';
import { countRejected } from '../events/ingest/rejected-visits.ts';
import { Joi } from '../http/fields.ts';
import { NO_CONTENT, ok, pageOf, type Route, route } from '../http/route.ts';
import { listProcesses } from '../infra/heartbeat.ts';
import { runJob } from '../jobs/run-job.ts';
import { QUEUES } from '../queues/index.ts';
import { listReports, readReport } from './abuse-reports.ts';
import { listBlockedHosts, readBlockedHost } from './blocked-hosts.ts';
import { listBlockedLinks, readBlockedLink } from './blocked-links.ts';
import {
  discardDeadLetter,
  listDeadLetters,
  readDeadLetter,
  retryDeadLetter,
} from './dead-letters.ts';
import { adminJobs } from './jobs.ts';
import {
  type AbuseReportQuery,
  abuseReportParams,
  abuseReportQuery,
  abuseReportRecord,
  type BlocklistQuery,
  blockedHostBody,
  blockedHostParams,
  blockedHostQuery,
  blockedHostRecord,
  blockedLinkParams,
  blockedLinkQuery,
  blockedLinkRecord,
  type DeadLetterQuery,
  deadLetterDetails,
  deadLetterParams,
  deadLetterQuery,
  deadLetterRecord,
  processRecord,
  queuesRecord,
  type ReportAnswer,
  reportAnswerBody,
  retriedRecord,
} from './schema.ts';

const common = { tag: 'Administration', extension: true, scope: 'operator' } as const;
const params = deadLetterParams;

export const adminRoutes: Route[] = [
  route({
    ...common,
    method: 'get',
    path: '/admin/processes',
    operationId: 'listProcesses',
    summary: 'List processes',
    description:
      'Returns all processes of the installation with their states, by name: the running ones, ' +
      'and any that went silent within the last hour.',
    answers: { 200: Joi.array().items(processRecord) },
    handle: async ({ queues: { redis } }) => ok(await listProcesses(redis)),
  }),
  route({
    ...common,
    method: 'get',
    path: '/admin/queues',
    operationId: 'listQueues',
    summary: 'List queues',
    description: 'Returns the depth and throughput of every queue, and the number of its workers.',
    answers: { 200: queuesRecord },
    async handle({ queues: { inspector } }) {
      const [queues, rejectedVisits] = await Promise.all([
        Promise.all(
          Object.values(QUEUES).map(async ({ queue }) => {
            const [depth, activity] = await Promise.all([
              inspector.depth(queue),
              inspector.activity(queue),
            ]);
            const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = depth;
            const counts = { waiting: waiting + prioritized, active, delayed, failed };
            return { name: queue.name, ...counts, ...activity };
          }),
        ),
        countRejected(),
      ]);
      return ok({ queues, rejectedVisits });
    },
  }),
  route<{ query: DeadLetterQuery }>({
    ...common,
    method: 'get',
    path: '/admin/dead-letters',
    operationId: 'listDeadLetters',
    summary: 'List dead letters',
    description:
      'Returns jobs that failed permanently and visits that the database refused, latest first.',
    query: deadLetterQuery,
    answers: { 200: Joi.array().items(deadLetterRecord) },
    handle: async ({ query, queues }) => ok(await listDeadLetters(queues.inspector, query)),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'get',
    path: '/admin/dead-letters/{id}',
    operationId: 'retrieveDeadLetter',
    summary: 'Retrieve a dead letter',
    description: 'Returns a dead letter with its data and error.',
    params,
    answers: { 200: deadLetterDetails },
    handle: async ({ params: { id }, queues }) => ok(await readDeadLetter(queues.inspector, id)),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'post',
    path: '/admin/dead-letters/{id}/retry',
    operationId: 'resendDeadLetter',
    summary: 'Retry a dead letter',
    description:
      'Retries a dead letter. If it fails again, it becomes a dead letter again. Effects that are already stored ' +
      'are not repeated.',
    params,
    answers: { 200: retriedRecord },
    handle: async (request) => ok(await retryDeadLetter(request, request.params.id)),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'delete',
    path: '/admin/dead-letters/{id}',
    operationId: 'deleteDeadLetter',
    summary: 'Discard a dead letter',
    description: 'Deletes a dead letter. Its work is never done.',
    params,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      await discardDeadLetter(request, request.params.id);
      return { status: 204, body: undefined };
    },
  }),
  route<{ query: BlocklistQuery }>({
    ...common,
    method: 'get',
    path: '/admin/blocked-hosts',
    operationId: 'listBlockedHosts',
    summary: 'List blocked hosts',
    description:
      'Returns the blocked hosts, which no link of the installation can redirect to, by name.',
    query: blockedHostQuery,
    answers: { 200: Joi.array().items(blockedHostRecord) },
    handle: async ({ query }) => pageOf(await listBlockedHosts(query), (record) => record),
  }),
  route<{ params: { host: string }; body: { reason: string } }>({
    ...common,
    method: 'put',
    path: '/admin/blocked-hosts/{host}',
    operationId: 'upsertBlockedHost',
    summary: 'Block a host',
    description:
      'Blocks a host with its subdomains, or changes the reason. New links cannot redirect ' +
      'there, and visitors of existing links get a page that explains the block.',
    params: blockedHostParams,
    body: blockedHostBody,
    answers: { 200: blockedHostRecord },
    async handle(request) {
      const { host } = request.params;
      await runJob(request, adminJobs['host.block'], { host, ...request.body });
      return ok(await readBlockedHost(host));
    },
  }),
  route<{ params: { host: string } }>({
    ...common,
    method: 'delete',
    path: '/admin/blocked-hosts/{host}',
    operationId: 'deleteBlockedHost',
    summary: 'Unblock a host',
    description: 'Removes a host from the blocklist. Links to the host work again.',
    params: blockedHostParams,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      const { host } = request.params;
      await readBlockedHost(host);
      await runJob(request, adminJobs['host.unblock'], { host });
      return { status: 204, body: undefined };
    },
  }),
  route<{ query: BlocklistQuery }>({
    ...common,
    method: 'get',
    path: '/admin/blocked-links',
    operationId: 'listBlockedLinks',
    summary: 'List blocked links',
    description: 'Returns the links and QR codes that operators have blocked, the latest first.',
    query: blockedLinkQuery,
    answers: { 200: Joi.array().items(blockedLinkRecord) },
    handle: async ({ query }) => pageOf(await listBlockedLinks(query), (record) => record),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'delete',
    path: '/admin/blocked-links/{id}',
    operationId: 'deleteBlockedLink',
    summary: 'Unblock a link',
    description: 'Unblocks a link or QR code, which works again at once.',
    params: blockedLinkParams,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      const { id } = request.params;
      await readBlockedLink(id);
      await runJob(request, adminJobs['link.unblock'], { id });
      return { status: 204, body: undefined };
    },
  }),
  route<{ query: AbuseReportQuery }>({
    ...common,
    method: 'get',
    path: '/admin/abuse-reports',
    operationId: 'listAbuseReports',
    summary: 'List abuse reports',
    description: 'Returns the reports of visitors about links, the latest first.',
    query: abuseReportQuery,
    answers: { 200: Joi.array().items(abuseReportRecord) },
    handle: async ({ query }) => pageOf(await listReports(query), (record) => record),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'get',
    path: '/admin/abuse-reports/{id}',
    operationId: 'retrieveAbuseReport',
    summary: 'Retrieve an abuse report',
    description: 'Returns a report with its link, and its answer if there is one.',
    params: abuseReportParams,
    answers: { 200: abuseReportRecord },
    handle: async ({ params: { id } }) => ok(await readReport(id)),
  }),
  route<{ params: { id: string }; body: ReportAnswer }>({
    ...common,
    method: 'put',
    path: '/admin/abuse-reports/{id}/answer',
    operationId: 'upsertAbuseReportAnswer',
    summary: 'Answer an abuse report',
    description:
      'Blocks the host or the link, or dismisses the report. Other open reports about the link get the same answer, unless ' +
      'this one is dismissed. A later answer replaces an earlier one, but unblocks nothing.',
    params: abuseReportParams,
    body: reportAnswerBody,
    answers: { 200: abuseReportRecord },
    async handle(request) {
      const { id } = request.params;
      const { decision, host, note } = request.body;
      if (decision === 'block-host' && host === undefined) {
        throw new Refusal('unprocessable_entity', 'host is required to block a host');
      }
      const answer = { decision, note, host: decision === 'block-host' ? host : undefined };
      await runJob(request, adminJobs['report.answer'], { id, answer });
      return ok(await readReport(id));
    },
  }),
];

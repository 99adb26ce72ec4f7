import { Joi } from '../../http/fields.ts';
import { type ApiRequest, ok, type Route, route } from '../../http/route.ts';
import { toContent } from '../../mail/message.ts';
import { REPORT_PLAN } from '../../mail/preferences.ts';
import { type ReportChoice, reportFields } from '../../mail/schema.ts';
import { PERMISSIONS_POLICY } from '../../web/permissions.ts';
import type { EventRecords } from '../records.ts';
import { reportMessage } from './message.ts';
import { makeReport, reportRecord } from './report.ts';
import { namesOfWorkspace } from './send.ts';

const shared = {
  method: 'get' as const,
  extension: true as const,
  tag: 'Analytics' as const,
  scope: 'analytics.read' as const,
  plan: REPORT_PLAN,
  isHeavy: true,
  query: Joi.object<ReportChoice>({
    ...reportFields,
    every: reportFields.every.default('weekly'),
  }),
};

type Asked = ApiRequest<{ query: ReportChoice }>;

/** Endpoints that return a workspace's reports, which also go out by email. */
export const reportRoutes = ({ names }: EventRecords): Route[] => {
  const report = ({ caller, query }: Asked) =>
    makeReport(caller.projectId, query, new Date(), names);
  return [
    route<{ query: ReportChoice }>({
      ...shared,
      path: '/report',
      operationId: 'retrieveReport',
      summary: 'Retrieve a report',
      description:
        'Returns the report of the last whole week or month. Its numbers match analytics with ' +
        'its `start` and `end`.',
      answers: { 200: reportRecord },
      handle: async (request) => ok(await report(request)),
    }),
    route<{ query: ReportChoice }>({
      ...shared,
      path: '/report/mail',
      operationId: 'renderReport',
      summary: 'Render a report as an email',
      description: 'Returns the HTML of the report’s email.',
      answers: { 200: { media: ['text/html'] } },
      async handle(request) {
        const message = reportMessage(
          await report(request),
          await namesOfWorkspace(request.caller.projectId),
        );
        return {
          status: 200,
          body: Buffer.from(toContent(message).html),
          headers: {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy':
              "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            'X-Content-Type-Options': 'nosniff',
            'Permissions-Policy': PERMISSIONS_POLICY,
          },
        };
      },
    }),
  ];
};

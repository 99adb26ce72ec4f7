import type { SchemaMap } from 'joi';
import { config } from '../config.ts';
import type { CustomerFilters } from '../customers/conditions.ts';
import { countCustomers, customerFilterSchemas } from '../customers/list.ts';
import { Refusal } from '../errors.ts';
import { eventRecords } from '../event-records/event-records.ts';
import { resolveRecords } from '../event-records/resolve.ts';
import {
  EVENT_PARAMETERS,
  type EventParameter,
  type KindParameter,
  kindNamed,
} from '../events/kinds.ts';
import {
  type FilterQuery,
  filterSchemas,
  resolveFilter,
  spanSchemas,
} from '../events/query/filters.ts';
import { resolveSpan } from '../events/query/interval.ts';
import { eventSchemas } from '../events/schema.ts';
import { INTERVALS, type SpanQuery } from '../events/span.ts';
import { eventsStore } from '../events/store/index.ts';
import { id, Joi, oneOf, text } from '../http/fields.ts';
import { MEBIBYTE } from '../http/input.ts';
import { type Answer, type ApiRequest, ok, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { db } from '../infra/db.ts';
import { seal } from '../infra/seal.ts';
import { answerAccepted, answerWrite } from '../jobs/answer-write.ts';
import { filterSchemas as linkFilterSchemas } from '../links/filters.ts';
import { LINK_TABLES } from '../links/model.ts';
import { linkQueries } from '../links/queries.ts';
import { QR_CODE_FILTERS } from '../qrcodes/filters.ts';
import { QR_CODE_TABLES } from '../qrcodes/model.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { refuseHiddenFilter, type SharedFilters, schemasOf } from '../short-links/filters.ts';
import type { ShortLinkTables } from '../short-links/model.ts';
import { refuseOtherWorkspace } from '../short-links/project-slug.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { includesScope, type Scope } from '../workspaces/scopes.ts';
import { exportAnalytics, fileNameOf } from './analytics.ts';
import { findExport, partsOf } from './commands.ts';
import { type ExportFormat, FORMATS, fileAnswer, MEDIA_TYPES, type Parts } from './format.ts';
import { exportJobs, type NewExport } from './jobs.ts';
import { exportRecord } from './qrcodes/record.ts';
import { answerPictures, pictureExportRoutes } from './qrcodes/routes.ts';
import { exportLinks, exportQrCodes } from './records.ts';
import {
  type NewExportBody,
  newExportBody,
  type SelectedExport,
  selectedExportBody,
  workspaceExport,
} from './schema.ts';

const common = { extension: true, tag: 'Exports' } as const;

const FILE = { media: FORMATS.map((name) => MEDIA_TYPES[name]) };

const format = oneOf(FORMATS).default('csv').description('Format of the file.');
const EXPORT_DESCRIPTION =
  'Returns a small export at once. A worker writes a large one: the response is 202, and the ' +
  'result of the job has a URL that is valid for a day and needs no key.';
const DESCRIPTION = `${EXPORT_DESCRIPTION} Passwords are omitted.`;

/** Scopes for the export of a whole workspace. */
const READ = [
  'workspace.write',
  'links.read',
  'qrcodes.read',
  'tags.read',
  'folders.read',
  'pages.read',
  'domains.read',
  'events.read',
  'customers.read',
] as const satisfies Scope[];

/** @throws Refusal `forbidden` when the caller may not export the whole workspace */
function refuseWithoutScopes({ scopes }: Caller): void {
  const missing = READ.filter((scope) => !includesScope(scopes, scope));
  if (missing.length === 0) return;
  throw new Refusal(
    'forbidden',
    `The export of a workspace needs the scopes ${missing.join(', ')}`,
  );
}

type AnalyticsQuery = FilterQuery & SpanQuery & { event?: EventParameter };

type EventsQuery = FilterQuery & SpanQuery & { event: KindParameter; format: ExportFormat };

type CustomersQuery = CustomerFilters & { format: ExportFormat };

/**
 * Endpoints of exports. They come before those of events and links, which would take these paths
 * for ids.
 */
export const exportRoutes: Route[] = [
  ...pictureExportRoutes,
  route<{ query: EventsQuery }>({
    ...common,
    method: 'get',
    path: '/events/export',
    isHeavy: true,
    operationId: 'exportEvents',
    limits: 'records',
    summary: 'Export events, oldest first',
    description: DESCRIPTION,
    scope: 'events.read',
    plan: 'business',
    query: Joi.object<EventsQuery>({ ...eventSchemas, format }),
    answers: { 200: FILE },
    writes: true,
    async handle(request) {
      const { query, caller } = request;
      const { projectId } = caller;
      const event = kindNamed(query.event);
      const filter = await resolveFilter(projectId, query, resolveRecords);
      const { start, end } = await resolveSpan(projectId, query);
      const maxRows = config().EXPORT_ROWS;
      const count = await eventsStore().countUpTo(
        { projectId, kind: event, span: { start, end }, filter },
        maxRows + 1,
      );
      const events = { event, start: start.toISOString(), end: end.toISOString(), filter };
      return answerExport(request, { format: query.format, of: { events } }, query.event, count);
    },
  }),
  route<{ query: AnalyticsQuery }>({
    ...common,
    method: 'get',
    path: '/analytics/export',
    isHeavy: true,
    operationId: 'exportAnalytics',
    limits: 'records',
    summary: 'Export analytics of all groups',
    description:
      'Returns a ZIP file: a description of the period and the filters, the totals of this period ' +
      'and the period before, the time series, and a CSV file for each dimension, as ' +
      '`GET /analytics` returns them.',
    scope: 'analytics.read',
    plan: 'pro',
    query: Joi.object<AnalyticsQuery>({
      event: oneOf(EVENT_PARAMETERS).description(
        'Events to count. Default: clicks; scans of QR codes and views of pages in their files.',
      ),
      interval: oneOf(INTERVALS).description(
        'Period; takes precedence over `start` and `end`. Default without them: 24h.',
      ),
      ...filterSchemas,
      ...spanSchemas,
    }),
    answers: { 200: { media: [MEDIA_TYPES.zip] } },
    async handle({ caller: { projectId }, query }) {
      const [filter, span, workspace] = await Promise.all([
        resolveFilter(projectId, query, resolveRecords),
        resolveSpan(projectId, query),
        nameOf(projectId),
      ]);
      const selection = { workspace, projectId, span, filter, event: query.event, query };
      const file = await exportAnalytics(selection, eventRecords.names);
      return fileAnswer(file, fileNameOf(span), 'zip');
    },
  }),
  ...recordExportRoutes({
    tables: LINK_TABLES,
    filters: linkFilterSchemas,
    count: (projectId, filters) => linkQueries.count(projectId, filters),
    of: (links) => ({ links }),
    byIds: exportLinks,
  }),
  ...recordExportRoutes({
    tables: QR_CODE_TABLES,
    filters: schemasOf(QR_CODE_FILTERS),
    count: (projectId, filters) => qrCodeQueries.count(projectId, filters),
    of: (qrcodes) => ({ qrcodes }),
    byIds: exportQrCodes,
  }),
  route<{ query: CustomersQuery }>({
    ...common,
    method: 'get',
    path: '/customers/export',
    isHeavy: true,
    operationId: 'exportCustomers',
    summary: 'Export customers, oldest first',
    description: EXPORT_DESCRIPTION,
    scope: 'customers.read',
    plan: 'business',
    query: Joi.object<CustomersQuery>({ ...customerFilterSchemas, format }),
    answers: { 200: FILE },
    writes: true,
    async handle(request) {
      const { format: wanted, ...customers } = request.query;
      const count = await countCustomers(request.caller.projectId, customers);
      return answerExport(request, { format: wanted, of: { customers } }, 'customers', count);
    },
  }),
  route<{ body: NewExportBody }>({
    ...common,
    method: 'post',
    path: '/exports',
    isHeavy: true,
    operationId: 'createExport',
    limits: 'records',
    summary: 'Export a whole workspace, or images of QR codes',
    description:
      '`workspace` writes one file with the domains, tags, folders, UTM templates, pages, ' +
      'templates and images of QR codes, customers, links, QR codes and events of the workspace, ' +
      'all as of one moment. `POST /imports?source=workspace` imports it here or in another ' +
      'installation. The URL is valid for a day and needs no key. The file has personal data, ' +
      'but no API keys, webhooks and people; passwords are encrypted with the passphrase. It ' +
      'needs the scope `workspace.write` and the scopes to read all of these. `qrcodes` draws ' +
      'up to 50,000 codes, of QR codes or of links, in the background, oldest first, into a ' +
      'ZIP or PDF file of at most 1 GiB: the response is 201 with the export, and `GET /exports/{id}/progress` has its ' +
      'progress and URL.',
    scope: 'qrcodes.read',
    body: newExportBody,
    bodyLimit: 5 * MEBIBYTE,
    answers: { 200: workspaceExport, 201: exportRecord },
    writes: true,
    handle: (request) =>
      request.body.type === 'workspace'
        ? answerWorkspace(request)
        : answerPictures(request, request.body),
  }),
  route<{ params: { id: string }; query: { token: string } }>({
    ...common,
    method: 'get',
    path: '/exports/{id}',
    operationId: 'downloadExport',
    summary: 'Download a large export',
    description:
      'Returns the file of a large export. The result of its job has the URL. It is valid for a day.',
    scope: 'public',
    params: Joi.object<{ id: string }>({ id: id().required().description('Id of the export.') }),
    query: Joi.object<{ token: string }>({
      token: text(100).required().description('Secret in the URL.').example('Zk3vQ8sLp1'),
    }),
    answers: { 200: { media: Object.values(MEDIA_TYPES) } },
    async handle({ params, query }) {
      const download = await findExport(params.id, query.token);
      if (download === undefined) throw new Refusal('not_found', 'There is no such export');
      if (download === null) throw new Refusal('invite_expired', 'The export has expired');
      return fileAnswer(download.parts, download.name, download.format);
    },
  }),
];

/** The parts in which exports of links and of QR codes differ. */
interface RecordExport {
  tables: ShortLinkTables;
  filters: SchemaMap;
  count(projectId: string, filters: SharedFilters): Promise<number>;
  of(filters: SharedFilters): NewExport['of'];
  byIds(projectId: string, ids: readonly string[], format: ExportFormat): Parts;
}

function recordExportRoutes({ tables, filters, count, of, byIds }: RecordExport): Route[] {
  const { kind, noun, table } = tables;
  const name = kind === 'link' ? 'Links' : 'QrCodes';
  const shared = {
    ...common,
    path: `/${table}/export`,
    isHeavy: true,
    limits: 'records',
    scope: `${table}.read`,
    answers: { 200: FILE },
  } as const;
  return [
    route<{ query: SharedFilters & { format: ExportFormat } }>({
      ...shared,
      method: 'get',
      operationId: `export${name}`,
      summary: `Export ${noun}s, oldest first`,
      description: DESCRIPTION,
      query: Joi.object({ ...filters, format }),
      writes: true,
      async handle(request) {
        const { format: wanted, ...selection } = request.query;
        refuseOtherWorkspace(selection, request.caller);
        refuseHiddenFilter(request.caller, kind, selection);
        const found = await count(request.caller.projectId, selection);
        return answerExport(request, { format: wanted, of: of(selection) }, table, found);
      },
    }),
    route<{ body: SelectedExport }>({
      ...shared,
      method: 'post',
      operationId: `export${name}ByIds`,
      summary: `Export ${noun}s by their ids`,
      description:
        `Returns the ${noun}s with these ids, oldest first, as \`GET /${table}/export\` does; unknown ids are ` +
        'left out. Passwords are omitted.',
      body: selectedExportBody(kind),
      bodyLimit: 5 * MEBIBYTE,
      handle: async ({ caller: { projectId }, body }) =>
        fileAnswer(byIds(projectId, body.ids, body.format), table, body.format),
    }),
  ];
}

async function nameOf(projectId: string): Promise<string> {
  const row = (await db()('workspaces').where({ id: projectId }).first('name')) as { name: string };
  return row.name;
}

function answerWorkspace(request: ApiRequest<{ body: NewExportBody }>): Promise<Answer> {
  const { type: _, passphrase, ...others } = request.body;
  const faults = Object.keys(others).map(
    (name) => `${name} must not be set where the type is workspace`,
  );
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  refuseWithoutScopes(request.caller);
  const { projectId: owner } = request.caller;
  const data = {
    id: newId('job'),
    passphrase:
      passphrase === undefined
        ? undefined
        : seal({ purpose: 'export passphrase', owner }, passphrase),
  };
  return answerWrite(request, exportJobs['export.workspace'], data, ok);
}

async function answerExport(
  request: ApiRequest,
  selection: Omit<NewExport, 'id'>,
  name: string,
  count: number,
): Promise<Answer> {
  if (count <= config().EXPORT_ROWS && !request.respondAsync) {
    return fileAnswer(partsOf(request.caller.projectId, selection), name, selection.format);
  }
  return answerAccepted(request, exportJobs['export.write'], { id: newId('job'), ...selection });
}

import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { resolveRecords } from '../event-records/resolve.ts';
import { type KindParameter, kindNamed } from '../events/kinds.ts';
import { type FilterQuery, resolveFilter } from '../events/query/filters.ts';
import { resolveSpan, type SpanQuery } from '../events/query/interval.ts';
import { eventSchemas } from '../events/schema.ts';
import { eventsStore } from '../events/store/index.ts';
import { answerAccepted, ok } from '../http/answer.ts';
import { id, Joi, text } from '../http/fields.ts';
import { type Answer, type ApiRequest, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { type LinkFilters, filterSchemas as linkFilterSchemas } from '../links/filters.ts';
import { linkQueries } from '../links/queries.ts';
import { bulk } from '../queues/bulk.ts';
import { refuseOtherWorkspace } from '../short-links/queries.ts';
import { findExport, type NewExport, partsOf } from './commands.ts';
import { type ExportFormat, FORMATS, MEDIA_TYPES, type Parts } from './format.ts';

const tag = 'Exports';
const FILE = { media: Object.values(MEDIA_TYPES) };

const format = Joi.string()
  .valid(...FORMATS)
  .default('csv')
  .description('Format of the file.');
const DESCRIPTION =
  'A small export is the answer itself. A large one is written by a worker: the answer is 202, and the result of the ' +
  'job has an address that is valid for a day and needs no key. Passwords are left out.';

type EventsQuery = FilterQuery & SpanQuery & { event: KindParameter; format: ExportFormat };

type LinksQuery = LinkFilters & { format: ExportFormat };

/** Stand before the routes of events and links: their paths would be taken for ids. */
export const exportRoutes: Route[] = [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events/export',
    isHeavy: true,
    operationId: 'exportEvents',
    summary: 'Export events, oldest first',
    extension: true,
    description: DESCRIPTION,
    tag,
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
      const most = config().EXPORT_ROWS;
      const count = await eventsStore.countUpTo(
        { projectId, kind: event, span: { start, end }, filter },
        most + 1,
      );
      const events = { event, start: start.toISOString(), end: end.toISOString(), filter };
      return answerExport(request, { format: query.format, of: { events } }, query.event, count);
    },
  }),
  route<{ query: LinksQuery }>({
    method: 'get',
    path: '/links/export',
    isHeavy: true,
    operationId: 'exportLinks',
    summary: 'Export links, oldest first',
    extension: true,
    description: DESCRIPTION,
    tag,
    scope: 'links.read',
    query: Joi.object<LinksQuery>({ ...linkFilterSchemas, format }),
    answers: { 200: FILE },
    writes: true,
    async handle(request) {
      const { format: wanted, ...links } = request.query;
      refuseOtherWorkspace(links, request.caller);
      const count = await linkQueries.count(request.caller.projectId, links);
      return answerExport(request, { format: wanted, of: { links } }, 'links', count);
    },
  }),
  route<{ params: { id: string }; query: { token: string } }>({
    method: 'get',
    path: '/exports/{id}',
    operationId: 'downloadExport',
    summary: 'Download a large export',
    description:
      'Returns the file of a large export, under the address in the result of its job. The address is valid for ' +
      'a day.',
    extension: true,
    tag,
    scope: 'public',
    params: Joi.object<{ id: string }>({ id: id().required().description('Id of the export.') }),
    query: Joi.object<{ token: string }>({
      token: text(100).required().description('Secret of the address.'),
    }),
    answers: { 200: FILE },
    async handle({ params, query }) {
      const stored = await findExport(params.id, query.token);
      if (stored === undefined) throw new Refusal('not_found', 'There is no such export');
      if (stored === null) throw new Refusal('invite_expired', 'The export has expired');
      return file(stored.parts, stored.name, stored.format);
    },
  }),
];

async function answerExport(
  request: ApiRequest,
  wanted: Omit<NewExport, 'id'>,
  name: string,
  count: number,
): Promise<Answer> {
  if (count <= config().EXPORT_ROWS && !request.respondAsync) {
    return file(partsOf(request.caller.projectId, wanted), name, wanted.format);
  }
  return answerAccepted(request, bulk, 'export.write', { id: newId('job'), ...wanted });
}

const file = (parts: Parts, name: string, written: ExportFormat): Answer => ({
  ...ok(parts),
  headers: {
    'Content-Type': MEDIA_TYPES[written],
    'Content-Disposition': `attachment; filename="${name}.${written}"`,
    'X-Content-Type-Options': 'nosniff',
  },
});

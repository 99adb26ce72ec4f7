import { EVENTS } from '../analytics/events.ts';
import { type FilterQuery, resolveFilter } from '../analytics/filters.ts';
import { resolveSpan, type SpanQuery } from '../analytics/interval.ts';
import { answerAccepted, ok } from '../api/answer.ts';
import { type Answer, type ApiRequest, type Route, route } from '../api/route.ts';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { countEvents } from '../events/queries.ts';
import { eventSchemas } from '../events/schema.ts';
import { newId } from '../ids.ts';
import { id, Joi, text } from '../infra/fields.ts';
import { type LinkFilters, filterSchemas as linkFilterSchemas } from '../links/filters.ts';
import { linkQueries } from '../links/queries.ts';
import { bulk } from '../queues/bulk.ts';
import { refuseOtherWorkspace } from '../records/requests.ts';
import { findExport, type NewExport, partsOf } from './commands.ts';
import { type ExportFormat, FORMATS, MEDIA_TYPES, type Parts } from './format.ts';

const tag = 'Exports';
const FILE = { media: Object.values(MEDIA_TYPES) };

const format = Joi.string()
  .valid(...FORMATS)
  .default('csv');
const DESCRIPTION =
  'A small export is the answer itself. A large one is written by a worker: the answer is 202, and the result of its ' +
  'job has an address that holds for a day, and needs no key. Passwords are left out.';

type EventsQuery = FilterQuery &
  SpanQuery & { event: Exclude<keyof typeof EVENTS, 'composite'>; format: ExportFormat };

type LinksQuery = LinkFilters & { format: ExportFormat };

/** Stand before the routes of events and links: their paths would be taken for ids. */
export const exportRoutes: Route[] = [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events/export',
    summary: 'Addition: events as a file, oldest first',
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
      const [event] = EVENTS[query.event];
      const filter = await resolveFilter(projectId, query);
      const { start, end } = await resolveSpan(projectId, query);
      const most = config().EXPORT_ROWS;
      const count = await countEvents(projectId, event, { start, end }, filter, most + 1);
      const events = { event, start: start.toISOString(), end: end.toISOString(), filter };
      return answerExport(request, { format: query.format, of: { events } }, query.event, count);
    },
  }),
  route<{ query: LinksQuery }>({
    method: 'get',
    path: '/links/export',
    summary: 'Addition: links as a file, oldest first',
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
    summary: 'Addition: a large export, under the address that its job has told',
    tag,
    scope: 'public',
    params: Joi.object<{ id: string }>({ id: id().required() }),
    query: Joi.object<{ token: string }>({ token: text(100).required() }),
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

import { EVENTS } from '../analytics/events.ts';
import { type FilterQuery, resolveFilter } from '../analytics/filters.ts';
import { resolveSpan, type SpanQuery } from '../analytics/interval.ts';
import { ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { Joi, text } from '../infra/fields.ts';
import { toEvents } from './context.ts';
import { listEvents, readCursor, writeCursor } from './queries.ts';
import { eventRecord } from './record.ts';
import { eventSchemas } from './schema.ts';

/** Events of one kind, as a query names them. */
type ListedEvent = Exclude<keyof typeof EVENTS, 'composite'>;

interface EventsQuery extends FilterQuery, Omit<SpanQuery, 'interval'> {
  event: ListedEvent;
  sortBy: 'timestamp';
  order: 'asc' | 'desc';
  page: number;
  limit: number;
  cursor?: string;
  interval?: Exclude<SpanQuery['interval'], '1h' | undefined>;
}

const MAX_LIMIT = 1_000;

export const eventRoutes: Route[] = [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events',
    summary: 'List events',
    description:
      'The header `X-Next-Cursor` of a full page leads to the next one, at the same cost however far that is.',
    tag: 'Events',
    scope: 'events.read',
    plan: 'business',
    query: Joi.object<EventsQuery>({
      ...eventSchemas,
      page: Joi.number().integer().min(1).max(1_000_000).default(1),
      limit: Joi.number().integer().min(1).max(MAX_LIMIT).default(100),
      cursor: text(200).description('Addition: the `X-Next-Cursor` of the page before.'),
      order: Joi.string().valid('asc', 'desc').default('desc'),
      sortBy: Joi.string().valid('timestamp').default('timestamp'),
    }),
    answers: { 200: Joi.array().items(eventRecord) },
    async handle({ caller: { projectId }, query }) {
      const { limit, order, page, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      if (cursor !== undefined && after === undefined) {
        throw new Refusal('unprocessable_entity', 'cursor must be an X-Next-Cursor of this list');
      }
      const [filter, span] = await Promise.all([
        resolveFilter(projectId, query),
        resolveSpan(projectId, query),
      ]);
      const events = await listEvents(projectId, EVENTS[query.event][0], span, filter, {
        limit,
        order,
        offset: after === undefined ? (page - 1) * limit : 0,
        ...(after === undefined ? {} : { after }),
      });
      const answer = ok(await toEvents(projectId, events));
      const last = events.length === limit ? events.at(-1) : undefined;
      return last === undefined
        ? answer
        : { ...answer, headers: { 'X-Next-Cursor': writeCursor(last) } };
    },
  }),
];

import { Refusal } from '../errors.ts';
import { Joi, text } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import { type KindParameter, kindNamed } from './kinds.ts';
import { readCursor, writeCursor } from './query/cursor.ts';
import { type FilterQuery, resolveFilter } from './query/filters.ts';
import { resolveSpan } from './query/interval.ts';
import type { EventRecords } from './records.ts';
import { eventSchemas } from './schema.ts';
import type { SpanQuery } from './span.ts';
import { eventsStore } from './store/index.ts';

interface EventsQuery extends FilterQuery, Omit<SpanQuery, 'interval'> {
  event: KindParameter;
  sortBy: 'timestamp';
  order: 'asc' | 'desc';
  page: number;
  limit: number;
  cursor?: string;
  interval?: Exclude<SpanQuery['interval'], '1h' | undefined>;
}

const MAX_LIMIT = 1_000;

export const eventRoutes = ({ schema, toEvents, resolveRecords }: EventRecords): Route[] => [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events',
    isHeavy: true,
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Returns events of one kind. The header `X-Next-Cursor` of a full page is the `cursor` of ' +
      'the next one. Each page costs the same.',
    tag: 'Events',
    scope: 'events.read',
    plan: 'business',
    query: Joi.object<EventsQuery>({
      ...eventSchemas,
      page: Joi.number()
        .integer()
        .min(1)
        .max(1_000_000)
        .default(1)
        .description('Page, from 1. Ignored with `cursor`.'),
      limit: Joi.number()
        .integer()
        .min(1)
        .max(MAX_LIMIT)
        .default(100)
        .description('Events per page, at most 1,000.'),
      cursor: text(200)
        .description('`X-Next-Cursor` of the previous page.')
        .meta({ extension: true }),
      order: Joi.string()
        .valid('asc', 'desc')
        .default('desc')
        .description('Ascending or descending order.'),
      sortBy: Joi.string().valid('timestamp').default('timestamp').description('Sort field.'),
    }),
    answers: { 200: Joi.array().items(schema) },
    async handle({ caller: { projectId }, query }) {
      const { limit, order, page, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      if (cursor !== undefined && after === undefined) {
        throw new Refusal('unprocessable_entity', 'cursor must be an X-Next-Cursor of this list');
      }
      const [filter, span] = await Promise.all([
        resolveFilter(projectId, query, resolveRecords),
        resolveSpan(projectId, query),
      ]);
      const events = await eventsStore().list(
        { projectId, kind: kindNamed(query.event), span, filter },
        {
          limit,
          order,
          offset: after === undefined ? (page - 1) * limit : 0,
          after,
        },
      );
      const answer = ok(await toEvents(projectId, events));
      const last = events.length === limit ? events.at(-1) : undefined;
      return last === undefined
        ? answer
        : { ...answer, headers: { 'X-Next-Cursor': writeCursor(last) } };
    },
  }),
];

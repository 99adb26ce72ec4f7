import { Refusal } from '../errors.ts';
import { cursor as cursorField, Joi, text } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import type { Position } from '../infra/keyset.ts';
import { type KindParameter, kindNamed } from './kinds.ts';
import { readCursor, writeCursor } from './query/cursor.ts';
import { type FilterQuery, resolveFilter } from './query/filters.ts';
import { resolveSpan } from './query/interval.ts';
import type { EventRecords } from './records.ts';
import { eventSchemas } from './schema.ts';
import type { SpanQuery } from './span.ts';
import { eventsStore } from './store/index.ts';
import type { Cursor } from './store/store.ts';

interface EventsQuery extends FilterQuery, Omit<SpanQuery, 'interval'> {
  event: KindParameter;
  sortBy: 'timestamp';
  order: 'asc' | 'desc';
  page: number;
  limit: number;
  cursor?: string;
  /** Time in µs and id of the last event of the previous page. */
  after?: Position | undefined;
  interval?: Exclude<SpanQuery['interval'], '1h' | undefined>;
}

const MAX_LIMIT = 1_000;

export const eventRoutes = ({ schema, toEvents, resolveRecords }: EventRecords): Route[] => [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events',
    isHeavy: true,
    operationId: 'listEvents',
    limits: 'records',
    summary: 'List events',
    description:
      'Returns events of one kind. The header `X-Next-Cursor` is the `cursor` of the next page. ' +
      'Each page costs the same.',
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
      after: cursorField(),
      order: Joi.string()
        .valid('asc', 'desc')
        .default('desc')
        .description('Ascending or descending order.'),
      sortBy: Joi.string().valid('timestamp').default('timestamp').description('Sort field.'),
    })
      .oxor('after', 'cursor')
      .messages({ 'object.oxor': 'after and cursor must not be given together' }),
    answers: { 200: Joi.array().items(schema) },
    async handle({ caller: { projectId }, query }) {
      const { limit, order, page } = query;
      const after = startOf(query);
      const [filter, span] = await Promise.all([
        resolveFilter(projectId, query, resolveRecords),
        resolveSpan(projectId, query),
      ]);
      const events = await eventsStore().list(
        { projectId, kind: kindNamed(query.event), span, filter },
        {
          limit: limit + 1,
          order,
          offset: after === undefined ? (page - 1) * limit : 0,
          after,
        },
      );
      const answer = ok(await toEvents(projectId, events.slice(0, limit)));
      if (events.length <= limit) return answer;
      const last = events[limit - 1]!;
      return {
        ...answer,
        next: [String(last.atMicros), last.id],
        headers: { 'X-Next-Cursor': writeCursor(last) },
      };
    },
  }),
];

/** Returns the event before the page. @throws Refusal `unprocessable_entity` */
function startOf({ cursor, after }: EventsQuery): Cursor | undefined {
  if (after !== undefined) return { atMicros: Number(after[0]), id: after[1]! };
  if (cursor === undefined) return undefined;
  const position = readCursor(cursor);
  if (position !== undefined) return position;
  throw new Refusal('unprocessable_entity', 'cursor must be an X-Next-Cursor of this list');
}

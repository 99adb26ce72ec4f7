import {
  filterConditions,
  resolveTarget,
  spanSchemas,
  type TargetQuery,
  targetSchemas,
} from '../analytics/filters.ts';
import { INTERVALS, resolveSpan, type SpanQuery } from '../analytics/interval.ts';
import { ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Joi } from '../infra/fields.ts';
import { linkQueries } from '../links/queries.ts';
import { openPassword } from '../records/record.ts';
import { listEvents, type Page } from './queries.ts';
import { clickRecord, toClick } from './record.ts';

interface EventsQuery extends TargetQuery, Omit<SpanQuery, 'interval'>, Page {
  event: 'clicks';
  sortBy: 'timestamp';
  interval?: Exclude<SpanQuery['interval'], '1h' | undefined>;
}

const MAX_LIMIT = 1_000;

export const eventRoutes: Route[] = [
  route<{ query: EventsQuery }>({
    method: 'get',
    path: '/events',
    summary: 'List events',
    tag: 'Events',
    scope: 'events.read',
    plan: 'business',
    query: Joi.object<EventsQuery>({
      event: Joi.string().valid('clicks').default('clicks'),
      interval: Joi.string()
        .valid(...INTERVALS.filter((name) => name !== '1h'))
        .description('Wins over start and end. Without any of them: 24h.'),
      ...targetSchemas,
      ...spanSchemas,
      page: Joi.number().integer().min(1).max(1_000_000).default(1),
      limit: Joi.number().integer().min(1).max(MAX_LIMIT).default(100),
      order: Joi.string().valid('asc', 'desc').default('desc'),
      sortBy: Joi.string().valid('timestamp').default('timestamp'),
    }),
    answers: { 200: Joi.array().items(clickRecord) },
    async handle({ caller: { projectId }, query }) {
      const filter = await resolveTarget(projectId, query);
      const span = await resolveSpan(projectId, query);
      const events = await listEvents(projectId, span, filterConditions(filter), query);
      const ids = new Set(events.flatMap(({ link_id: id }) => (id === null ? [] : [id])));
      const links = new Map(
        (await linkQueries.findAll(projectId, [...ids])).map((link) => [
          link.id,
          openPassword(link),
        ]),
      );
      return ok(events.map((event) => toClick(event, links.get(event.link_id ?? ''))));
    },
  }),
];

import type { Schema } from 'joi';
import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import { hasConditions } from './filters.ts';
import { EVENT_PARAMETERS, type EventParameter, kindsOf } from './kinds.ts';
import { type FilterQuery, filterSchemas, resolveFilter, spanSchemas } from './query/filters.ts';
import { totalsOfCounters } from './query/groups/count.ts';
import type { Group } from './query/groups/group.ts';
import { GROUPS, type GroupName } from './query/groups/index.ts';
import { resolveSpan } from './query/interval.ts';
import { leftOutSchema, readLeftOut } from './query/left-out.ts';
import type { EventRecords } from './records.ts';
import { INTERVALS, type SpanQuery } from './span.ts';

/** Value of `groupBy` that is answered from the counters stored with the records. */
const FROM_COUNTERS = 'all_unfiltered';
const COUNTED = new Set<GroupName>(['count', 'totals', 'analytics']);

interface AnalyticsQuery extends FilterQuery, Omit<SpanQuery, 'interval'> {
  event?: EventParameter;
  groupBy: GroupName;
  interval?: SpanQuery['interval'] | typeof FROM_COUNTERS;
}

/** Groups with a default event of their own, as the reference lists them. */
const defaultEvents = Object.entries<Group>(GROUPS)
  .flatMap(([name, { defaultEvent }]) =>
    defaultEvent === undefined ? [] : [`, for \`${name}\` ${defaultEvent}`],
  )
  .join('');

/** Schemas of the answers for the reference, each named after the first group that uses it. */
function namedAnswers(): Schema[] {
  const nameOf = new Map<Schema, string>();
  for (const [name, { answer }] of Object.entries(GROUPS)) {
    if (!nameOf.has(answer)) nameOf.set(answer, name);
  }
  return [...nameOf].map(([answer, name]) =>
    answer.meta({
      name: `analytics_${name}`.replaceAll(/(?:^|_)(\w)/g, (_, first: string) =>
        first.toUpperCase(),
      ),
    }),
  );
}

export const analyticsRoutes = ({ resolveRecords, readCounters, names }: EventRecords): Route[] => [
  route<{ query: AnalyticsQuery }>({
    method: 'get',
    path: '/analytics',
    isHeavy: true,
    operationId: 'retrieveAnalytics',
    summary: 'Retrieve analytics',
    description:
      'Counts events in a period. `groupBy` selects the dimension, which determines the format ' +
      'of the response.',
    tag: 'Analytics',
    scope: 'analytics.read',
    plan: 'pro',
    query: Joi.object<AnalyticsQuery>({
      event: Joi.string()
        .valid(...EVENT_PARAMETERS)
        .description(`Events to count. Default: clicks${defaultEvents}.`),
      groupBy: Joi.string()
        .valid(...Object.keys(GROUPS))
        .default('count')
        .description('Dimension to group by; determines the format of the response.'),
      interval: Joi.string()
        .valid(...INTERVALS, FROM_COUNTERS)
        .description('Period; takes precedence over `start` and `end`. Default without them: 24h.'),
      ...filterSchemas,
      ...spanSchemas,
    }),
    answers: {
      200: Joi.alternatives(...namedAnswers()).meta({ name: 'Analytics' }),
    },
    async handle({ caller: { projectId }, query: { interval, groupBy, event, ...query } }) {
      const filter = await resolveFilter(projectId, query, resolveRecords);
      if (interval === FROM_COUNTERS) {
        if (!COUNTED.has(groupBy) || hasConditions(filter)) {
          throw new Refusal(
            'unprocessable_entity',
            `interval ${FROM_COUNTERS} must be used with groupBy=count and no filters but those that select records`,
          );
        }
        return ok(totalsOfCounters(await readCounters(projectId, filter), filter.traffic));
      }
      const group: Group = GROUPS[groupBy];
      const events = kindsOf(event ?? group.defaultEvent ?? 'clicks');
      const { start, end, timezone } = query;
      const span = await resolveSpan(projectId, {
        timezone,
        interval,
        start,
        end,
      });
      return ok(await group.read({ projectId, span, filter, events }, names));
    },
  }),
  route<{ query: SpanQuery }>({
    method: 'get',
    path: '/analytics/left-out',
    operationId: 'retrieveLeftOut',
    summary: 'Retrieve requests that are not counted',
    description:
      'Counts the requests for links and QR codes that are not counted as visits, by program. ' +
      'They are counted by day in UTC: the response has all days that the period touches.',
    tag: 'Analytics',
    scope: 'analytics.read',
    plan: 'pro',
    extension: true,
    query: Joi.object<SpanQuery>({
      interval: Joi.string()
        .valid(...INTERVALS)
        .description('Period; takes precedence over `start` and `end`. Default without them: 24h.'),
      ...spanSchemas,
    }),
    answers: { 200: leftOutSchema },
    handle: async ({ caller: { projectId }, query }) =>
      ok(await readLeftOut(projectId, await resolveSpan(projectId, query))),
  }),
];

import type { Schema } from 'joi';
import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import { hasConditions } from './filters.ts';
import { resolveFilter, spanSchemas } from './query/filters.ts';
import { totalsOfCounters } from './query/groups/count.ts';
import { GROUPS, type GroupName } from './query/groups/index.ts';
import { resolveSpan } from './query/interval.ts';
import { leftOutSchema, readLeftOut } from './query/left-out.ts';
import {
  type QuestionQuery,
  questionSchemas,
  readGroup,
  resolveQuestion,
} from './query/question.ts';
import type { EventRecords } from './records.ts';
import type { SpanQuery } from './span.ts';

/** Value of `groupBy` that is answered from the counters stored with the records. */
const FROM_COUNTERS = 'all_unfiltered';
const COUNTED = new Set<GroupName>(['count', 'totals', 'analytics']);

interface AnalyticsQuery extends Omit<QuestionQuery, 'interval'> {
  groupBy: GroupName;
  interval?: SpanQuery['interval'] | typeof FROM_COUNTERS;
}

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

export const analyticsRoutes = (records: EventRecords): Route[] => [
  route<{ query: AnalyticsQuery }>({
    method: 'get',
    path: '/analytics',
    isHeavy: true,
    operationId: 'retrieveAnalytics',
    limits: 'records',
    summary: 'Retrieve analytics',
    description:
      'Counts events in a period. `groupBy` selects the dimension, which determines the format ' +
      'of the response.',
    tag: 'Analytics',
    scope: 'analytics.read',
    plan: 'pro',
    query: Joi.object<AnalyticsQuery>({
      ...questionSchemas,
      groupBy: Joi.string()
        .valid(...Object.keys(GROUPS))
        .default('count')
        .description('Dimension to group by; determines the format of the response.'),
      interval: questionSchemas.interval.valid(FROM_COUNTERS),
    }),
    answers: {
      200: Joi.alternatives(...namedAnswers()).meta({ name: 'Analytics' }),
    },
    async handle({ caller: { projectId }, query: { interval, groupBy, ...query } }) {
      if (interval !== FROM_COUNTERS) {
        const question = await resolveQuestion(projectId, { ...query, interval }, records);
        return ok(await readGroup(groupBy, question, records.names));
      }
      const { resolveRecords, readCounters } = records;
      const filter = await resolveFilter(projectId, query, resolveRecords);
      if (!COUNTED.has(groupBy) || hasConditions(filter)) {
        throw new Refusal(
          'unprocessable_entity',
          `interval ${FROM_COUNTERS} must be used with groupBy=count and no filters but those that select records`,
        );
      }
      return ok(totalsOfCounters(await readCounters(projectId, filter), filter.traffic));
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
      interval: questionSchemas.interval,
      ...spanSchemas,
    }),
    answers: { 200: leftOutSchema },
    handle: async ({ caller: { projectId }, query }) =>
      ok(await readLeftOut(projectId, await resolveSpan(projectId, query))),
  }),
];

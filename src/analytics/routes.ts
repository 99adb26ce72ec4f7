import { ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { Joi } from '../infra/fields.ts';
import { resolveTarget, spanSchemas, type TargetQuery, targetSchemas } from './filters.ts';
import { countersTotal } from './groups/count.ts';
import { GROUPS, type GroupName } from './groups/index.ts';
import { INTERVALS, resolveSpan, type SpanQuery } from './interval.ts';

/** Since ever, from the counters of the records rather than from events. */
const FROM_COUNTERS = 'all_unfiltered';

interface AnalyticsQuery extends TargetQuery, Omit<SpanQuery, 'interval'> {
  event: 'clicks';
  groupBy: GroupName;
  interval?: SpanQuery['interval'] | typeof FROM_COUNTERS;
}

const names = Object.keys(GROUPS) as GroupName[];

export const analyticsRoutes: Route[] = [
  route<{ query: AnalyticsQuery }>({
    method: 'get',
    path: '/analytics',
    summary: 'Count clicks, by time or by what is known of the visitors',
    tag: 'Analytics',
    scope: 'analytics.read',
    plan: 'pro',
    query: Joi.object<AnalyticsQuery>({
      event: Joi.string().valid('clicks').default('clicks'),
      groupBy: Joi.string()
        .valid(...names)
        .default('count'),
      interval: Joi.string()
        .valid(...INTERVALS, FROM_COUNTERS)
        .description('Wins over start and end. Without any of them: 24h.'),
      ...targetSchemas,
      ...spanSchemas,
    }),
    answers: {
      200: Joi.alternatives(...new Set(Object.values(GROUPS).map(({ answer }) => answer))),
    },
    async handle({ caller: { projectId }, query: { interval, groupBy, event: _, ...query } }) {
      const filter = await resolveTarget(projectId, query);
      if (interval === FROM_COUNTERS) {
        if (groupBy !== 'count') {
          throw new Refusal(
            'unprocessable_entity',
            `interval ${FROM_COUNTERS} can only be counted: groupBy must be count`,
          );
        }
        return ok(await countersTotal(projectId, filter));
      }
      const { start, end, timezone } = query;
      const span = await resolveSpan(projectId, {
        timezone,
        ...(interval === undefined ? {} : { interval }),
        ...(start === undefined ? {} : { start }),
        ...(end === undefined ? {} : { end }),
      });
      return ok(await GROUPS[groupBy].ask({ projectId, span, filter }));
    },
  }),
];

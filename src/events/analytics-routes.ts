import { ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { Joi } from '../infra/fields.ts';
import { EVENTS, type EventParameter } from './events.ts';
import { type FilterQuery, filterSchemas, resolveFilter, spanSchemas } from './filters.ts';
import { countersTotal } from './groups/count.ts';
import type { Group } from './groups/group.ts';
import { GROUPS, type GroupName } from './groups/index.ts';
import { INTERVALS, resolveSpan, type SpanQuery } from './interval.ts';

/** Answered from the counters that are kept on the records. */
const FROM_COUNTERS = 'all_unfiltered';
const COUNTED = new Set<GroupName>(['count', 'totals', 'analytics']);

interface AnalyticsQuery extends FilterQuery, Omit<SpanQuery, 'interval'> {
  event?: EventParameter;
  groupBy: GroupName;
  interval?: SpanQuery['interval'] | typeof FROM_COUNTERS;
}

const names = Object.keys(GROUPS) as GroupName[];

export const analyticsRoutes: Route[] = [
  route<{ query: AnalyticsQuery }>({
    method: 'get',
    path: '/analytics',
    summary: 'Count events, by time or by what is known of them',
    tag: 'Analytics',
    scope: 'analytics.read',
    plan: 'pro',
    query: Joi.object<AnalyticsQuery>({
      event: Joi.string()
        .valid(...Object.keys(EVENTS))
        .description('What is counted; clicks, or scans of top_qrcodes and views of top_pages.'),
      groupBy: Joi.string()
        .valid(...names)
        .default('count'),
      interval: Joi.string()
        .valid(...INTERVALS, FROM_COUNTERS)
        .description('Wins over start and end. Without any of them: 24h.'),
      ...filterSchemas,
      ...spanSchemas,
    }),
    answers: {
      200: Joi.alternatives(...new Set(Object.values(GROUPS).map(({ answer }) => answer))),
    },
    async handle({ caller: { projectId }, query: { interval, groupBy, event, ...query } }) {
      const filter = await resolveFilter(projectId, query);
      if (interval === FROM_COUNTERS) {
        if (!COUNTED.has(groupBy) || filter.conditions !== '') {
          throw new Refusal(
            'unprocessable_entity',
            `interval ${FROM_COUNTERS} can only be counted: groupBy must be count, and of filters it takes those that name records`,
          );
        }
        return ok(await countersTotal({ projectId, filter }));
      }
      const group: Group = GROUPS[groupBy];
      const events = EVENTS[event ?? group.defaultEvent ?? 'clicks'];
      const { start, end, timezone } = query;
      const span = await resolveSpan(projectId, {
        timezone,
        ...(interval === undefined ? {} : { interval }),
        ...(start === undefined ? {} : { start }),
        ...(end === undefined ? {} : { end }),
      });
      return ok(await group.ask({ projectId, span, filter, events }));
    },
  }),
];

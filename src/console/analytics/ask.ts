import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { browserTimezone } from './names.ts';
import {
  filtersOf,
  type Interval,
  type Kind,
  kindOf,
  type Metric,
  type Question,
  type UtmFilter,
} from './question.ts';
import { daySpans, spanBefore, spanOf, stepOf } from './timeline.ts';

/** The field of a row that holds a number; amounts are in US cents. */
export const measureOf = (metric: Metric = 'clicks'): Kind | 'saleAmount' =>
  metric === 'revenue' ? 'saleAmount' : metric;

/** A row of a group: texts that name the value, and its numbers. */
export type Row = Record<string, string | number | null>;

type Query = NonNullable<Parameters<Api['GET']>[1]>;

/** Shapes of answers by `groupBy`; all other groups answer rows. */
interface Answers {
  kpis: Schemas['AnalyticsKpis'];
  timeseries: Schemas['AnalyticsTimeseries'];
  trend_live: Schemas['AnalyticsTrendLive'];
}
type Answer<Group extends string> = Group extends keyof Answers ? Answers[Group] : Row[];

/** Names of the parameter `groupBy` that the console asks for. */
export type GroupName =
  | keyof Answers
  | 'continents'
  | 'countries'
  | 'region'
  | 'cities'
  | 'devices'
  | 'browsers'
  | 'os'
  | 'referers'
  | 'referer_urls'
  | 'top_links'
  | 'top_qrcodes'
  | 'top_urls'
  | 'top_pages'
  | 'top_events'
  | 'variants'
  | `${UtmFilter}s`;

/** The parameters of the API that a question means. */
export function parametersOf(question: Question): Record<string, string> {
  const { interval, start, end, timezone, event } = question;
  const span = start === undefined || end === undefined ? {} : { start, end };
  return {
    ...(interval === undefined && start !== undefined ? span : { interval: interval ?? '30d' }),
    timezone: timezone ?? browserTimezone(),
    event: kindOf(event),
    ...filtersOf({ ...question }),
  };
}

async function ask<Group extends GroupName>(
  api: Api,
  groupBy: Group,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer<Group>> {
  // The reference has lists for what the address holds joined by commas; the API reads both.
  const query = { ...parameters, groupBy } as Query;
  const body: unknown = await answer(api.GET('/analytics', { params: { query }, signal }));
  return body as Answer<Group>;
}

interface Options {
  /** Asks only when the answer is shown. */
  enabled?: boolean;
  /** Asks again after this time, in ms. */
  everyMs?: number;
}

/** One answer of `GET /analytics`. While another is loaded, the one before stays. */
export function useAnalytics<Group extends GroupName>(
  groupBy: Group,
  question: Question,
  { enabled = true, everyMs }: Options = {},
): UseQueryResult<Answer<Group>> {
  const { api } = useWorkspace();
  const parameters = parametersOf(question);
  return useQuery({
    queryKey: ['analytics', groupBy, parameters],
    queryFn: ({ signal }) => ask(api, groupBy, parameters, signal),
    placeholderData: (before) => before,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** The step of a time series, with the one that it is compared with. */
export interface Timeline {
  rows: Schemas['AnalyticsTimeseries'];
  /** Step by step before; missing where the span has no beginning. */
  before: Schemas['AnalyticsTimeseries'] | undefined;
}

/** The time series of a question, and that of the span before. */
export function useTimeline(question: Question): UseQueryResult<Timeline> {
  const { api } = useWorkspace();
  const parameters = parametersOf(question);
  return useQuery({
    queryKey: ['analytics', 'timeline', parameters],
    queryFn: async ({ signal }): Promise<Timeline> => {
      const { interval, timezone, start, end, ...others } = parameters;
      const span = start !== undefined && end !== undefined ? { start, end } : undefined;
      const shown = span ?? spanOf(interval as Interval, timezone!, Date.now());
      const rows = await ask(api, 'timeseries', parameters, signal);
      if (shown === undefined) return { rows, before: undefined };
      const isByDay = stepOf(rows.map((row) => row.start)) === 'day';
      const previous = spanBefore(shown);
      const parts = isByDay ? daySpans(previous, timezone!) : [previous];
      const before = await Promise.all(
        parts.map((part) =>
          ask(api, 'timeseries', { ...others, timezone: timezone!, ...part }, signal),
        ),
      );
      // Where clocks changed in between, the span before begins in the middle of a day, which is one too many.
      return { rows, before: before.flat().slice(-rows.length) };
    },
    placeholderData: (before) => before,
  });
}

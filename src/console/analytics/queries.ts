import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Api, answer, type operations, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { browserTimezone } from './names.ts';
import { comparedSpans, type Span, spanOf } from './periods.ts';
import { filtersOf, INTERVALS, type Kind, kindOf, type Metric, type Question } from './question.ts';
import { daySpans, rowsBySteps, type Step, stepOf } from './timeline.ts';

/** The field of a row that holds a number; amounts are in US cents. */
export const measureOf = (metric: Metric = 'clicks'): Kind | 'saleAmount' =>
  metric === 'revenue' ? 'saleAmount' : metric;

/** A row of a group: texts that name the value, and its numbers. */
export type Row = Record<string, string | number | null>;

type Query = NonNullable<Parameters<Api['GET']>[1]>;

/** Shapes of answers by `groupBy`; all other groups answer rows. */
interface Answers {
  count: Schemas['AnalyticsCount'];
  timeseries: Schemas['AnalyticsTimeseries'];
  trend_live: Schemas['AnalyticsTrendLive'];
}
type Answer<Group extends string> = Group extends keyof Answers ? Answers[Group] : Row[];

type ApiGroup = NonNullable<
  NonNullable<operations['retrieveAnalytics']['parameters']['query']>['groupBy']
>;
/** A value of the parameter `groupBy`, but for those that answer as another one does, or numbers of one kind alone. */
export type GroupName = Exclude<
  ApiGroup,
  'totals' | 'analytics' | 'kpis' | 'composite' | 'country' | 'city' | Kind
>;

/** The parameters of the API that a question means. */
export function parametersOf(question: Question): Record<string, string> {
  const { interval = '30d', start, end, event } = question;
  const timezone = question.timezone ?? browserTimezone();
  const chosen = start === undefined || end === undefined ? undefined : { start, end };
  const period = INTERVALS.some((one) => one === interval)
    ? { interval }
    : spanOf(interval, timezone, Date.now());
  return {
    ...(question.interval === undefined ? (chosen ?? period) : period),
    timezone,
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
    queryKey: keys.analytics.list(groupBy, parameters),
    queryFn: ({ signal }) => ask(api, groupBy, parameters, signal),
    placeholderData: (before) => before,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Requests `GET /analytics` for a span instead of the period of the parameters. */
const askSpan = <Group extends GroupName>(
  api: Api,
  group: Group,
  { interval: _, ...parameters }: Record<string, string>,
  span: Span,
  signal: AbortSignal,
) => ask(api, group, { ...parameters, ...span }, signal);

/** The totals of a question, and those of the period that it is compared with. */
interface TotalsCompared {
  now: Totals;
  /** Missing where the period has no beginning. */
  before: Totals | undefined;
}
type Totals = Record<Kind | 'saleAmount', number>;

/** The totals of all kinds of events in the period of a question, and in the one that it is compared with. */
export function useTotals(question: Question): UseQueryResult<TotalsCompared> {
  const { api } = useWorkspace();
  // The answer has all kinds of events.
  const { event: _, ...parameters } = parametersOf(question);
  const { compare } = question;
  return useQuery({
    queryKey: keys.analytics.list('totals', parameters, compare),
    queryFn: async ({ signal }): Promise<TotalsCompared> => {
      const spans = comparedSpans(question, parameters['timezone']!, Date.now());
      const [now, before] = await Promise.all([
        ask(api, 'count', parameters, signal),
        spans.before && askSpan(api, 'count', parameters, spans.before, signal),
      ]);
      return { now: totalsOf(now), before: before && totalsOf(before) };
    },
    placeholderData: (before) => before,
  });
}

/** The contract spells views `viwes`. */
const totalsOf = ({ viwes, ...others }: Schemas['AnalyticsCount']): Totals => ({
  ...others,
  views: viwes,
});

/** A time series with the one that it is compared with. */
export interface Timeline {
  rows: Schemas['AnalyticsTimeseries'];
  /** Step by step before; missing where the period has no beginning. */
  before: Schemas['AnalyticsTimeseries'] | undefined;
  step: Step;
  /** The last step isn't over. */
  isRunning: boolean;
}

/** The time series of a question, and that of the period it is compared with. */
export function useTimeline(question: Question): UseQueryResult<Timeline> {
  const { api } = useWorkspace();
  const parameters = parametersOf(question);
  const { compare } = question;
  return useQuery({
    queryKey: keys.analytics.list('timeline', parameters, compare),
    queryFn: async ({ signal }): Promise<Timeline> => {
      const timezone = parameters['timezone']!;
      const now = Date.now();
      const { before, isRunning } = comparedSpans(question, timezone, now);
      const all = await ask(api, 'timeseries', parameters, signal);
      // Today has hours, and a chosen period days, that have not come yet.
      const rows = all.filter(({ start }, index) => index === 0 || Date.parse(start) <= now);
      const step = stepOf(all.map((row) => row.start));
      const timeline = { rows, before: undefined, step, isRunning };
      if (before === undefined) return timeline;
      const parts = step === 'day' ? daySpans(before, timezone) : [before];
      const series = await Promise.all(
        parts.map((part) => askSpan(api, 'timeseries', parameters, part, signal)),
      );
      // A span that is cut to the same hour may be short enough for smaller steps.
      const steps = rowsBySteps(series.flat(), step, timezone);
      return { ...timeline, before: steps.slice(0, rows.length) };
    },
    placeholderData: (before) => before,
  });
}

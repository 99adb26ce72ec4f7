import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Api, answer, type operations, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { browserTimezone } from './days.ts';
import {
  type EventQuery,
  FILTERS,
  type Filter,
  type Filters,
  filtersOf,
  isCalendarPeriod,
  type Kind,
  kindOf,
  type Metric,
  valuesOf,
} from './event-query.ts';
import { comparedSpans, type Span, spanOf } from './periods.ts';
import { alignedTo, daySpans, rowsBySteps, type Step, stepOf } from './timeline.ts';
import { useEventQuery } from './use-event-query.ts';

/** Returns the field of a row that holds a metric; amounts are in US cents. */
export const measureOf = (metric: Metric = 'clicks'): Kind | 'saleAmount' =>
  metric === 'revenue' ? 'saleAmount' : metric;

/** A row of a grouped answer: texts that identify a value (a country, a link), and its counts. */
export type Row = Record<string, string | number | null>;

type Query = NonNullable<Parameters<Api['GET']>[1]>;

/** Response types by `groupBy`; all other groups return rows. */
interface Answers {
  count: Schemas['AnalyticsCount'];
  timeseries: Schemas['AnalyticsTimeseries'];
  trend_live: Schemas['AnalyticsTrendLive'];
}
type Answer<Group extends string> = Group extends keyof Answers ? Answers[Group] : Row[];

type AnalyticsQuery = NonNullable<operations['retrieveAnalytics']['parameters']['query']>;
type ApiGroup = NonNullable<AnalyticsQuery['groupBy']>;
/** Values of `groupBy`, without aliases and without groups that cover a single kind of event. */
export type GroupName = Exclude<
  ApiGroup,
  'totals' | 'analytics' | 'kpis' | 'composite' | 'country' | 'city' | Kind
>;

/** Query parameters of the API; lists are sent by repeating the parameter. */
type ApiQuery = Record<string, string | string[]> & { timezone: string };

/** Converts a query of the console to query parameters of the API. */
export function parametersOf(query: EventQuery): ApiQuery {
  const { interval = '30d', start, end, event } = query;
  const timezone = query.timezone ?? browserTimezone();
  const chosen = start === undefined || end === undefined ? undefined : { start, end };
  const period = isCalendarPeriod(interval) ? spanOf(interval, timezone, Date.now()) : { interval };
  return {
    ...(query.interval === undefined ? (chosen ?? period) : period),
    timezone,
    event: kindOf(event),
    ...apiFilters(query),
  };
}

/** Parameters of the API that are not filters of the console. */
type OtherParameter =
  | 'event'
  | 'groupBy'
  | 'interval'
  | 'start'
  | 'end'
  | 'timezone'
  | 'key'
  | 'externalId'
  | 'type'
  | 'types'
  | 'root'
  | 'excludeRoot'
  | 'exclude';

/** All filters of the API, with the number of values that they take there. */
const API_FILTERS: {
  [Name in Exclude<keyof AnalyticsQuery, OtherParameter>]-?: {
    takes: NonNullable<AnalyticsQuery[Name]> extends readonly unknown[] ? 'many' | 'part' : 'one';
  };
} = FILTERS;

/** Converts filters of the console to query parameters of the API. */
export function apiFilters(query: Filters): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(filtersOf({ ...query })).map(([name, text]) => [
      name,
      API_FILTERS[name as Filter]?.takes === 'one' ? text : valuesOf(text),
    ]),
  );
}

/** Writes parameters as a query string. */
export const searchOf = (parameters: Record<string, string | string[]>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    ),
  ).toString();

async function fetchGroup<Group extends GroupName>(
  api: Api,
  groupBy: Group,
  parameters: Record<string, string | string[]>,
  signal: AbortSignal,
): Promise<Answer<Group>> {
  const query = { ...parameters, groupBy } as Query;
  const body: unknown = await answer(api.GET('/analytics', { params: { query }, signal }));
  return body as Answer<Group>;
}

interface Options {
  /** False to skip the request while the result is not displayed. */
  enabled?: boolean;
  /** Refetch interval in ms. */
  everyMs?: number;
}

/**
 * Loads one response of `GET /analytics`; the previous one stays visible while the next one loads.
 */
export function useAnalytics<Group extends GroupName>(
  groupBy: Group,
  query: EventQuery,
  { enabled = true, everyMs }: Options = {},
): UseQueryResult<Answer<Group>> {
  const { api } = useWorkspace();
  const parameters = parametersOf(query);
  return useQuery({
    queryKey: keys.analytics.list(groupBy, parameters),
    queryFn: ({ signal }) => fetchGroup(api, groupBy, parameters, signal),
    placeholderData: (before) => before,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Replaces the period of parameters by a span. */
const inSpan = ({ interval: _, ...parameters }: Record<string, string | string[]>, span: Span) => ({
  ...parameters,
  ...span,
});

/** Replaces the values of a filter by those of the comparison. */
const withValue = (
  { exclude, ...parameters }: Record<string, string | string[]>,
  { compare, against }: EventQuery,
) => {
  const excluded = [exclude ?? []].flat().filter((name) => name !== compare);
  return {
    ...parameters,
    ...(excluded.length > 0 && { exclude: excluded }),
    [compare!]: compare === 'traffic' ? against! : valuesOf(against),
  };
};

/** Totals of a period and of its comparison period. */
interface TotalsCompared {
  now: Totals;
  /** Absent if the period has no start. */
  before: Totals | undefined;
}
type Totals = Record<Kind | 'saleAmount' | 'refundAmount' | 'visitors', number>;

/** Loads the totals of all kinds of events for the period in the URL and its comparison period. */
export function useTotals(): UseQueryResult<TotalsCompared> {
  const { api } = useWorkspace();
  const { query } = useEventQuery();
  // The response contains all kinds of events.
  const { event: _, ...parameters } = parametersOf(query);
  const { compare, against } = query;
  return useQuery({
    queryKey: keys.analytics.list('totals', parameters, compare, against),
    queryFn: async ({ signal }): Promise<TotalsCompared> => {
      const { before: span } = comparedSpans(query, parameters.timezone, Date.now());
      const compared =
        against === undefined ? span && inSpan(parameters, span) : withValue(parameters, query);
      const [now, before] = await Promise.all([
        fetchGroup(api, 'count', parameters, signal),
        compared && fetchGroup(api, 'count', compared, signal),
      ]);
      return { now: totalsOf(now), before: before && totalsOf(before) };
    },
    placeholderData: (before) => before,
  });
}

/** Renames `viwes`, as the contract misspells views. */
const totalsOf = ({ viwes, visitors = 0, ...others }: Schemas['AnalyticsCount']): Totals => ({
  ...others,
  visitors,
  views: viwes,
});

/** A time series and its comparison series. */
export interface Timeline {
  rows: Schemas['AnalyticsTimeseries'];
  /**
   * The compared row of each row, which a shorter month or a skipped hour lacks; absent if there is
   * nothing to compare with.
   */
  before: readonly (Schemas['AnalyticsTimeseries'][number] | undefined)[] | undefined;
  step: Step;
  /** True when the last step is not over. */
  isRunning: boolean;
}

/** Loads the time series of the query in the URL and of its comparison period. */
export function useTimeline(): UseQueryResult<Timeline> {
  const { api } = useWorkspace();
  const { query } = useEventQuery();
  const parameters = parametersOf(query);
  const { compare, against } = query;
  return useQuery({
    queryKey: keys.analytics.list('timeline', parameters, compare, against),
    queryFn: async ({ signal }): Promise<Timeline> => {
      const { timezone } = parameters;
      const now = Date.now();
      const { before, isRunning } = comparedSpans(query, timezone, now);
      const [all, other] = await Promise.all([
        fetchGroup(api, 'timeseries', parameters, signal),
        against === undefined
          ? undefined
          : fetchGroup(api, 'timeseries', withValue(parameters, query), signal),
      ]);
      // A series of today or of a chosen period can contain future steps.
      const rows = all.filter(({ start }, index) => index === 0 || Date.parse(start) <= now);
      const step = stepOf(all.map((row) => row.start));
      const timeline = { rows, before: undefined, step, isRunning };
      if (other) return { ...timeline, before: other.slice(0, rows.length) };
      if (before === undefined) return timeline;
      const parts = step === 'day' ? daySpans(before, timezone) : [before];
      const series = await Promise.all(
        parts.map((part) => fetchGroup(api, 'timeseries', inSpan(parameters, part), signal)),
      );
      // The shortened comparison span may be short enough for the API to answer in smaller steps.
      const steps = rowsBySteps(series.flat(), step, timezone);
      return { ...timeline, before: alignedTo(rows, steps, step, timezone) };
    },
    placeholderData: (before) => before,
  });
}

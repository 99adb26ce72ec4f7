import { Refusal } from '../../errors.ts';
import { db, rows } from '../../infra/db.ts';
import type { Granularity, Interval, Span, SpanQuery } from '../span.ts';
import { eventsStore } from '../store/index.ts';

const DAY_MS = 86_400_000;
/** Maximum span of a request, in years. Its months are still few enough to list. */
const MAX_YEARS = 400;

/** SQL of each interval's start in local time; `local` is the current time in the zone. */
const STARTS: Record<Exclude<Interval, '1h' | '24h' | 'all'>, string> = {
  '7d': "date_trunc('day', local) - interval '6 days'",
  '30d': "date_trunc('day', local) - interval '29 days'",
  '90d': "date_trunc('day', local) - interval '89 days'",
  ytd: "date_trunc('year', local)",
  '1y': "date_trunc('day', local) - interval '1 year' + interval '1 day'",
};

const GRANULARITY: Record<Interval, Granularity> = {
  '1h': 'minute',
  '24h': 'hour',
  '7d': 'day',
  '30d': 'day',
  '90d': 'day',
  ytd: 'day',
  '1y': 'month',
  all: 'month',
};

/**
 * Resolves the time span of a request.
 *
 * @throws Refusal `unprocessable_entity` when the span starts after it ends, or is longer than 400
 * years
 */
export async function resolveSpan(
  projectId: string,
  query: SpanQuery,
  now = new Date(),
): Promise<Span> {
  const { timezone, interval } = query;
  if (interval === undefined && (query.start !== undefined || query.end !== undefined)) {
    const end = query.end === undefined ? now : new Date(query.end);
    const start = new Date(query.start ?? end.getTime() - DAY_MS);
    if (start > end) throw new Refusal('unprocessable_entity', 'start must not be after end');
    if (end.getTime() - start.getTime() > MAX_YEARS * 366 * DAY_MS) {
      throw new Refusal(
        'unprocessable_entity',
        `start must not be more than ${MAX_YEARS} years before end`,
      );
    }
    return { start, end, granularity: granularityOf(start, end), timezone };
  }
  const name = interval ?? '24h';
  const granularity = GRANULARITY[name];
  if (name === '1h' || name === '24h') {
    const end = new Date(now.getTime() + 1);
    return {
      start: new Date(now.getTime() - (name === '1h' ? DAY_MS / 24 : DAY_MS)),
      end,
      granularity,
      timezone,
    };
  }
  // `all` begins with the first event, which a separate query finds.
  const begin = name === 'all' ? ':now::timestamptz' : `(${STARTS[name]}) AT TIME ZONE :timezone`;
  const [span] = await rows<{ start: Date; end: Date }>(
    db(),
    `SELECT ${begin} AS start, (date_trunc('day', local) + interval '1 day') AT TIME ZONE :timezone AS end
       FROM (SELECT :now::timestamptz AT TIME ZONE :timezone AS local) AS clock`,
    { now, timezone },
  );
  const { start, end } = span!;
  if (name !== 'all') return { start, end, granularity, timezone, isFromFirst: false };
  const first = await eventsStore().findFirstTime(projectId);
  return { start: first ?? start, end, granularity, timezone, isFromFirst: true };
}

function granularityOf(start: Date, end: Date): Granularity {
  const length = end.getTime() - start.getTime();
  if (length <= 2 * 3_600_000) return 'minute';
  if (length <= 2 * DAY_MS) return 'hour';
  return length <= 100 * DAY_MS ? 'day' : 'month';
}

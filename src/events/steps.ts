import { dayOf, firstOfMonth, localTime, startOfDay } from '../infra/time-zones.ts';
import type { Span } from './span.ts';

const DAY_MS = 86_400_000;
const LENGTH_MS = { minute: 60_000, hour: 3_600_000 };

/**
 * Returns the starts of the steps of a span, without gaps; the first is at or before the start of
 * the span. A span without length has one step.
 *
 * Minutes and hours are of real time, from a full one of the time zone. Days and months begin at
 * the first instant of a local day. A day that the zone left out has the same first instant as the
 * next day, so it is no step of its own.
 */
export function stepsOf({ granularity, timezone, start, end }: Span): Date[] {
  const [from, to] = [start.getTime(), end.getTime()];
  const local = localTime(from, timezone);
  if (granularity === 'minute' || granularity === 'hour') {
    const length = LENGTH_MS[granularity];
    const first = from - (local - Math.floor(local / length) * length);
    const count = Math.max(1, Math.ceil((to - first) / length));
    return Array.from({ length: count }, (_, at) => new Date(first + at * length));
  }
  const today = dayOf(local);
  const starts: number[] = [];
  for (let day = granularity === 'day' ? today : firstOfMonth(today); ; ) {
    const at = startOfDay(day, timezone);
    if (at >= to && starts.length > 0) return starts.map((time) => new Date(time));
    // A step must end after it begins, and after the span begins.
    if (at <= Math.max(from, starts.at(-1) ?? at)) starts.pop();
    starts.push(at);
    day = granularity === 'day' ? day + DAY_MS : firstOfMonth(day, -1);
  }
}

import { type EventQuery, isCalendarPeriod } from './event-query.ts';
import { parametersOf, searchOf } from './queries.ts';

/** Calendar periods of the console that the API has as intervals, which move with the time. */
const INTERVALS = { month: 'mtd', quarter: 'qtd' } as const;

/**
 * Writes a query of the console as the query of a report. Periods that the API has no interval for
 * are dates, which do not move.
 */
export function reportQueryOf(query: EventQuery): string {
  const { interval } = query;
  const parameters = parametersOf(query);
  if (interval !== 'month' && interval !== 'quarter') return searchOf(parameters);
  const { start: _, end: __, ...others } = parameters;
  return searchOf({ ...others, interval: INTERVALS[interval] });
}

/** Returns true for a period that stays the same while time passes. */
export const isFixed = ({ interval, start }: EventQuery): boolean =>
  interval === undefined
    ? start !== undefined
    : isCalendarPeriod(interval) && !(interval in INTERVALS);

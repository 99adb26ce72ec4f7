import { browserTimezone, dayOf } from './days.ts';
import type { EventQuery } from './event-query.ts';
import { comparedSpans } from './periods.ts';

/**
 * Names a file with numbers of a period, without an extension, so that files of several periods
 * can be told apart: "acme clicks 2026-11-01 to 2026-11-30". It is the same in all languages.
 *
 * @param workspace slug of the workspace
 * @param now time of the download, in ms since 1970
 */
export function fileNameOf(
  workspace: string,
  what: string,
  query: EventQuery,
  now: number,
): string {
  const { timezone = browserTimezone() } = query;
  const { shown } = comparedSpans(query, timezone, now);
  if (shown === undefined) return /* value */ `${workspace} ${what} all time`;
  const first = dayOf(shown.start, timezone);
  // The end is exclusive, so one millisecond less gives the last day.
  const last = dayOf(new Date(Date.parse(shown.end) - 1).toISOString(), timezone);
  const days = first === last ? first : /* value */ `${first} to ${last}`;
  return `${workspace} ${what} ${days}`;
}

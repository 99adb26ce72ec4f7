import { BOM, csvLines } from '../infra/csv.ts';
import type { Statistics } from './queries.ts';

/** Formats the numbers of a statistics page as CSV, with a row for each value of each group. */
export function toCsv({ times, countries, devices, browsers, referrers }: Statistics): string {
  const groups = { country: countries, device: devices, browser: browsers, referrer: referrers };
  const rows = [
    ...times.map(({ start, count }) => ['time', start.toISOString(), count]),
    ...Object.entries(groups).flatMap(([group, shares]) =>
      shares.map(({ value, count }) => [group, value, count]),
    ),
  ];
  return BOM + csvLines([['group', 'value', 'visits'], ...rows]);
}

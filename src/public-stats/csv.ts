import { stringify } from 'csv-stringify/sync';
import type { Statistics } from './queries.ts';

/**
 * The numbers of a statistics page as CSV (RFC 4180): one row for each value of each group. Texts that a spreadsheet
 * would take for a formula get an apostrophe before them.
 */
export function toCsv({ times, countries, devices, browsers, referrers }: Statistics): string {
  const groups = { country: countries, device: devices, browser: browsers, referrer: referrers };
  const rows = [
    ...times.map(({ start, count }) => ['time', start.toISOString(), count]),
    ...Object.entries(groups).flatMap(([group, shares]) =>
      shares.map(({ value, count }) => [group, value, count]),
    ),
  ];
  return stringify([['group', 'value', 'visits'], ...rows], {
    bom: true,
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}

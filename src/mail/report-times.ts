import { type Db, rows } from '../infra/db.ts';

/** Intervals of reports. */
export const REPORT_INTERVALS = ['weekly', 'monthly'] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** Calendar unit that a report covers. */
export const UNIT_OF: Readonly<Record<ReportInterval, 'week' | 'month'>> = {
  weekly: 'week',
  monthly: 'month',
};

/** Hour of the day at which reports are sent, in the reader's time zone. */
export const REPORT_HOUR = 8;

/** The next time of a report after `after`: on Monday, or on the first of a month. */
export async function nextReportAt(
  connection: Db,
  interval: ReportInterval,
  timezone: string,
  after: Date,
): Promise<Date> {
  const [next] = await rows<{ at: Date }>(
    connection,
    `SELECT min(at) AS at FROM (
       SELECT (date_trunc(:unit, :after::timestamptz AT TIME ZONE :timezone) + step * ('1 ' || :unit)::interval
               + make_interval(hours => :hour)) AT TIME ZONE :timezone AS at
         FROM generate_series(0, 1) AS step) AS times
      WHERE at > :after::timestamptz`,
    { unit: UNIT_OF[interval], timezone, after, hour: REPORT_HOUR },
  );
  return next!.at;
}

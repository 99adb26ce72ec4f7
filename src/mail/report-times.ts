import type { MailSchedule } from './sending-times.ts';

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

/** Returns the schedule of a report: on Monday, or on the first of a month. */
export const scheduleOf = (interval: ReportInterval, timezone: string): MailSchedule => ({
  every: UNIT_OF[interval],
  day: 1,
  hour: REPORT_HOUR,
  timezone,
});

import {
  dayOf,
  firstOfMonth,
  instantOf,
  localTime,
  mondayOf,
  startOfDay,
} from '../infra/time-zones.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Frequencies of reports by email. */
export const MAIL_FREQUENCIES = ['day', 'week', 'month'] as const;

/** Times at which a report is sent by email. */
export interface MailSchedule {
  every: (typeof MAIL_FREQUENCIES)[number];
  /** Day of the week, from 1 for Monday, or of the month; `null` for every day. */
  day: number | null;
  hour: number;
  /** IANA time zone of day and hour. */
  timezone: string;
}

/**
 * Returns the day of a sending: the one of the day, week or month of `today`, or a number of these
 * later. In a month without the scheduled day it is the last one.
 *
 * @param today a day as a local time (`dayOf`)
 */
function sendingDay({ every, day }: MailSchedule, today: number, later: number): number {
  if (every === 'day') return today + later * DAY_MS;
  if (every === 'week') return mondayOf(today) + (day! - 1 + 7 * later) * DAY_MS;
  const first = firstOfMonth(today, -later);
  return Math.min(first + (day! - 1) * DAY_MS, firstOfMonth(first, -1) - DAY_MS);
}

/**
 * Returns the sendings around a time, in order. An hour that clocks skip is sent later by as much as
 * they skip, and one that they show twice the first time.
 */
function sendingsAround(schedule: MailSchedule, at: Date): { day: number; at: number }[] {
  const { hour, timezone } = schedule;
  const today = dayOf(localTime(at.getTime(), timezone));
  return [-2, -1, 0, 1, 2].map((later) => {
    const day = sendingDay(schedule, today, later);
    return { day, at: instantOf(day + hour * HOUR_MS, timezone) };
  });
}

/** Returns the time of the first sending after a time. */
export function nextSending(schedule: MailSchedule, after: Date): Date {
  const next = sendingsAround(schedule, after).find(({ at }) => at > after.getTime());
  return new Date(next!.at);
}

/** A period without its end, and the start of the one before it. */
export interface MailPeriod {
  before: Date;
  start: Date;
  end: Date;
}

/**
 * Returns the period that ends with the day of a sending.
 *
 * @param today a day as a local time (`dayOf`) for which {@link sendingDay} finds that day
 */
export function periodUntil(schedule: MailSchedule, today: number): MailPeriod {
  const [end, start, before] = [0, -1, -2].map(
    (later) => new Date(startOfDay(sendingDay(schedule, today, later), schedule.timezone)),
  ) as [Date, Date, Date];
  return { before, start, end };
}

/**
 * Returns the period that the latest sending until `now` reports: the whole days since the sending
 * before it.
 */
export function periodOf(schedule: MailSchedule, now: Date): MailPeriod {
  const { day } = sendingsAround(schedule, now).findLast(({ at }) => at <= now.getTime())!;
  return periodUntil(schedule, day);
}

import { COSTS } from './costs.ts';

/*
 * Simulates queues second by second: visits arrive by the hour of the day, with a burst, and wait
 * during an outage.
 */

const DAY_SECONDS = 86_400;
/**
 * The busiest hour of the day, and the relative difference of its rate and the quietest to the
 * average.
 */
const BUSIEST_HOUR = 20;
const SWING = 0.6;
const BURST_SECONDS = 600;

/**
 * Visits that one worker_clicks stores a second while many wait; measured by `npm run bench --
 * visits`.
 */
const STORED_PER_SECOND = 15_700;

/** Visits stored a second while many wait, limited by the workers or by the cores of Postgres. */
export function storingRate(workers: number, postgresCores: number): number {
  const byPostgres = (postgresCores * 1e6) / COSTS.postgres.visit!.at(-1)!;
  return Math.min(workers * STORED_PER_SECOND, byPostgres);
}

/**
 * Returns rates by seconds since midnight: a wave over the day, and a burst of ten minutes in the
 * busiest hour that reaches the peak.
 *
 * @param average visits a second over the day, without the burst
 * @param peak the highest rate, as a multiple of the average
 */
export const dayOf =
  (average: number, peak: number) =>
  (second: number): number => {
    const hour = (second % DAY_SECONDS) / 3_600;
    const sinceBusiest = (hour - BUSIEST_HOUR) * 3_600;
    if (sinceBusiest >= 0 && sinceBusiest < BURST_SECONDS) return average * peak;
    return average * (1 + SWING * Math.cos(((hour - BUSIEST_HOUR) / 24) * 2 * Math.PI));
  };

/** Second at which the burst begins, which is the worst one for an outage. */
export const BURST_AT = BUSIEST_HOUR * 3_600;

/** An outage, and the rate at which waiting visits are stored afterwards. */
export interface Outage {
  seconds: number;
  storedPerSecond: number;
  /** Second of the day at which it begins. */
  from?: number;
}

/** The queue during and after an outage. */
export interface Queue {
  /** Maximum number of waiting visits. */
  most: number;
  /**
   * Time from the end of the outage until nothing waits, in seconds; infinite if that never
   * happens.
   */
  caughtUp: number;
}

/** Simulated time at most, in seconds. */
const MAX_SECONDS = 7 * DAY_SECONDS;

/** Simulates the queue of an outage, with further arrivals. */
export function queueOf(rateAt: (second: number) => number, outage: Outage): Queue {
  const { seconds, storedPerSecond, from = 0 } = outage;
  let [waiting, most] = [0, 0];
  for (let second = 0; second < MAX_SECONDS; second += 1) {
    waiting += rateAt(from + second);
    if (second >= seconds) waiting -= storedPerSecond;
    most = Math.max(most, waiting);
    if (waiting <= 0) {
      const unused = -waiting / storedPerSecond;
      return { most, caughtUp: second + 1 - unused - seconds };
    }
  }
  return { most, caughtUp: Infinity };
}

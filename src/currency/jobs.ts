import { currency } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { UsCents } from './convert.ts';

export const currencyJobs = jobsOf(currency, {
  /** Converts minor units of a currency (upper-case ISO 4217 code) to US cents. */
  'amount.convert': job<{ amount: number; currency: string }, UsCents>(),
  /** The attempts take four hours; the next fetch follows soon after. */
  'rates.refresh': scheduled({ everyMs: 6 * HOUR_MS, attempts: 18, isRunAtStart: true }),
});

import { currency } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { UsCents } from './convert.ts';

/** An amount in minor units of a currency, as a payment processor writes them. */
export interface AmountToConvert {
  amount: number;
  /** Upper-case ISO 4217 code. */
  currency: string;
  paymentProcessor?: string | undefined;
}

export const currencyJobs = jobsOf(currency, {
  /** Converts an amount to US cents. */
  'amount.convert': job<AmountToConvert, UsCents>(),
  /** The attempts take four hours; the next fetch follows soon after. */
  'rates.refresh': scheduled({ everyMs: 6 * HOUR_MS, attempts: 18, isRunAtStart: true }),
});

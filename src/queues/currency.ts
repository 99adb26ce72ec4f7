import type { UsCents } from '../currency/convert.ts';
import { defineQueue, type Job } from './definition.ts';

/** Exchange rates, and amounts that are converted by them. */
export const currency = defineQueue<{
  /** Minor units of a currency (upper-case ISO 4217 code) to US cents. */
  'amount.convert': Job<{ amount: number; currency: string }, UsCents>;
  'rates.refresh': Job<object, undefined>;
}>('currency', {
  attempts: 4,
  // For four hours: then the next fetch comes soon.
  attemptsOf: { 'rates.refresh': 18 },
  longestPauseMs: 3_600_000,
});

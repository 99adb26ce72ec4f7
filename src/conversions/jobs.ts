import type { UsCents } from '../currency/convert.ts';
import { writes } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';
import type { LeadResult, SaleResult } from './record.ts';
import type { LeadBody, SaleBody } from './schema.ts';

/** Input of the job of a sale. */
export interface NewSale {
  eventId: string;
  /** Id of the lead that is recorded with a direct sale. */
  leadEventId: string;
  at: string;
  sale: SaleBody;
  converted: UsCents;
}

/** Answer to a lead or sale, and whether it had been recorded before. */
export interface Tracked<Answer> {
  answer: Answer;
  isReplayed: boolean;
}

export const conversionJobs = jobsOf(writes, {
  'lead.track': job<{ eventId: string; at: string; lead: LeadBody }, Tracked<LeadResult>>(),
  'sale.track': job<NewSale, Tracked<SaleResult>>(),
});

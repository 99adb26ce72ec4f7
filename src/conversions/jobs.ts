import type { UsCents } from '../currency/convert.ts';
import { maintenance, writes } from '../queues/index.ts';
import { job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { LeadResult, RefundResult, SaleResult } from './record.ts';
import type { LeadBody, RefundBody, SaleBody } from './schema.ts';

/** Input of the job of a lead. */
export interface NewLead {
  /** Id of the first lead. */
  eventId: string;
  at: string;
  lead: LeadBody;
  /** True for a lead that a visitor's page sent with a publishable key. */
  isFromPage?: boolean | undefined;
}

/** Input of the job of a sale. */
export interface NewSale {
  eventId: string;
  /** Id of the lead that is recorded with a direct sale. */
  leadEventId: string;
  at: string;
  sale: SaleBody;
  /** True for a sale that a visitor's page sent with a publishable key. */
  isFromPage?: boolean | undefined;
  /** True: a sale to an unknown customer is refused. */
  knownCustomer?: boolean | undefined;
  converted: UsCents;
}

/** Input of the job of a refund. */
export interface NewRefund {
  eventId: string;
  at: string;
  refund: RefundBody;
  /** Upper-case ISO 4217 code; with it, a refund of a sale in another currency is refused. */
  currency?: string | undefined;
  /** True: more than is left of the sale counts as what is left. */
  isLimited?: boolean | undefined;
}

/** Answer to a lead, sale or refund, and whether it had been recorded before. */
export interface Tracked<Answer> {
  answer: Answer;
  isReplayed: boolean;
}

export const conversionMaintenanceJobs = jobsOf(maintenance, {
  /** Converts amounts whose currencies have a rate by now. */
  'amounts.convert': scheduled({ everyMs: 10 * MINUTE_MS, isRunAtStart: true }),
});

export const conversionJobs = jobsOf(writes, {
  'lead.track': job<NewLead, Tracked<LeadResult>>(),
  'sale.track': job<NewSale, Tracked<SaleResult>>(),
  'refund.track': job<NewRefund, Tracked<RefundResult>>(),
});

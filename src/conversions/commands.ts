import { handlers } from '../queues/job.ts';
import { announced } from './announced.ts';
import { conversionJobs } from './jobs.ts';
import { recordLead } from './leads.ts';
import { recordRefund } from './refunds.ts';
import { recordSale } from './sales.ts';

export const conversionHandlers = handlers(conversionJobs, {
  /**
   * Records a lead.
   *
   * @throws Refusal `not_found` for an unknown click, `unprocessable_entity` without a click;
   * Postponed while the click may not be stored yet
   */
  'lead.track': (data, job) =>
    announced(job, (trx, recordEvents) => recordLead(trx, job, data, recordEvents)),

  /** Records a sale, as {@link recordSale}. */
  'sale.track': (data, job) =>
    announced(job, (trx, recordEvents) => recordSale(trx, job, data, recordEvents)),

  /** Records a refund, as {@link recordRefund}. */
  'refund.track': (data, job) =>
    announced(job, (trx, recordEvents) => recordRefund(trx, job, data, recordEvents)),
});

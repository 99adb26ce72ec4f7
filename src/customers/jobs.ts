import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { CountedCustomerRecord } from './record.ts';

/** Writable fields of a customer. An absent field is not changed, `null` clears it. */
export interface CustomerChanges {
  name?: string | null;
  email?: string | null;
  avatar?: string | null;
  /** ISO 3166-1 alpha-2. */
  country?: string | null;
}

export type NewCustomer = CustomerChanges & {
  /** Id in the caller's system. */
  externalId: string;
};

/** Body of `POST /customers/merge`: ids, or external ids after `ext_`. */
export interface CustomerMerge {
  customerIds: string[];
  into: string;
}

export const customerJobs = jobsOf(writes, {
  'customer.create': job<NewCustomer & { id: string }, CountedCustomerRecord>({
    audit: changes('customer'),
  }),
  'customer.update': job<{ id: string; changes: CustomerChanges }, CountedCustomerRecord>({
    audit: changes('customer'),
  }),
  'customer.merge': job<{ ids: string[]; into: string }, CountedCustomerRecord>({
    audit: changes('customer'),
  }),
  'customer.delete': job<{ id: string }, { id: string }>({ audit: changes('customer') }),
});

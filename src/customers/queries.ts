import { eventsStore } from '../events/store/index.ts';
import type { CustomerRecord } from './record.ts';

const NONE = { count: 0, amountCents: 0, refundCents: 0 };

/** Adds the sums of the stored sales and refunds, in US cents, to records of customers. */
export async function addSales(projectId: string, customers: readonly CustomerRecord[]) {
  const sums = await eventsStore().sumSales(
    projectId,
    customers.map(({ id }) => id),
  );
  return customers.map((customer) => {
    const { count, amountCents, refundCents } = sums.get(customer.id) ?? NONE;
    return { ...customer, sales: count, saleAmount: amountCents, refundAmount: refundCents };
  });
}

import { eventsStore } from '../events/store/index.ts';
import type { CustomerRecord } from './record.ts';

/** Adds the sums of the stored sales, in US cents, to records of customers. */
export async function addSales(projectId: string, customers: readonly CustomerRecord[]) {
  const sums = await eventsStore().sumSales(
    projectId,
    customers.map(({ id }) => id),
  );
  return customers.map((customer) => {
    const { count, amountCents } = sums.get(customer.id) ?? { count: 0, amountCents: 0 };
    return { ...customer, sales: count, saleAmount: amountCents };
  });
}

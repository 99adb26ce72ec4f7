import type { StoredCustomerSums } from '../events/store/store.ts';

/** A customer with their counters, as the archive of a workspace reads them. */
export type ArchivedCustomer = StoredCustomerSums & { id: string };

/** SQL of the customers of a workspace after one. */
export const CUSTOMERS = `
  SELECT c.id, c.external_id AS "externalId", c.name, c.email, c.avatar, c.country, c.click_id AS "clickId",
         c.first_click_at AS "firstClickAt", c.first_click AS "firstClick", t.last_seen_at AS "lastSeenAt",
         c.created_at AS "createdAt", c.updated_at AS "updatedAt", t.leads, t.sales,
         t.sale_amount_cents AS "saleAmountCents", t.refund_amount_cents AS "refundAmountCents"
    FROM customers c
    JOIN customer_counters t ON t.project_id = c.project_id AND t.customer_id = c.id
   WHERE c.project_id = :projectId AND c.id > :after`;

const NONE: StoredCustomerSums = {
  leads: 0,
  sales: 0,
  saleAmountCents: 0,
  refundAmountCents: 0,
};

/** Makes the record of an archive, with the counts of events that retention has deleted. */
export function toArchived(
  { leads, sales, saleAmountCents, refundAmountCents, ...customer }: ArchivedCustomer,
  stored: StoredCustomerSums = NONE,
): object {
  const before: StoredCustomerSums = {
    leads: Math.max(0, leads - stored.leads),
    sales: Math.max(0, sales - stored.sales),
    // Negative where a refund is stored longer than its sale.
    saleAmountCents: saleAmountCents - stored.saleAmountCents,
    refundAmountCents: Math.max(0, refundAmountCents - stored.refundAmountCents),
  };
  const isEmpty = Object.values(before).every((count) => count === 0);
  return isEmpty ? customer : { ...customer, countersBefore: before };
}

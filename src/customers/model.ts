import type { StoredEvent } from '../events/event.ts';
import { WorkspaceModel } from '../infra/model.ts';

/** Link and visitor of a click, which is not stored as long as its customer. */
export interface FirstClick {
  /** Link or QR code; `null` for the root of a domain. */
  linkId: string | null;
  domain: string;
  key: string;
  country: string;
  referer: string;
}

/** A row of `customers`: a person with a lead or a sale, or whom the workspace has added. */
export class Customer extends WorkspaceModel {
  static override readonly tableName = 'customers';

  declare id: string;
  declare external_id: string;
  declare name: string | null;
  declare email: string | null;
  declare avatar: string | null;
  /** ISO 3166-1 alpha-2. */
  declare country: string | null;
  /** The earliest click of the customer, its time and its contents; `null` if there was none. */
  declare click_id: string | null;
  declare first_click_at: Date | null;
  declare first_click: FirstClick | null;
  /** The latest click of their leads and sales, and its time; `null` if none came so far. */
  declare last_click_id: string | null;
  declare last_click_at: Date | null;
  declare created_at: Date;
  declare updated_at: Date;
}

/** A customer with their row of `customer_counters`. */
export type CountedCustomer = Customer & {
  leads: number;
  sales: number;
  /** Less refunds. */
  sale_amount_cents: number;
  refund_amount_cents: number;
  /** Latest time of their clicks, leads and sales. */
  last_seen_at: Date | null;
};

/** Makes the columns of a customer's first click. */
export const firstClickColumns = (
  click: Pick<
    StoredEvent,
    'id' | 'occurred_at' | 'link_id' | 'domain' | 'key' | 'country' | 'referer'
  >,
) => ({
  click_id: click.id,
  first_click_at: click.occurred_at,
  first_click: {
    linkId: click.link_id,
    domain: click.domain,
    key: click.key,
    country: click.country,
    referer: click.referer,
  } satisfies FirstClick,
});

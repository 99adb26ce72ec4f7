import { Joi, nullable, requiredCount, requiredText, requiredTime } from '../http/fields.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { sourceOf } from '../visitors/sources.ts';
import type { CountedCustomer, Customer } from './model.ts';

/** The public record of a customer in events. */
export type CustomerRecord = ReturnType<typeof toCustomer>;

/** The public record of a customer. */
export type CountedCustomerRecord = ReturnType<typeof toCountedCustomer>;

export function toCustomer(row: Customer) {
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    email: row.email,
    avatar: row.avatar,
    country: row.country,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toCountedCustomer(row: CountedCustomer) {
  return {
    ...toCustomer(row),
    leads: row.leads,
    sales: row.sales,
    saleAmount: row.sale_amount_cents,
    refundAmount: row.refund_amount_cents,
    firstClick: firstClickOf(row),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

function firstClickOf({ click_id: id, first_click_at: at, first_click: click }: Customer) {
  if (id === null || at === null || click === null) return null;
  const { linkId, domain, key, country, referer } = click;
  return {
    id,
    timestamp: at.toISOString(),
    linkId,
    shortLink: shortLinkOf(domain, linkId === null ? '' : key),
    country: country === UNKNOWN ? null : country,
    source: sourceOf(referer),
  };
}

const fields = {
  id: requiredText.description('Id of the customer.').example('cus_9Kd3fGh5Jk'),
  externalId: requiredText
    .description('Id of the customer in the caller’s system.')
    .example('user-1042'),
  name: nullable.description('Name.').example('Ada Lovelace'),
  email: nullable.description('Email address.').example('ada@example.com'),
  avatar: nullable.description('URL of a picture.'),
  country: nullable.description('Country (ISO 3166-1 alpha-2).').example('DE'),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
};

/** Schema of a customer in events. */
export const eventCustomer = Joi.object(fields).meta({ name: 'EventCustomer' });

/** Schema of the record, for the reference and for checking answers. */
export const customerRecord = Joi.object({
  ...fields,
  leads: requiredCount.description('Number of leads.').example(1),
  sales: requiredCount.description('Number of sales.').example(2),
  saleAmount: Joi.number()
    .integer()
    .required()
    .description('Revenue: the sum of sales less refunds, in US cents.')
    .example(3_998),
  refundAmount: requiredCount.description('Sum of refunds, in US cents.').example(0),
  firstClick: Joi.object({
    id: requiredText.description('Id of the click.').example('clk_6Tz1qAs4Df'),
    timestamp: requiredTime.description('Time of the click.'),
    linkId: nullable
      .description('Link or QR code; null for the root of a domain.')
      .example('link_4Jx2vQ0aTq'),
    shortLink: requiredText
      .description('Short link, as it was then.')
      .example('https://go.example.com/summer'),
    country: nullable
      .description('Country of the visitor (ISO 3166-1 alpha-2); null if it is unknown.')
      .example('DE'),
    source: requiredText
      .description('Source of the visit: a name, or the host of the referring page.')
      .example('Google'),
  })
    .allow(null)
    .required()
    .description('The earliest click of their leads and sales; null if there is none.')
    .meta({ name: 'FirstClick' }),
  lastSeenAt: requiredTime
    .allow(null)
    .description('Latest time of their clicks, leads and sales; null if there are none.'),
}).meta({ name: 'Customer' });

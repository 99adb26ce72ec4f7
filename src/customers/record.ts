import { Joi, nullable, requiredText, requiredTime } from '../http/fields.ts';
import type { Customer } from './model.ts';

/** The public record of a customer. */
export type CustomerRecord = ReturnType<typeof toCustomer>;

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

/** Schema of the record, for the reference and for checking answers. */
export const customerRecord = Joi.object({
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
  sales: Joi.number().integer().description('Number of stored sales; only with `withSales`.'),
  saleAmount: Joi.number()
    .integer()
    .description('Sum of stored sales less refunds, in US cents; only with `withSales`.'),
  refundAmount: Joi.number()
    .integer()
    .description('Sum of stored refunds, in US cents; only with `withSales`.'),
}).meta({ name: 'Customer' });

import { Joi } from '../http/fields.ts';
import type { Customer } from './model.ts';

/** The public record of a customer. */
export interface CustomerRecord {
  id: string;
  externalId: string;
  name: string | null;
  email: string | null;
  avatar: string | null;
  createdAt: string;
  updatedAt: string;
}

export function toCustomer(row: Customer): CustomerRecord {
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    email: row.email,
    avatar: row.avatar,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

const nullable = Joi.string().allow(null).required();

/** Schema of the record, for the reference and for checking answers. */
export const customerRecord = Joi.object({
  id: Joi.string().required().description('Id of the customer.').example('cus_9Kd3fGh5Jk'),
  externalId: Joi.string()
    .required()
    .description('Id of the customer in the caller’s system.')
    .example('user-1042'),
  name: nullable.description('Name.').example('Ada Lovelace'),
  email: nullable.description('Email address.').example('ada@example.com'),
  avatar: nullable.description('Address of a picture.'),
  createdAt: Joi.string().isoDate().required().description('Time of creation.'),
  updatedAt: Joi.string().isoDate().required().description('Time of the last change.'),
}).meta({ name: 'Customer' });

import { Joi } from '../infra/fields.ts';
import type { Customer } from './model.ts';

/** A customer as callers see it. */
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

/** The customer record, for the reference and for checking answers. */
export const customerRecord = Joi.object({
  id: Joi.string().required(),
  externalId: Joi.string().required().description('The caller’s own id.'),
  name: nullable,
  email: nullable,
  avatar: nullable,
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required(),
});

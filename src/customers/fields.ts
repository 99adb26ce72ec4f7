import { Joi, nullableText } from '../infra/fields.ts';

/** Fields of a customer as bodies have them. */
export const customerFields = {
  name: nullableText(100),
  email: Joi.string().email({ tlds: false }).max(100).allow(null),
  avatar: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(2_000)
    .allow(null),
};

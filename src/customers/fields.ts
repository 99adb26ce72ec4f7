import { id, Joi, nameText, text } from '../http/fields.ts';
import { webAddress } from '../short-links/url-field.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import type { CustomerChanges, CustomerMerge, NewCustomer } from './jobs.ts';

/** Schemas of the fields of a customer in bodies. */
export const customerFields = {
  name: nameText(100)
    .allow(null)
    .description('Name, at most 100 characters.')
    .example('Ada Lovelace'),
  email: Joi.string()
    .email({ tlds: false })
    .max(100)
    .allow(null)
    .description('Email address, at most 100 characters.')
    .example('ada@example.com'),
  avatar: webAddress()
    .max(2_000)
    .allow(null)
    .description('URL of a picture, at most 2,000 characters.'),
  country: Joi.string()
    .valid(...COUNTRY_CODES)
    .allow(null)
    .description('Country (ISO 3166-1 alpha-2). Default: the country of their first click.')
    .example('DE'),
};

export const newCustomerBody = Joi.object<NewCustomer>({
  externalId: text(100)
    .required()
    .description('Id of the customer in your system, at most 100 characters; unique.')
    .example('user-1042'),
  ...customerFields,
}).meta({ name: 'NewCustomer' });

export const customerChangesBody = Joi.object<CustomerChanges>(customerFields).meta({
  name: 'CustomerUpdate',
});

/** Maximum number of customers of one merge. */
const MAX_MERGED = 100;

export const customerMergeBody = Joi.object<CustomerMerge>({
  customerIds: Joi.array()
    .items(id())
    .min(1)
    .max(MAX_MERGED)
    .required()
    .description(`Ids of up to ${MAX_MERGED} customers, or their external ids after \`ext_\`.`)
    .example(['cus_9Kd3fGh5Jk', 'ext_guest-7']),
  into: id()
    .required()
    .description('Id of the customer that remains, or its external id after `ext_`.')
    .example('ext_user-1042'),
}).meta({ name: 'CustomerMerge' });

import { Joi, nameText, text } from '../http/fields.ts';
import { webAddress } from '../short-links/url-field.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import type { CustomerChanges, NewCustomer } from './jobs.ts';

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

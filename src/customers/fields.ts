import { Joi, nameText } from '../http/fields.ts';
import { webAddress } from '../short-links/url-field.ts';

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
};

import { Joi } from '../../http/fields.ts';
import { parseUrl } from '../../infra/url.ts';
import type { DisplayRow } from '../../lookup/entry.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, line, lines } from './fields.ts';
import { dialledNumber, readable, telUri } from './phone-number.ts';

/** A phone number or email address of a contact, with its type. */
interface Labelled {
  type?: string;
  value: string;
}

/** A contact. */
export interface Contact {
  firstName: string;
  lastName: string;
  organization?: string;
  title?: string;
  phones?: (string | Labelled)[];
  emails?: (string | Labelled)[];
  urls?: string[];
  address?: string | Address;
  note?: string;
  /** Date such as `2001-12-31`. */
  birthday?: string;
}

interface Address {
  street?: string;
  city?: string;
  region?: string;
  postalCode?: string;
  country?: string;
}

/**
 * Escapes a value (RFC 2426, section 4): a backslash before `\`, `,` and `;`, and `\n` for a line
 * break.
 */
const escape = (value: string): string =>
  value.replaceAll(/[\\,;]/g, (character) => `\\${character}`).replaceAll('\n', '\\n');

const labelled = (item: string | Labelled): Labelled =>
  typeof item === 'string' ? { value: item } : item;

/** Types of phone numbers and email addresses (RFC 2426, sections 3.3.1 and 3.3.2). */
const PHONE_TYPES = ['cell', 'work', 'home', 'fax', 'pager', 'voice'];
/** Synonym of `cell`. */
const MOBILE = 'mobile';
const EMAIL_TYPES = ['work', 'home', 'internet'];

function addressValue(address: string | Address): string {
  const parts = typeof address === 'string' ? { street: address } : address;
  const { street = '', city = '', region = '', postalCode = '', country = '' } = parts;
  return ['', '', street, city, region, postalCode, country].map(escape).join(';');
}

/**
 * Encodes a vCard 3.0 (RFC 2426), since fewer phones read version 4. Lines are not folded even
 * beyond 75 characters: decoders of QR codes read unfolded lines best, and every fold costs bytes.
 */
function encode(contact: Contact): string {
  const { firstName, lastName, organization, title, phones = [], emails = [] } = contact;
  const { urls = [], address, note, birthday } = contact;
  const properties = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${escape(lastName)};${escape(firstName)};;;`,
    `FN:${escape(nameOf(contact))}`,
    ...(organization === undefined ? [] : [`ORG:${escape(organization)}`]),
    ...(title === undefined ? [] : [`TITLE:${escape(title)}`]),
    ...phones
      .map(labelled)
      .map(({ type = 'cell', value }) => `TEL;TYPE=${telType(type)}:${readable(value)}`),
    ...emails
      .map(labelled)
      .map(({ type = 'internet', value }) => `EMAIL;TYPE=${type.toUpperCase()}:${escape(value)}`),
    // A URL is a URI, not a text, so nothing in it is escaped (RFC 2426, section 3.6.8).
    ...urls.map((url) => `URL:${url}`),
    ...(address === undefined ? [] : [`ADR;TYPE=WORK:${addressValue(address)}`]),
    ...(birthday === undefined ? [] : [`BDAY:${birthday}`]),
    ...(note === undefined ? [] : [`NOTE:${escape(note)}`]),
    'END:VCARD',
  ];
  return `${properties.join('\r\n')}\r\n`;
}

const telType = (type: string): string => (type === MOBILE ? 'cell' : type).toUpperCase();

const nameOf = ({ firstName, lastName }: Contact): string => `${firstName} ${lastName}`.trim();

function rowsOf({
  phones = [],
  emails = [],
  urls = [],
  address,
  note,
  birthday,
}: Contact): DisplayRow[] {
  const place =
    typeof address === 'object'
      ? [
          address.street,
          [address.postalCode, address.city].filter((part) => part !== undefined).join(' '),
          address.region,
          address.country,
        ]
          .filter((part) => part !== undefined && part !== '')
          .join('\n')
      : address;
  return [
    ...phones.map(labelled).map(({ type, value }) => ({
      label: type === undefined ? 'Phone' : `Phone (${type})`,
      value: readable(value),
      href: telUri(value),
      copy: true as const,
    })),
    ...emails.map(labelled).map(({ type, value }) => ({
      label: type === undefined ? 'Email' : `Email (${type})`,
      value,
      href: mailtoOf(value),
      copy: true as const,
    })),
    ...urls.map((url) => ({ label: 'Website', value: url, href: url })),
    ...(place === undefined || place === ''
      ? []
      : [
          {
            label: 'Address',
            value: place,
            href: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}`,
          },
        ]),
    ...(birthday === undefined ? [] : [{ label: 'Birthday', value: birthday }]),
    ...(note === undefined ? [] : [{ label: 'Note', value: note }]),
  ];
}

/** Buttons for calls and emails, in addition to the one that saves the contact. */
function actionsOf({ phones = [], emails = [] }: Contact): { label: string; href: string }[] {
  const [phone] = phones.map(labelled);
  const [email] = emails.map(labelled);
  return [
    ...(phone === undefined ? [] : [{ label: 'Call', href: telUri(phone.value) }]),
    ...(email === undefined ? [] : [{ label: 'Email', href: mailtoOf(email.value) }]),
  ];
}

const mailtoOf = (address: string): string =>
  `mailto:${encodeURIComponent(address).replaceAll('%40', '@')}`;

const list = (value: ReturnType<typeof line>, types: string[]) =>
  Joi.array()
    .items(
      Joi.alternatives().conditional(Joi.object().unknown(), {
        then: Joi.object({
          type: Joi.string()
            .lowercase()
            .valid(...types)
            .description('Kind of phone number or email address.'),
          value: value.required().description('Phone number or email address.'),
        }),
        otherwise: value,
      }),
    )
    .max(10);

const webAddress = line(2_000).custom((value: string, { error }) =>
  /^https?:\/\//i.test(value) && parseUrl(value) !== undefined
    ? value
    : error('rule', { rule: 'must be a URL that begins with http:// or https://' }),
);

/** A contact for the phone's address book (RFC 2426). */
export const vcard: ContentType<Contact> = {
  name: 'vcard',
  description:
    'A contact: `{firstName, lastName, organization?, title?, phones?, emails?, urls?, address?, ' +
    'note?, birthday?}`. Phones and emails are texts, or `{type?, value}`; `address` is a ' +
    'text, or `{street?, city?, region?, postalCode?, country?}`.',
  schema: Joi.object({
    firstName: line(100).allow('').required().description('First name.').example('Ada'),
    lastName: line(100).allow('').required().description('Last name.').example('Lovelace'),
    organization: line(200).empty('').description('Organization.'),
    title: line(200).empty('').description('Position.'),
    phones: list(dialledNumber(), [...PHONE_TYPES, MOBILE]).description(
      'Phone numbers, at most 10.',
    ),
    emails: list(emailAddress(), EMAIL_TYPES).description('Email addresses, at most 10.'),
    urls: Joi.array().items(webAddress).max(10).description('URLs, at most 10.'),
    address: Joi.alternatives()
      .conditional(Joi.object().unknown(), {
        then: Joi.object({
          street: lines(300).empty('').description('Street and number.'),
          city: line(100).empty('').description('City.'),
          region: line(100).empty('').description('Region or state.'),
          postalCode: line(20).empty('').description('Postal code.'),
          country: line(100).empty('').description('Country.'),
        }).meta({ name: 'PostalAddress' }),
        otherwise: lines(500),
      })
      .empty('')
      .description('Postal address: a text, or its parts.'),
    note: lines(1_000).empty('').description('Note, at most 1,000 characters.'),
    birthday: Joi.string()
      .empty('')
      .description('Birthday, such as 2001-12-31.')
      .pattern(/^\d{4}-\d{2}-\d{2}$/)
      .custom((value: string, { error }) =>
        new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value)
          ? value
          : error('rule', { rule: 'must be a date that exists, such as 2001-12-31' }),
      )
      .messages({ 'string.pattern.base': '{{#label}} must be a date such as 2001-12-31' }),
  })
    .meta({ name: 'VcardContent' })
    .custom((contact: Contact, { error }) =>
      nameOf(contact) === ''
        ? error('rule', { rule: 'must have a firstName or a lastName that is not empty' })
        : contact,
    ),
  encode,
  onVisit: (contact) => {
    const subtitle = [contact.title, contact.organization].filter((part) => part !== undefined);
    return {
      page: {
        type: 'vcard',
        title: nameOf(contact),
        isOwnTitle: true,
        subtitle: subtitle.length === 0 ? undefined : subtitle.join(', '),
        actions: actionsOf(contact),
        rows: rowsOf(contact),
        file: {
          label: 'Save contact',
          name: `${nameOf(contact)}.vcf`,
          type: 'text/vcard',
          text: encode(contact),
        },
      },
    };
  },
};

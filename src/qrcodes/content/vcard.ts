import { Joi } from '../../http/fields.ts';
import { imageSource } from '../../images/source.ts';
import type { DisplayRow } from '../../lookup/display-page.ts';
import {
  ADDRESS_TYPES,
  type Address,
  type Contact,
  EMAIL_TYPES,
  encodeContact,
  labelled,
  nameOf,
  OTHER_PHONE_TYPES,
  PHONE_TYPES,
} from './contact.ts';
import type { ContentType } from './content-type.ts';
import { emailAddress, line, lines, webAddress } from './fields.ts';
import { networkOf } from './networks.ts';
import { dialledNumber, readable, telUri } from './phone-number.ts';
import { profileLink, profilesField } from './profiles.ts';

/** Label of a value, with its type in brackets. */
const labelOf = (noun: string, type: string | undefined): string =>
  type === undefined ? noun : `${noun} (${type.replace('-', ' ')})`;

function addressRow(address: string | (Address & { type?: string })): DisplayRow[] {
  const place =
    typeof address === 'string'
      ? address
      : [
          address.street,
          [address.postalCode, address.city].filter((part) => part !== undefined).join(' '),
          address.region,
          address.country,
        ]
          .filter((part) => part !== undefined && part !== '')
          .join('\n');
  if (place === '') return [];
  return [
    {
      label: labelOf('Address', typeof address === 'string' ? undefined : address.type),
      value: place,
      href: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}`,
    },
  ];
}

function rowsOf(contact: Contact): DisplayRow[] {
  const { phones = [], emails = [], urls = [], address, addresses = [], note, birthday } = contact;
  return [
    ...phones.map(labelled).map(({ type, value }) => ({
      label: labelOf('Phone', type),
      value: readable(value),
      href: telUri(value),
      copy: true as const,
    })),
    ...emails.map(labelled).map(({ type, value }) => ({
      label: labelOf('Email', type),
      value,
      href: mailtoOf(value),
      copy: true as const,
    })),
    ...urls.map((url) => ({ label: networkOf(url) ?? 'Website', value: url, href: url })),
    ...[...(address === undefined ? [] : [address]), ...addresses].flatMap(addressRow),
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

const addressFields = {
  street: lines(300).empty('').description('Street and number.'),
  city: line(100).empty('').description('City.'),
  region: line(100).empty('').description('Region or state.'),
  postalCode: line(20).empty('').description('Postal code.'),
  country: line(100).empty('').description('Country.'),
};

const addition = (max: number, description: string) =>
  line(max).empty('').description(description).meta({ extension: true });

/** A contact for the phone's address book (RFC 2426). */
export const vcard: ContentType<Contact> = {
  name: 'vcard',
  description:
    'A contact: `{firstName?, lastName?, prefix?, suffix?, organization?, department?, title?, phones?, ' +
    'emails?, urls?, address?, addresses?, note?, birthday?, profiles?, photo?}`, with a name or an ' +
    'organization. Phones and ' +
    'emails are texts, or `{type?, value}`; `address` is a text, or `{street?, city?, region?, ' +
    'postalCode?, country?}`; `addresses` are such objects with a `type`.',
  schema: Joi.object({
    firstName: line(100).allow('').default('').description('First name.').example('Ada'),
    lastName: line(100).allow('').default('').description('Last name.').example('Lovelace'),
    prefix: addition(50, 'Before the name, such as `Dr.`.'),
    suffix: addition(50, 'After the name, such as `Jr.`.'),
    organization: line(200).empty('').description('Organization.'),
    department: addition(200, 'Department of the organization.'),
    title: line(200).empty('').description('Position.'),
    phones: list(dialledNumber(), [...PHONE_TYPES, ...OTHER_PHONE_TYPES]).description(
      'Phone numbers, at most 10.',
    ),
    emails: list(emailAddress(), EMAIL_TYPES).description('Email addresses, at most 10.'),
    urls: Joi.array().items(webAddress()).max(10).description('URLs, at most 10.'),
    address: Joi.alternatives()
      .conditional(Joi.object().unknown(), {
        then: Joi.object(addressFields).meta({ name: 'PostalAddress' }),
        otherwise: lines(500),
      })
      .empty('')
      .description('Postal address: a text, or its parts.'),
    addresses: Joi.array()
      .items(
        Joi.object({
          type: Joi.string()
            .lowercase()
            .valid(...ADDRESS_TYPES)
            .description('Kind: work or home. Default work.'),
          ...addressFields,
        }).meta({ name: 'TypedAddress' }),
      )
      .max(5)
      .description('Further postal addresses, at most 5.')
      .meta({ extension: true }),
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
    profiles: profilesField()
      .description('Profiles in social networks, at most 30.')
      .meta({ extension: true }),
    photo: imageSource()
      .empty('')
      .description('URL or data URI of a photo for the page, which is stored; not in the vCard.')
      .meta({ extension: true }),
  })
    .meta({ name: 'VcardContent' })
    .custom((contact: Contact, { error }) =>
      nameOf(contact).trim() === ''
        ? error('rule', {
            rule: 'must have a firstName, a lastName or an organization that is not empty',
          })
        : contact,
    ),
  encode: encodeContact,
  onVisit: (contact) => {
    const name = nameOf(contact);
    const { title, department, organization } = contact;
    const subtitle = [title, department, organization].filter(
      (part) => part !== undefined && part !== name,
    );
    return {
      page: {
        type: 'vcard',
        title: name,
        isOwnTitle: true,
        subtitle: subtitle.length === 0 ? undefined : subtitle.join(', '),
        actions: actionsOf(contact),
        rows: rowsOf(contact),
        links: contact.profiles?.map(profileLink),
        file: {
          label: 'Save contact',
          name: `${name}.vcf`,
          type: 'text/vcard',
          text: encodeContact(contact),
        },
      },
    };
  },
};

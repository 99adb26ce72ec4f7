import { readable } from './phone-number.ts';
import { type Profile, profileUrl } from './profiles.ts';

/** A phone number or email address of a contact, with its type. */
export interface Labelled {
  type?: string;
  value: string;
}

export interface Address {
  street?: string;
  city?: string;
  region?: string;
  postalCode?: string;
  country?: string;
}

/** A contact: a person, an organization, or both. */
export interface Contact {
  firstName: string;
  lastName: string;
  /** Before the name, such as `Dr.`. */
  prefix?: string;
  /** After the name, such as `Jr.`. */
  suffix?: string;
  organization?: string;
  department?: string;
  title?: string;
  phones?: (string | Labelled)[];
  emails?: (string | Labelled)[];
  urls?: string[];
  address?: string | Address;
  /** Further addresses, `work` without a type. */
  addresses?: (Address & { type?: string })[];
  note?: string;
  /** Date such as `2001-12-31`. */
  birthday?: string;
  /** Profiles in social networks, URLs in the vCard. */
  profiles?: Profile[];
  /** Source of the photo on the page, which the vCard has no room for. */
  photo?: string;
}

/** Types of phone numbers and email addresses (RFC 2426, sections 3.3.1 and 3.3.2). */
export const PHONE_TYPES = ['cell', 'work', 'home', 'fax', 'pager', 'voice'];
/** Two types of RFC 2426 in one. */
const TYPES_IN_ONE: Readonly<Record<string, string>> = {
  mobile: 'CELL',
  'work-fax': 'WORK,FAX',
  'home-fax': 'HOME,FAX',
};
/** Types of phone numbers that have other names in a vCard. */
export const OTHER_PHONE_TYPES = Object.keys(TYPES_IN_ONE);
export const EMAIL_TYPES = ['work', 'home', 'internet'];
export const ADDRESS_TYPES = ['work', 'home'];

export const labelled = (item: string | Labelled): Labelled =>
  typeof item === 'string' ? { value: item } : item;

/** The name of the person; of the organization if there is no person. */
export const nameOf = (contact: Contact): string => personOf(contact) || organizationOf(contact);

const personOf = ({ prefix, firstName, lastName, suffix }: Contact): string =>
  `${firstName}${lastName}` === ''
    ? ''
    : [prefix, firstName, lastName, suffix].filter(Boolean).join(' ').trim();

const organizationOf = ({ organization = '' }: Contact): string => organization;

/**
 * Escapes a value (RFC 2426, section 4): a backslash before `\`, `,` and `;`, and `\n` for a line
 * break.
 */
const escape = (value: string): string =>
  value.replaceAll(/[\\,;]/g, (character) => `\\${character}`).replaceAll('\n', '\\n');

/** Joins the parts of a structured value. */
const structured = (...parts: (string | undefined)[]): string =>
  parts.map((part = '') => escape(part)).join(';');

function addressLine(address: string | (Address & { type?: string })): string {
  const parts = typeof address === 'string' ? { street: address } : address;
  const {
    type = 'work',
    street,
    city,
    region,
    postalCode,
    country,
  } = parts as Address & {
    type?: string;
  };
  const value = structured('', '', street, city, region, postalCode, country);
  return `ADR;TYPE=${type.toUpperCase()}:${value}`;
}

const telType = (type: string): string => TYPES_IN_ONE[type] ?? type.toUpperCase();

const property = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${name}:${value}`];

/**
 * Encodes a vCard 3.0 (RFC 2426), since fewer phones read version 4. Lines are not folded even
 * beyond 75 characters: decoders of QR codes read unfolded lines best, and every fold costs bytes.
 */
export function encodeContact(contact: Contact): string {
  const { firstName, lastName, prefix, suffix, organization, department, title } = contact;
  const { phones = [], emails = [], urls = [], address, addresses = [], note, birthday } = contact;
  const { profiles = [] } = contact;
  const unit = department === undefined ? [] : [department];
  const properties = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${structured(lastName, firstName, '', prefix, suffix)}`,
    `FN:${escape(nameOf(contact))}`,
    ...(organization === undefined && unit.length === 0
      ? []
      : [`ORG:${structured(organization, ...unit)}`]),
    ...property('TITLE', title && escape(title)),
    ...phones
      .map(labelled)
      .map(({ type = 'cell', value }) => `TEL;TYPE=${telType(type)}:${readable(value)}`),
    ...emails
      .map(labelled)
      .map(({ type = 'internet', value }) => `EMAIL;TYPE=${type.toUpperCase()}:${escape(value)}`),
    // A URL is a URI, not a text, so nothing in it is escaped (RFC 2426, section 3.6.8).
    ...[...urls, ...profiles.map(profileUrl)].map((url) => `URL:${url}`),
    ...[...(address === undefined ? [] : [address]), ...addresses].map(addressLine),
    ...property('BDAY', birthday),
    ...property('NOTE', note && escape(note)),
    'END:VCARD',
  ];
  return `${properties.join('\r\n')}\r\n`;
}

import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js';
import { Joi } from '../../http/fields.ts';
import { normalize } from '../../infra/normalize.ts';

/*
 * Phone numbers in their stored form: `+12015550123`, a local number as dialed, with an extension
 * `+12015550123;ext=89` (RFC 3966, section 5.3), or a service code such as `*100#`.
 */

/** Separators between digits. */
const SEPARATORS = /[\s().\-\u2010-\u2015/]/g;
const EXTENSION = /(?:;ext=|extension|ext\.?|[x,#])\s*(\d{1,7})$/i;
/**
 * Service codes with or without numbers: `*100#`, `#31#+4917012345` (3GPP TS 22.030, section
 * 6.5.2).
 */
const SERVICE_CODE = /^(?=.{3,39}$)(?:[*#](?:\+\d)?\d*)+$/;

const RULE = 'must be a phone number of 3 to 15 digits, such as +12015550123';

/**
 * Removes invisible direction marks, with which address books surround numbers (U+202A, U+202C).
 */
const clean = (value: string): string =>
  normalize(value, 'NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();

/** Returns the number without its extension; `undefined` if the text is not a number. */
function readNumber(written: string): string | undefined {
  const digits = written.replaceAll(SEPARATORS, '').replace(/^00/, '+');
  // Letters would be read as keys of a phone's keypad.
  if (!/^\+?\d+$/.test(digits)) return undefined;
  const number = digits.startsWith('+') ? international(written, digits) : digits;
  return /^\+?\d{3,15}$/.test(number) ? number : undefined;
}

/**
 * Converts a number to the form that is dialed from abroad. It drops the trunk prefix before area
 * codes, as in `+49 (0)30 …`, if the country has one; in Italy the zero belongs to the number.
 */
function international(written: string, digits: string): string {
  const withoutTrunkZero = written
    .replace('(0)', '')
    .replaceAll(SEPARATORS, '')
    .replace(/^00/, '+');
  for (const one of [digits, withoutTrunkZero]) {
    const number = parsePhoneNumberFromString(one);
    if (number?.isPossible() === true) return number.number;
  }
  return withoutTrunkZero;
}

/**
 * Schema of a phone number: an international one begins with `+`, any other is dialed as written
 * (RFC 3966, section 5). Separators between digits are removed, and so is the zero of `+49 (0)30
 * …`.
 */
export const phoneNumber = () =>
  Joi.string()
    .max(60)
    .custom((value: string, { error }) => {
      return readNumber(clean(value)) ?? error('rule', { rule: RULE });
    });

/** Schema of a phone number with an optional extension, or of a service code such as `*100#`. */
export const dialledNumber = () =>
  Joi.string()
    .max(60)
    .custom((value: string, { error }) => {
      const written = clean(value);
      const code = written.replaceAll(SEPARATORS, '');
      if (SERVICE_CODE.test(code)) return code;
      const extension = EXTENSION.exec(written);
      const number = readNumber(written.slice(0, extension?.index));
      if (number === undefined) return error('rule', { rule: RULE });
      return extension === null ? number : `${number};ext=${extension[1]}`;
    });

/**
 * True for digits that begin with a country code, as in links of wa.me. A number with separators
 * has no country code without `+`, since that is how people write local numbers.
 */
const isInternationalDigits = (written: string): boolean =>
  /^[1-9]\d+$/.test(written) && parsePhoneNumberFromString(`+${written}`)?.isPossible() === true;

/**
 * Schema of an international number, with its country code. The `+` is optional before plain
 * digits.
 */
export const internationalNumber = () =>
  Joi.string()
    .max(60)
    .custom((value: string, { error }) => {
      const written = clean(value);
      const number = readNumber(isInternationalDigits(written) ? `+${written}` : written);
      if (number === undefined) return error('rule', { rule: RULE });
      if (!number.startsWith('+')) {
        const rule = `must begin with + and a country code, such as +12015550123: the country code of "${value}" is missing`;
        return error('rule', { rule });
      }
      const fault = validatePhoneNumberLength(number);
      if (fault === 'INVALID_COUNTRY') {
        const rule = `must begin with + and a country code that exists: "${value}" does not`;
        return error('rule', { rule });
      }
      if (fault !== 'TOO_SHORT') return number;
      const rule = `must be a whole number, with its area code: "${value}" is too short for its country`;
      return error('rule', { rule });
    });

/** Formats a number for people. */
export const readable = (number: string): string => number.replace(';ext=', ' ext. ');

/** Builds a tel URI (RFC 3966); a `#` would begin its fragment (RFC 3986). */
export const telUri = (number: string): string => `tel:${number.replaceAll('#', '%23')}`;

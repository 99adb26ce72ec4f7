import type { Component } from './identifiers.ts';

/** Characters that a value may consist of (GS1 General Specifications, 7.11). */
const CHARSETS = {
  N: /^\d*$/,
  X: /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]*$/,
  Y: /^[#\-/0-9A-Z]*$/,
  Z: /^[\w-]*$/,
} as const;

/** The characters of `X` in the order of their values. */
const ORDER = `!"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`;
/** The characters of a pair of check characters. */
const PAIR = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** Prime numbers that weigh the characters before a pair of check characters, from the right. */
const PRIMES = [
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83,
];

/** The check digit of a number whose last digit it is (GS1 General Specifications, 7.9.1). */
function checkDigitOf(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length - 1; at += 1) {
    sum += Number(digits[at]) * ((digits.length - at) % 2 === 0 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** The pair of check characters of a text that ends with it (GS1 General Specifications, 7.9.5). */
function checkPairOf(text: string): string {
  const body = Array.from(text.slice(0, -2)).toReversed();
  const sum = body.reduce((all, one, at) => all + ORDER.indexOf(one) * PRIMES[at]!, 0) % 1_021;
  return PAIR[sum >> 5]! + PAIR[sum & 31]!;
}

/** True for a date of the form YYMMDD or YYYYMMDD. */
function isDate(digits: string, hasDayZero: boolean): boolean {
  const month = Number(digits.slice(-4, -2));
  const day = Number(digits.slice(-2));
  if (hasDayZero && day === 0) return month >= 1 && month <= 12;
  // The century of a year of two digits depends on the present; 2000 has the day of a leap year.
  const year = Number(digits.slice(0, -4).padStart(4, '20'));
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** True for an IBAN with the right check digits (ISO 7064, MOD 97-10). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]+$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}

const range = (min: number, max: number, what: string) => (text: string) =>
  Number(text) >= min && Number(text) <= max ? undefined : `have ${what}`;

/** Checks by their names in the table; each returns the end of the rule that a text breaks. */
const CHECKS: Readonly<Record<string, (text: string) => string | undefined>> = {
  sum: (text) =>
    text.at(-1) === checkDigitOf(text) ? undefined : `have the check digit ${checkDigitOf(text)}`,
  pair: (text) =>
    text.length > 2 && text.endsWith(checkPairOf(text))
      ? undefined
      : 'have the right pair of check characters at the end',
  prefix: (text) =>
    /^\d{4}/.test(text) ? undefined : 'begin with a company prefix, at least four digits',
  date0: (text) => (isDate(text, true) ? undefined : 'be a date of the form YYMMDD'),
  date: (text) => (isDate(text, false) ? undefined : 'be a date of the form YYMMDD'),
  day: (text) => (isDate(text, false) ? undefined : 'be a date of the form YYYYMMDD'),
  time: (text) => (/^(?:[01]\d|2[0-3])[0-5]\d$/.test(text) ? undefined : 'have a time HHMM'),
  hour: range(0, 23, 'an hour from 00 to 23'),
  minute: range(0, 59, 'minutes and seconds from 00 to 59'),
  latitude: range(0, 1_800_000_000, 'a latitude from 0000000000 to 1800000000'),
  longitude: range(0, 3_600_000_000, 'a longitude from 0000000000 to 3600000000'),
  letters: (text) => (/^[A-Z]{2}$/.test(text) ? undefined : 'be a country code of two letters'),
  percent: (text) =>
    /%(?![\dA-F]{2})/i.test(text) ? 'be percent-encoded where it has a %' : undefined,
  flag: (text) => (/^[01]$/.test(text) ? undefined : 'be 0 or 1'),
  minus: (text) => (text === '-' ? undefined : 'have nothing but a - after the digits'),
  sex: (text) => (/^[0129]$/.test(text) ? undefined : 'be 0, 1, 2 or 9'),
  winding: (text) => (/^[019]$/.test(text) ? undefined : 'have the direction 0, 1 or 9'),
  nonzero: (text) => (/[1-9]/.test(text) ? undefined : 'not have a part that is zero'),
  unpadded: (text) =>
    text.length > 1 && text.startsWith('0') ? 'not begin with zeros' : undefined,
  zero: (text) => (text === '0' ? undefined : 'begin with 0'),
  piece: (text) => {
    const [piece, total] = [Number(text.slice(0, 2)), Number(text.slice(2))];
    return piece > 0 && piece <= total ? undefined : 'end with the piece and the number of pieces';
  },
  iban: (text) => (isIban(text) ? undefined : 'be an IBAN with the right check digits'),
};

/** Describes the lengths of a value, as the end of the sentence "must …". */
function lengthRule(components: readonly Component[]): string {
  const required = components.filter(({ isOptional }) => !isOptional);
  const min = required.reduce((sum, one) => sum + one.min, 0);
  const max = components.reduce((sum, one) => sum + one.max, 0);
  const isNumber = components.every(({ charset }) => charset === 'N');
  const noun = isNumber ? 'digits' : 'characters of GS1’s set';
  return min === max ? `have ${min} ${noun}` : `have ${min} to ${max} ${noun}`;
}

/**
 * The rule that a value breaks, as the end of the sentence "must …"; `undefined` if it breaks none.
 * Parts are read one after another, as the dictionary demands: only the last can vary in length.
 */
export function valueFault(components: readonly Component[], value: string): string | undefined {
  let at = 0;
  for (const { charset, min, max, isOptional, check } of components) {
    if (at === value.length && isOptional) continue;
    const part = value.slice(at, at + max);
    if (part.length < min || !CHARSETS[charset].test(part)) return lengthRule(components);
    const fault = check === undefined ? undefined : CHECKS[check]!(part);
    if (fault !== undefined) return fault;
    at += part.length;
  }
  return at === value.length ? undefined : lengthRule(components);
}

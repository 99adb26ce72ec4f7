/*
 * Reads whole numbers as spreadsheet programs write them, with separators of thousands and decimals
 * by the country.
 */

/** Separator of thousands. */
export type GroupSign = ',' | '.';

/** Maximum length of a text that can be a number, in characters. */
const MAX_LENGTH = 32;

const PLAIN = /^\d{1,15}(?:[.,]0{1,2})?$/;
const SPACED = /^\d{1,3}(?:[ '’]\d{3}){1,4}(?:[.,]0{1,9})?$/;
const GROUPED: Readonly<Record<GroupSign, RegExp>> = {
  ',': /^\d{1,3}(?:,\d{3}){1,4}(?:\.0{1,9})?$/,
  '.': /^\d{1,3}(?:\.\d{3}){1,4}(?:,0{1,9})?$/,
};
/** Separator of decimals beside each separator of thousands. */
const OTHER: Readonly<Record<GroupSign, GroupSign>> = { ',': '.', '.': ',' };
/** Decimals that are zero, after the sign that does not separate thousands. */
const DECIMALS: Readonly<Record<GroupSign, RegExp>> = {
  ',': /^\d{1,15}\.0{1,9}$/,
  '.': /^\d{1,15},0{1,9}$/,
};

/**
 * Reads a whole number.
 *
 * @param sign separator of thousands where the text could have either
 * @returns `undefined` for other texts
 */
export function readNumber(text: string, sign: GroupSign): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const plain = text.replaceAll(/[\u00a0\u2009\u202f]/g, ' ');
  const isGrouped = GROUPED[sign].test(plain);
  const isNumber = isGrouped || [PLAIN, SPACED, DECIMALS[sign]].some((form) => form.test(plain));
  if (!isNumber) return undefined;
  const [whole = ''] = plain.split(isGrouped ? OTHER[sign] : /[.,]/);
  return Number(whole.replaceAll(/\D/g, ''));
}

/** Decimals that are no thousands, before which the other sign separates thousands. */
const FRACTION: Readonly<Record<GroupSign, RegExp>> = {
  ',': /^\d{1,15}\.(?:\d{1,2}|\d{4,9})$/,
  '.': /^\d{1,15},(?:\d{1,2}|\d{4,9})$/,
};
const SIGNS: readonly GroupSign[] = [',', '.'];

/** Returns the separator of thousands that a number shows; `undefined` if it shows none. */
export function signShown(text: string): GroupSign | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return SIGNS.find((sign) => GROUPED[sign].test(text) || FRACTION[sign].test(text));
}

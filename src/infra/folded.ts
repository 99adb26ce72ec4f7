import { domainToUnicode } from 'node:url';
import anyAscii from 'any-ascii';
import { normalize } from './normalize.ts';
import { percentDecoded } from './url.ts';

/*
 * Normalizes texts for search: ASCII and lower case, without accents, other scripts transliterated,
 * and URLs in readable form. Postgres cannot do this in every locale; the locale C has no capital
 * letters beyond ASCII.
 */

/** Maximum number of searched characters in each part of a record. */
const MAX_CHARACTERS = 2_000;

/** Folds a search term for comparison with a {@link searchable} text. */
export const folded = (text: string): string => toAscii(readable(text));

/** ASCII without spaces, control characters and `%`. */
const PLAIN = /^[!-$&-~]*$/;

/** Folds a text for searching. A text with umlauts is added a second time with ae, oe and ue. */
export function searchable(text: string): string {
  // Most keys and URLs, for which the rest takes ten times as long.
  if (PLAIN.test(text) && !/xn--/i.test(text)) return text.toLowerCase();
  const decoded = readable(text);
  const plain = toAscii(decoded);
  const spelled = toAscii(decoded.replaceAll(/[äöü]/gi, (letter) => `${letter}e`));
  return plain === spelled ? plain : `${plain}\n${spelled}`;
}

/** Joins the parts of a record for searching, the first 2,000 characters of each. */
export const searchableParts = (parts: readonly (string | null)[]): string =>
  parts
    .flatMap((part) => (part === null ? [] : [searchable(part.slice(0, MAX_CHARACTERS))]))
    .join('\n');

const toAscii = (text: string): string =>
  anyAscii(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .toLowerCase();

/** Decodes host names and percent-encoded characters where they are well-formed. */
function readable(text: string): string {
  const decoded = text
    .replaceAll(/xn--[a-z0-9-]+/gi, (label) => domainToUnicode(label) || label)
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, percentDecoded);
  return normalize(decoded, 'NFC');
}

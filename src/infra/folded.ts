import { domainToUnicode } from 'node:url';
import anyAscii from 'any-ascii';
import { normalize } from './normalize.ts';

/*
 * Texts as searches compare them: in ASCII and lower case, without accents, other scripts transliterated, and URLs as
 * people read them. Postgres can't do this in every locale: in C it knows no capitals beyond ASCII.
 */

/** Characters of each part of a record that are searched. */
const MOST_CHARACTERS = 2_000;

/** Folds a search term, to be compared with a {@link searchable} text. */
export const folded = (text: string): string => toAscii(readable(text));

/** A text that is searched: folded, and once more with ae, oe and ue where it has umlauts. */
export function searchable(text: string): string {
  const read = readable(text);
  const plain = toAscii(read);
  const spelled = toAscii(read.replaceAll(/[äöü]/gi, (letter) => `${letter}e`));
  return plain === spelled ? plain : `${plain}\n${spelled}`;
}

/** The parts of a record that are searched, each in its first 2,000 characters. */
export const searchableParts = (parts: readonly (string | null)[]): string =>
  parts
    .flatMap((part) => (part === null ? [] : [searchable(part.slice(0, MOST_CHARACTERS))]))
    .join('\n');

const toAscii = (text: string): string =>
  anyAscii(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .toLowerCase();

/** Decodes host names and percent-encoded characters, where they are well-formed. */
function readable(text: string): string {
  const decoded = text
    .replaceAll(/xn--[a-z0-9-]+/gi, (label) => domainToUnicode(label) || label)
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
      try {
        return decodeURIComponent(encoded);
      } catch {
        return encoded;
      }
    });
  return normalize(decoded, 'NFC');
}

import { LRUCache } from 'lru-cache';
import { memoize } from './memoize.ts';
import { normalize } from './normalize.ts';

/** Letters without a decomposition in Unicode, and apostrophes of print. */
const SPELLINGS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ĳ: 'ij',
  þ: 'th',
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŀ: 'l',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  ʼ: "'",
};
const SPELLED = /[æœĳþßøđðħıłŀŋŧς’‘ʼ]/g;
const MARKS = /[\u0300-\u036f]/g;

/** Maximum number of remembered keys. */
const REMEMBERED = 10_000;

const keyOf = memoize(
  (name: string) =>
    normalize(name, 'NFD')
      .replaceAll(MARKS, '')
      .toLowerCase()
      .replaceAll(SPELLED, (letter) => SPELLINGS[letter]!),
  new LRUCache<string, string>({ max: REMEMBERED }),
);

/**
 * Returns the form in which names are compared: lower case, without accents, and with ASCII for
 * other Latin letters. The function `name_key` of the database does the same.
 */
export const nameKey = (name: string): string =>
  /^[ -~]*$/.test(name) ? name.toLowerCase() : keyOf(name);

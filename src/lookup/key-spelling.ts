import { normalize } from '../infra/normalize.ts';
import type { DomainEntry } from './entry.ts';

/*
 * A key has several spellings: an emoji with and without the selector of its presentation (U+FE0F)
 * and, on a domain that ignores case, any case. `claims.canonical_key` has the form that all of
 * them share, null for a key with one spelling. It begins with the version of the domain's rule,
 * which a change of `caseSensitive` increments, so that nothing cached before it is found.
 *
 * A key is looked up as it is first, so that its own spelling costs nothing more.
 */

/** Selectors of text and emoji presentation, which programs add and drop. */
const SELECTORS = /[\ufe0e\ufe0f]/g;
/** Selectors after a character that has only one presentation. */
const STRAY_SELECTORS = /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/gu;
/** A selector, or a character with which one can be written. */
const HAS_PRESENTATIONS = /[\ufe0e\ufe0f\u20e3\p{Extended_Pictographic}]/u;

/** Normalizes a key that a person or program wrote: NFC, without selectors that select nothing. */
export const normalizeKey = (text: string): string =>
  normalize(normalize(text, 'NFC').replaceAll(STRAY_SELECTORS, ''), 'NFC');

/** Returns what all spellings of a key share, apart from their case; `null` if there is only one. */
export function withoutSelectors(key: string): string | null {
  if (!HAS_PRESENTATIONS.test(key)) return null;
  return normalize(key.replaceAll(SELECTORS, ''), 'NFC') || null;
}

/** Returns what all spellings of a key share on a domain that ignores case. */
export const withoutCase = (key: string): string =>
  // Upper case first, which has one form of ß, ſ and ς.
  normalize((withoutSelectors(key) ?? key).toUpperCase().toLowerCase(), 'NFC');

/**
 * The key by which all spellings of a key are looked up; `null` if there is only one. No key begins
 * with a slash, so it differs from all others.
 */
export function spellingKey(
  key: string,
  { ignoresCase, keyVersion = 0 }: Pick<DomainEntry, 'ignoresCase' | 'keyVersion'>,
): string | null {
  const canonical = ignoresCase === true ? withoutCase(key) : withoutSelectors(key);
  return canonical === null ? null : bySpelling(`${keyVersion}/${canonical}`);
}

/** Returns the key by which a claim is looked up in any spelling. */
export const bySpelling = (canonicalKey: string): string => `/${canonicalKey}`;

/** Returns the canonical key in a key of {@link bySpelling}; `undefined` for any other key. */
export const canonicalKeyIn = (key: string): string | undefined =>
  key.startsWith('/') ? key.slice(1) : undefined;

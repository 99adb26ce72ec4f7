import { normalize } from '../infra/normalize.ts';
import { isStorable } from '../infra/storable-text.ts';
import { groupOf, type LookupGroup } from './concurrent-lookups.ts';
import type { DomainEntry, Entries, LinkEntry, RequestedKeys } from './entry.ts';

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
/** A selector, or a character with which one can be written. */
const HAS_PRESENTATIONS = /[\ufe0e\ufe0f\u20e3\p{Extended_Pictographic}]/u;

/** Returns the form shared by all spellings of a key in one case; `null` if there is only one. */
export function withoutSelectors(key: string): string | null {
  if (!HAS_PRESENTATIONS.test(key)) return null;
  return normalize(key.replaceAll(SELECTORS, ''), 'NFC') || null;
}

/** Returns the form shared by all spellings of a key on a domain that ignores case. */
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

type Found = Pick<Entries, 'link' | 'prefix' | 'tidied'>;

/**
 * Finds the link that a path stands for: the one with exactly this key, else with another spelling
 * of it or of the tidied one, else the flexible or wildcard link with the longest prefix. Without
 * prefixes, an unknown key costs at most two look-ups.
 *
 * @param lookUp looks up a key of the domain
 * @throws Unavailable
 */
export async function findLink(
  domain: DomainEntry,
  requested: RequestedKeys,
  lookUp: (key: string, group: LookupGroup) => Promise<LinkEntry | null>,
): Promise<Found> {
  const ask = async (one: string | null, group: LookupGroup) =>
    one === null || one === '' || !isStorable(one) ? null : lookUp(one, group);
  const { key } = requested;
  const first = key === null ? null : namesOf(domain, key)[0];
  const [exact] = await Promise.allSettled([ask(first, groupOf('exact'))]);
  const link = entryOf(exact);
  if (link !== null) return { link };
  const { prefixes = [], tidied } = requested;
  const otherKey = tidied?.key ?? key;
  const second = otherKey === null ? null : namesOf(domain, otherKey).at(-1)!;
  // Only domains with wildcards pay for twice as many look-ups.
  const candidates =
    domain.hasWildcards === true
      ? prefixes.flatMap((one) => [{ ...one, isWildcard: true as const }, one])
      : prefixes;
  const asked = candidates.flatMap((prefix) =>
    namesOf(domain, prefix.isWildcard ? `${prefix.key}/*` : prefix.key).map((name) => ({
      prefix,
      name,
    })),
  );
  const group = groupOf('prefix');
  const [other, ...flexible] = await Promise.allSettled([
    ask(second === first ? null : second, group),
    ...asked.map(({ name }) => ask(name, group)),
  ]);
  const tidiedLink = entryOf(other);
  if (tidiedLink !== null) return { link: tidiedLink, ...(tidied && { tidied }) };
  const at = flexible.findIndex((one) => entryOf(one)?.forwardsPath === true);
  if (at >= 0) return { link: entryOf(flexible[at]!), prefix: asked[at]!.prefix };
  const failed = [exact, other, ...flexible].find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return { link: null };
}

/** The keys under which a key is looked up: itself, and the form that its spellings share. */
function namesOf(domain: DomainEntry, key: string): [first: string, ...string[]] {
  if (key === '') return [key];
  const spelling = spellingKey(key, domain);
  if (spelling === null) return [key];
  return domain.ignoresCase === true ? [spelling] : [key, spelling];
}

const entryOf = <Entry>(asked: PromiseSettledResult<Entry | null>): Entry | null =>
  asked.status === 'fulfilled' ? asked.value : null;

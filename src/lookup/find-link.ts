import { isStorable } from '../infra/storable-text.ts';
import { groupOf, type LookupGroup } from './concurrent-lookups.ts';
import type { DomainEntry, Entries, KeyPrefix, LinkEntry, TidiedPath } from './entry.ts';
import { spellingKey } from './key-spelling.ts';

/** The keys that the path of a request can stand for. */
export interface RequestedKeys {
  /** `null` for a text that cannot be a key; empty for the root of the domain. */
  key: string | null;
  /**
   * Prefixes of the path that may be the key of a flexible or wildcard link, longest first. While
   * no store answers, only those in memory are found.
   */
  prefixes?: readonly KeyPrefix[];
  tidied?: TidiedPath | undefined;
}

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
  { key, prefixes = [], tidied }: RequestedKeys,
  lookUp: (key: string, group: LookupGroup) => Promise<LinkEntry | null>,
): Promise<Found> {
  const ask = async (one: string | null, group: LookupGroup) =>
    one === null || one === '' || !isStorable(one) ? null : lookUp(one, group);
  const first = key === null ? null : namesOf(domain, key)[0];
  const [exact] = await Promise.allSettled([ask(first, groupOf('exact'))]);
  const link = entryOf(exact);
  if (link !== null) return { link };
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

/** The keys under which a key is looked up: itself, and what all of its spellings share. */
function namesOf(domain: DomainEntry, key: string): [first: string, ...string[]] {
  if (key === '') return [key];
  const spelling = spellingKey(key, domain);
  if (spelling === null) return [key];
  return domain.ignoresCase === true ? [spelling] : [key, spelling];
}

const entryOf = <Entry>(asked: PromiseSettledResult<Entry | null>): Entry | null =>
  asked.status === 'fulfilled' ? asked.value : null;

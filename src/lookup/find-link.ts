import { isStorable } from '../infra/storable-text.ts';
import { groupOf, type LookupGroup } from './concurrent-lookups.ts';
import type { DomainEntry, Entries, KeyPrefix, LinkEntry, TidiedPath } from './entry.ts';

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
 * Finds the link that a path stands for: the one with exactly this key, else with the tidied one,
 * else the flexible or wildcard link with the longest prefix. Without prefixes, an unknown key
 * costs at most two look-ups.
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
  const [exact] = await Promise.allSettled([ask(key, groupOf('exact'))]);
  const link = entryOf(exact);
  if (link !== null) return { link };
  // Only domains with wildcards pay for twice as many look-ups.
  const candidates =
    domain.hasWildcards === true
      ? prefixes.flatMap((one) => [{ ...one, isWildcard: true as const }, one])
      : prefixes;
  const group = groupOf('prefix');
  const [other, ...flexible] = await Promise.allSettled([
    ask(tidied?.key ?? null, group),
    ...candidates.map((one) => ask(one.isWildcard ? `${one.key}/*` : one.key, group)),
  ]);
  const tidiedLink = entryOf(other);
  if (tidiedLink !== null) return { link: tidiedLink, tidied: tidied! };
  const at = flexible.findIndex((one) => entryOf(one)?.forwardsPath === true);
  if (at >= 0) return { link: entryOf(flexible[at]!), prefix: candidates[at]! };
  const failed = [exact, other, ...flexible].find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return { link: null };
}

const entryOf = <Entry>(asked: PromiseSettledResult<Entry | null>): Entry | null =>
  asked.status === 'fulfilled' ? asked.value : null;

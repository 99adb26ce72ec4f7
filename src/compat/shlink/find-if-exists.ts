import { toHostName } from '../../http/domain-name.ts';
import { toInstant } from '../../http/iso-time.ts';
import { toDestination } from '../../short-links/destination-match.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { findByDestination, findLink } from '../links.ts';
import type { Call, Fields, LinkRecord } from '../peer.ts';

/** Compares a link with the requested value of a field. */
type Comparison = (link: LinkRecord, value: unknown) => boolean;

const isAt =
  (name: 'startsAt' | 'expiresAt'): Comparison =>
  (link, value) =>
    typeof value === 'string' && link[name] === toInstant(value);

/** Comparisons of fields by their names in this API; other fields must have the same value. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  url: ({ url }, value) => typeof value === 'string' && url === toDestination(value),
  domain: ({ domain }, value) => typeof value === 'string' && domain === toHostName(value),
  prefix: ({ key }, value) => typeof value === 'string' && key.startsWith(value.replace(/^\//, '')),
  startsAt: isAt('startsAt'),
  expiresAt: isAt('expiresAt'),
  // As in Shlink, an empty list asks for no tags in particular.
  tagNames({ tags }, value) {
    if (!Array.isArray(value)) return false;
    const requested = new Set(value.map((name) => nameKey(String(name).trim())));
    if (requested.size === 0) return true;
    return tags.length === requested.size && tags.every(({ name }) => requested.has(nameKey(name)));
  },
};

/**
 * Finds the newest link that has everything that the body of a creation requests, as
 * `findIfExists` of Shlink does.
 *
 * @param requested fields of a body of this API, with a domain
 */
export async function findSame(
  call: Call,
  requested: Fields & { domain: string },
): Promise<LinkRecord | undefined> {
  const { key, ...rest } = requested;
  const { url, domain } = rest;
  if (typeof url !== 'string') return undefined;
  const isSame = (link: LinkRecord) =>
    Object.entries(rest).every(([name, value]) =>
      Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name]!(link, value) : link[name] === value,
    );
  if (typeof key !== 'string') return findByDestination(call, url, isSame);
  // The look-up accepts every spelling of the key.
  const link = await findLink(call, domain, key);
  return link !== undefined && isSame(link) ? link : undefined;
}

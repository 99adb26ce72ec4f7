import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { memoize } from './memoize.ts';
import { parseUrl } from './url.ts';

/** Maximum number of parts of an app URL and its decodings that are checked for hosts. */
export const MAX_PARTS = 500;
/**
 * Number of app URLs whose hosts are cached, because finding them takes as long as the rest of a
 * redirect or longer.
 */
const MAX_CACHED = 500;
/** Number of times that a URL within another may be percent-encoded. */
const LEVELS = 3;
/** Maximum length of a part that can be a host, in UTF-16 units. */
const MAX_PART_LENGTH = 800;
/** Schemes whose URLs contact a person and lead to no host. */
const PERSONAL = /^(?:mailto|tel|sms):/i;
/**
 * A part of a URL that can be a host: an IPv6 address in brackets, or text without delimiters.
 * `authority` marks a host that has no dot.
 */
const PART =
  /(?<authority>(?:https?|wss?|ftp):[/\\]*|(?<![/\\])[/\\]{2,}|@)?(?<part>\[[\da-f:.]+\]|[^\s/\\?#&;=,:@|<>"'`(){}[\]^+*!$~]+)/gi;
const PLAIN_NAME = /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/i;

/**
 * Finds the hosts that a URL leads to, in lower-case ASCII: the host of a web address, and all
 * hosts in the URL of an app, such as
 * `intent:#Intent;S.browser_fallback_url=https%3A%2F%2Fexample.com;end` or
 * `googlechrome://navigate?url=…`. Anything in an app URL that can be a host counts as one, because
 * only the app knows how it reads the URL. Parts beyond the first {@link MAX_PARTS} are left out
 * ({@link hasTooManyParts}). URLs with `mailto:`, `tel:` and `sms:` have no host. An IPv6 address
 * that contains an IPv4 address is followed by the latter.
 */
export function hostsIn(url: string): string[] {
  if (isWeb(url)) return hostsOf(url);
  if (PERSONAL.test(url)) return [];
  return hostsInApp(url);
}

const hostsInApp = memoize(
  (url: string) => {
    const hosts = [...partsOf(url).parts].flatMap((part) =>
      PLAIN_NAME.test(part) ? [part.toLowerCase()] : hostsOf(`http://${part}`),
    );
    return [...new Set(hosts)];
  },
  new LRUCache<string, string[]>({ max: MAX_CACHED }),
);

/** Returns true for an app URL with more possible hosts than {@link hostsIn} checks. */
export const hasTooManyParts = (url: string): boolean =>
  !isWeb(url) && !PERSONAL.test(url) && partsOf(url).isCut;

/**
 * Lists the hosts of a URL ({@link hostsIn}) with the domains above each: `a.b.test`, `b.test` and
 * `test`.
 */
export const hostsAndParents = (url: string): string[] => hostsIn(url).flatMap(withParents);

/** Returns true if a URL leads to one of some hosts ({@link hostsIn}) or to a subdomain of one. */
export const leadsToOneOf = (url: string, hosts: ReadonlySet<string>): boolean =>
  hostsIn(url).some((host) => isWithin(host, hosts));

const isWeb = (url: string): boolean => /^https?:/i.test(url);

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

// Builds no lists, because each redirect calls this.
function isWithin(host: string, hosts: ReadonlySet<string>): boolean {
  if (hosts.has(host)) return true;
  if (isAddress(host)) return false;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (hosts.has(host.slice(dot + 1))) return true;
  }
  return false;
}

function withParents(host: string): string[] {
  if (isAddress(host)) return [host];
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

/** Returns the parts of an app URL and its decodings that can be hosts. */
function partsOf(url: string): { parts: Set<string>; isCut: boolean } {
  const parts = new Set<string>();
  let count = 0;
  for (const text of decodings(url)) {
    for (const { groups } of text.matchAll(PART)) {
      const { authority, part = '' } = groups!;
      if (part.length > MAX_PART_LENGTH || (authority === undefined && !mayBeHost(part))) continue;
      count += 1;
      if (count > MAX_PARTS) return { parts, isCut: true };
      parts.add(part);
    }
  }
  return { parts, isCut: false };
}

/**
 * Returns the URL and its decodings, because a URL within it may be percent-encoded several times.
 */
function decodings(url: string): Set<string> {
  const texts = new Set<string>();
  let text = url;
  for (let level = 0; level <= LEVELS; level += 1) {
    // Browsers remove line breaks and tabs from URLs; in other programs they end a URL.
    texts.add(text).add(text.replaceAll(/[\t\r\n]/g, ''));
    if (!text.includes('%')) break;
    text = text.replaceAll(/(?:%[\da-f]{2})+/gi, decoded);
  }
  return texts;
}

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes.replaceAll(/%[0-7][\da-f]/gi, (escape) => decodeURIComponent(escape));
  }
}

/**
 * Returns true for an IPv6 address in brackets, and for a part that contains a dot or a character
 * that URLs treat as one (UTS 46).
 */
const mayBeHost = (part: string): boolean =>
  part.startsWith('[') || /[^.]\.[^.]/.test(part.normalize('NFKC').replaceAll('。', '.'));

function hostsOf(url: string): string[] {
  const host = parseUrl(url)?.hostname.replace(/\.$/, '') ?? '';
  if (host === '') return [];
  if (!host.startsWith('[')) return [host];
  const address = host.slice(1, -1);
  const inner = ipv4Within(address);
  return inner === undefined ? [address] : [address, inner];
}

/**
 * Returns the IPv4 address within an IPv6 address: mapped and compatible ones (RFC 4291, 2.5.5),
 * NAT64 (RFC 6052 and 8215), and 6to4 (RFC 3056).
 */
function ipv4Within(address: string): string | undefined {
  const groups = ipaddr.IPv6.parse(address).parts;
  const prefix = Array.from(groups.slice(0, 6), (group) => group.toString(16)).join(':');
  const isLast =
    ['0:0:0:0:0:0', '0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'].includes(prefix) ||
    prefix.startsWith('64:ff9b:1:');
  const at = isLast ? 6 : groups[0] === 0x2002 ? 1 : undefined;
  if (at === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

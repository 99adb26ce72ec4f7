import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { parseUrl } from './url.ts';

/** Parts of the URL of an app, and of its decodings, that are looked at as hosts. */
export const MOST_PARTS = 500;
/** URLs of apps whose hosts are remembered: to find them takes as long as the rest of a redirect, or longer. */
const REMEMBERED = 500;
/** Times that a URL within another may be percent-encoded. */
const LEVELS = 3;
/** Longest part of a URL that can be a host, in UTF-16 units. */
const LONGEST = 800;
/** Schemes whose URLs write to or call a person, and lead to no host. */
const PERSONAL = /^(?:mailto|tel|sms):/i;
/**
 * A part of a URL that can be a host: an IPv6 address in brackets, or what no delimiter divides. Before one without a dot,
 * `authority` is what says that it is a host.
 */
const PART =
  /(?<authority>(?:https?|wss?|ftp):[/\\]*|(?<![/\\])[/\\]{2,}|@)?(?<part>\[[\da-f:.]+\]|[^\s/\\?#&;=,:@|<>"'`(){}[\]^+*!$~]+)/gi;
const PLAIN_NAME = /^(?:[a-z\d_-]+\.)+[a-z][a-z\d-]*$/i;

/**
 * The hosts that a URL leads to, in lower-case ASCII: that of a web address, and all that the URL of an app carries, such as
 * `intent:#Intent;S.browser_fallback_url=https%3A%2F%2Fexample.com;end` or `googlechrome://navigate?url=…`. What can be a host
 * in the URL of an app is taken for one, because only the app knows what it reads there; parts beyond the first {@link MOST_PARTS}
 * are left out ({@link hasTooManyParts}). No host is found in `mailto:`, `tel:` and `sms:`. An IPv6 address that contains an IPv4 address is
 * followed by that one.
 */
export function hostsIn(url: string): string[] {
  if (isWeb(url)) return hostsOf(url);
  if (PERSONAL.test(url)) return [];
  const known = remembered.get(url);
  if (known !== undefined) return known;
  const found = [...partsOf(url).parts].flatMap((part) =>
    PLAIN_NAME.test(part) ? [part.toLowerCase()] : hostsOf(`http://${part}`),
  );
  const hosts = [...new Set(found)];
  remembered.set(url, hosts);
  return hosts;
}

const remembered = new LRUCache<string, string[]>({ max: REMEMBERED });

/** True for the URL of an app with more parts that can be hosts than {@link hostsIn} looks at. */
export const hasTooManyParts = (url: string): boolean =>
  !isWeb(url) && !PERSONAL.test(url) && partsOf(url).isCut;

/** The hosts of a URL ({@link hostsIn}) and the domains above each: `a.b.test`, `b.test` and `test`. */
export const hostsAndParents = (url: string): string[] => hostsIn(url).flatMap(withParents);

/** True when a URL leads to one of some hosts ({@link hostsIn}), or to a subdomain of one. */
export const leadsToOneOf = (url: string, hosts: ReadonlySet<string>): boolean =>
  hostsIn(url).some((host) => isWithin(host, hosts));

const isWeb = (url: string): boolean => /^https?:/i.test(url);

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

// Without lists: each redirect asks.
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

/** The parts of the URL of an app that can be hosts, and of its decodings. */
function partsOf(url: string): { parts: Set<string>; isCut: boolean } {
  const parts = new Set<string>();
  let count = 0;
  for (const text of decodings(url)) {
    for (const { groups } of text.matchAll(PART)) {
      const { authority, part = '' } = groups!;
      if (part.length > LONGEST || (authority === undefined && !mayBeHost(part))) continue;
      count += 1;
      if (count > MOST_PARTS) return { parts, isCut: true };
      parts.add(part);
    }
  }
  return { parts, isCut: false };
}

/** The URL, and its decodings: a URL within it is percent-encoded, once or several times. */
function decodings(url: string): Set<string> {
  const texts = new Set<string>();
  let text = url;
  for (let level = 0; level <= LEVELS; level += 1) {
    // Browsers take line breaks and tabs out of URLs; to other programs they end one.
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

/** True for an IPv6 address in brackets, and for a part with a dot inside it, or what URLs take for one (UTS 46). */
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
 * The IPv4 address within an IPv6 address: mapped and compatible ones (RFC 4291, 2.5.5), of NAT64 (RFC 6052 and 8215), and of
 * 6to4 (RFC 3056).
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

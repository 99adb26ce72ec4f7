import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { config } from '../config.ts';
import { FETCH_RULES, FetchRefused } from './fetch-refused.ts';
import { memoize } from './memoize.ts';
import { type LookupAddress, lookUp } from './names.ts';
import { parseUrl } from './url.ts';

/*
 * Addresses to which outbound requests are allowed. `guarded-fetch.ts` explains why they are
 * limited.
 */

/** Ports of http and https; `URL` omits default ports. Other ports belong to other services. */
const WEB_PORTS = new Set(['', '80', '443']);
/** Public address that only Azure's own machines can reach, with their metadata service. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** @throws FetchRefused for other schemes, credentials, and hosts that are forbidden addresses */
export function readUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined) throw new FetchRefused(FETCH_RULES.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchRefused(FETCH_RULES.scheme);
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefused(FETCH_RULES.credentials);
  }
  // IP addresses are not resolved. URL has already normalized forms such as 0x7f.1 to dotted
  // decimals.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const refusal = isIP(host) === 0 ? undefined : refusalFor([host], url.port);
  if (refusal !== undefined) throw refusal;
  return url;
}

/** Returns the refusal of a host with these addresses and port; `undefined` if it is allowed. */
function refusalFor(addresses: string[], port: string): FetchRefused | undefined {
  if (!addresses.every(isAllowed)) return new FetchRefused(FETCH_RULES.address);
  if (!WEB_PORTS.has(port) && !addresses.every(isListed)) {
    return new FetchRefused(FETCH_RULES.port);
  }
  return undefined;
}

/** Resolves a name for a connection, and refuses it if any of its addresses is forbidden. */
export const guardedLookup =
  (port: string): LookupFunction =>
  (hostname, options, callback) => {
    callbackify(findAllowed)(hostname, port, (error, address) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, address);
      else callback(null, address[0]!.address, address[0]!.family);
    });
  };

/** Resolves a name; an IP address is its own. @throws Error as `lookUp` does */
export async function addressesOf(host: string): Promise<LookupAddress[]> {
  const family = isIP(host);
  return family === 0 ? lookUp(host) : [{ address: host, family }];
}

/**
 * Resolves a name for a connection to a port.
 *
 * @throws FetchRefused if any of its addresses is forbidden
 */
export async function findAllowed(hostname: string, port: string): Promise<LookupAddress[]> {
  const resolved = await addressesOf(hostname);
  if (isNamed(hostname)) return resolved;
  const addresses = resolved.map(({ address }) => address);
  const refusal = refusalFor(addresses, port);
  if (refusal !== undefined) throw refusal;
  return resolved;
}

/**
 * Resolves a name for a connection that the operator must allow, whatever its port.
 *
 * @throws FetchRefused if OUTBOUND_ALLOW lists neither the name nor all of its addresses
 */
export async function findListed(hostname: string): Promise<LookupAddress[]> {
  const resolved = await addressesOf(hostname);
  if (isNamed(hostname)) return resolved;
  const addresses = resolved.map(({ address }) => address);
  if (!addresses.every(isAllowed)) throw new FetchRefused(FETCH_RULES.address);
  if (!addresses.every(isListed)) throw new FetchRefused(FETCH_RULES.listed);
  return resolved;
}

/**
 * Returns true for an address to which requests are allowed: a public one (not reserved by RFC 6890
 * and its registries), or one that the operator allows.
 */
export function isAllowed(address: string): boolean {
  if (isListed(address)) return true;
  const parsed = ipaddr.process(address);
  // IPv6 addresses that contain an IPv4 address can lead to it: NAT64 (RFC 6052), 6to4 (RFC 3056),
  // Teredo (RFC 4380) and similar. Each of these is a separate range, or outside of the ranges
  // assigned to the internet (RFC 4291, 2.4).
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_WIRE_SERVER) return false;
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/**
 * Returns true if OUTBOUND_ALLOW lists the host name, in which case its addresses are not checked.
 */
const isNamed = (hostname: string): boolean =>
  config().OUTBOUND_ALLOW.some((entry) => entry.toLowerCase() === hostname.toLowerCase());

/** Returns true if OUTBOUND_ALLOW lists the address or its range. */
function isListed(address: string): boolean {
  const ranges = listedRanges(config().OUTBOUND_ALLOW);
  if (ranges.length === 0) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(
    ([range, bits]) => range.kind() === parsed.kind() && parsed.match([range, bits]),
  );
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Parses the ranges of a setting. Every request needs them, and parsing takes longer than the rest
 * of the check.
 */
const listedRanges = memoize(
  (entries: readonly string[]) =>
    entries.flatMap((entry): Range[] => {
      if (ipaddr.isValidCIDR(entry)) return [ipaddr.parseCIDR(entry)];
      return ipaddr.isValid(entry) ? [[ipaddr.process(entry), entry.includes(':') ? 128 : 32]] : [];
    }),
  new WeakMap(),
);

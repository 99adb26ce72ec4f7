import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the client network of an IP address, for limits per client: a 64-bit IPv6 network belongs
 * to one subscriber. An IPv4 address is its own network, even if mapped into IPv6; so is any other
 * text.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/**
 * Normalizes an address or a network in CIDR notation: `203.0.113.9` becomes `203.0.113.9/32`,
 * `2001:DB8::1/32` becomes `2001:db8::/32` (RFC 5952), and an IPv4 network that is mapped into IPv6
 * becomes IPv4. Returns `undefined` for any other text.
 */
export function normalizeNetwork(text: string): string | undefined {
  const [, host = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(host);
  const length = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? length : Number(bits);
  if (version === 0 || prefix > length) return undefined;
  const address = ipaddr.parse(host);
  if ('octets' in address) return ipv4Network(address, prefix);
  if (address.isIPv4MappedAddress() && prefix >= 96) {
    return ipv4Network(address.toIPv4Address(), prefix - 96);
  }
  const cidr = `${address.toString()}/${prefix}`;
  return `${ipaddr.IPv6.networkAddressFromCIDR(cidr).toRFC5952String()}/${prefix}`;
}

function ipv4Network(address: ipaddr.IPv4, prefix: number): string {
  const cidr = `${address.toString()}/${prefix}`;
  return `${ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()}/${prefix}`;
}

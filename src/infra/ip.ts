import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CLOUDFLARE_RANGES } from './cloudflare-ranges.ts';

/** Names of proxy ranges. Those of private networks are Express' names in `trust proxy`. */
export const PROXY_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  cloudflare: CLOUDFLARE_RANGES,
};

/** A set of addresses and CIDR ranges. */
export class AddressSet {
  // Node's BlockList takes two microseconds per check, so it is only used for IPv6, which few
  // proxies have.
  readonly #v6 = new BlockList();
  readonly #v4: { base: number; mask: number }[] = [];

  constructor(members: readonly string[]) {
    for (const member of members) {
      const [address = '', bits] = member.split('/');
      if (isIP(address) === 6)
        this.#v6.addSubnet(address, bits === undefined ? 128 : Number(bits), 'ipv6');
      else {
        const length = bits === undefined ? 32 : Number(bits);
        // A shift by 32 bits does nothing in JavaScript.
        const mask = length === 0 ? 0 : -1 << (32 - length);
        this.#v4.push({ base: ipv4Number(address)! & mask, mask });
      }
    }
  }

  has(ip: string): boolean {
    const number = ipv4Number(ip);
    if (number === undefined) return isIP(ip) === 6 && this.#v6.check(ip, 'ipv6');
    for (const { base, mask } of this.#v4) {
      if ((number & mask) === base) return true;
    }
    return false;
  }
}

/** Parses a dotted IPv4 address to its 32 bits; `undefined` for anything else. */
export function ipv4Number(text: string): number | undefined {
  let number = 0;
  let octet = -1;
  let dots = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x2e) {
      if (octet < 0 || dots === 3) return undefined;
      number = (number << 8) | octet;
      octet = -1;
      dots += 1;
    } else {
      const digit = code - 0x30;
      if (digit < 0 || digit > 9) return undefined;
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return undefined;
    }
  }
  return dots === 3 && octet >= 0 ? (number << 8) | octet : undefined;
}

/** Beginning of an IPv4 address that is mapped into IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = /^[0:]+:ffff:/i;

/** Rewrites an IPv4 address that arrived over an IPv6 socket as plain IPv4. */
export function plainIp(ip: string): string {
  return MAPPED.test(ip) && isIP(ip) === 6 ? ipaddr.process(ip).toString() : ip;
}

/** An address with the port that some proxies add, which RFC 7239 (6.3) also lets them hide. */
const WITH_PORT = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(?:\d+|_[\w.-]+))?$/;

/** Reads the address that a proxy has sent; empty if it is invalid. */
export function hopAddress(hop: string): string {
  if (ipv4Number(hop) !== undefined) return hop;
  const [, bracketed, name] = WITH_PORT.exec(hop) ?? [];
  const address = plainIp(bracketed ?? name ?? hop);
  return isIP(address) === 0 ? '' : address;
}

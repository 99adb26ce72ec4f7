import { BlockList, isIP } from 'node:net';

/** Words for ranges of proxies, with the meaning that Express gives them in `trust proxy`. */
export const PROXY_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Decides which addresses of a chain of proxies are believed, as Express does in the API: `index` 0 is the peer of the
 * connection, 1 the last address of `X-Forwarded-For`.
 *
 * @param proxies of `TRUST_PROXY`: how many there are, or their addresses, ranges and words of `PROXY_RANGES`
 */
export function proxyTrust(
  proxies: number | readonly string[],
): (ip: string, index: number) => boolean {
  if (typeof proxies === 'number') return (_ip, index) => index < proxies;
  const set = new AddressSet(proxies.flatMap((member) => PROXY_RANGES[member] ?? [member]));
  return (ip) => set.has(ip);
}

/** Addresses and CIDR ranges. */
class AddressSet {
  // Node's own list costs two microseconds an answer: it serves IPv6, where few proxies live.
  readonly #v6 = new BlockList();
  readonly #v4: { base: number; mask: number }[] = [];

  constructor(members: readonly string[]) {
    for (const member of members) {
      const [address = '', bits] = member.split('/');
      if (isIP(address) === 6)
        this.#v6.addSubnet(address, bits === undefined ? 128 : Number(bits), 'ipv6');
      else {
        const length = bits === undefined ? 32 : Number(bits);
        // A shift by 32 bits is one by none.
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

/** The 32 bits of a dotted IPv4 address; `undefined` for anything else. */
export function ipv4Number(text: string): number | undefined {
  let number = 0;
  let part = -1;
  let dots = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x2e) {
      if (part < 0 || dots === 3) return undefined;
      number = (number << 8) | part;
      part = -1;
      dots += 1;
    } else {
      const digit = code - 0x30;
      if (digit < 0 || digit > 9) return undefined;
      part = part < 0 ? digit : part * 10 + digit;
      if (part > 255) return undefined;
    }
  }
  return dots === 3 && part >= 0 ? (number << 8) | part : undefined;
}

/** An IPv4 address that came over an IPv6 socket is written as IPv4. */
export function plainIp(ip: string): string {
  return ip.startsWith('::ffff:') ? ip.slice(7) : ip;
}

/** The address of one part of `X-Forwarded-For`, which some proxies write with a port; empty when it is none. */
export function hopAddress(hop: string): string {
  if (ipv4Number(hop) !== undefined) return hop;
  const bare = hop.startsWith('[') ? hop.slice(1, hop.indexOf(']')) : hop;
  const isWithPort = bare.indexOf(':') === bare.lastIndexOf(':');
  const address = plainIp(isWithPort ? bare.replace(/:\d+$/, '') : bare);
  return isIP(address) === 0 ? '' : address;
}

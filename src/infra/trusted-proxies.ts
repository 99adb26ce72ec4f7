import type { IncomingHttpHeaders } from 'node:http';
import { CLOUDFLARE_RANGES } from './cloudflare-ranges.ts';
import { commaBeforeElement, forwardedParameter } from './forwarded.ts';
import { AddressSet, hopAddress, PROXY_RANGES, plainIp } from './ip.ts';

/** Header in which proxies name the client. */
type ProxyHeader = 'x-forwarded-for' | 'forwarded';

/** The parts of a request that say where it comes from. */
interface ProxiedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Format of a header to which each proxy appends a part. */
interface HeaderFormat {
  /** Returns the index of the comma before the part that ends at `end`; -1 for the first part. */
  commaBefore: (header: string, end: number) => number;
  /** Returns the address in a part; empty if there is none. */
  addressOf: (part: string) => string;
  /** Header with the scheme of the request. */
  schemeHeader: string;
  schemeOf: (part: string) => string;
}

const FORMATS: Readonly<Record<ProxyHeader, HeaderFormat>> = {
  'x-forwarded-for': {
    commaBefore: (header, end) => header.lastIndexOf(',', end - 1),
    addressOf: hopAddress,
    schemeHeader: 'x-forwarded-proto',
    schemeOf: (part) => part,
  },
  forwarded: {
    commaBefore: commaBeforeElement,
    addressOf: (element) => hopAddress(forwardedParameter(element, 'for')),
    schemeHeader: 'forwarded',
    schemeOf: (element) => forwardedParameter(element, 'proto'),
  },
};

/**
 * The proxies that requests come through. The API and the redirect process both read the address of
 * clients here.
 *
 * Only one header is read, because a proxy passes on the other one as the client sent it.
 */
export class TrustedProxies {
  readonly #isProxy: (ip: string, index: number) => boolean;
  readonly #cloudflare: AddressSet | undefined;
  readonly #header: ProxyHeader;

  /**
   * @param proxies value of `TRUST_PROXY`: the number of proxies, or their addresses, ranges and
   * names of `PROXY_RANGES`
   * @param header value of `PROXY_HEADER`
   */
  constructor(proxies: number | readonly string[], header: ProxyHeader = 'x-forwarded-for') {
    this.#header = header;
    if (typeof proxies === 'number') {
      this.#isProxy = (_ip, index) => index < proxies;
      return;
    }
    const trusted = new AddressSet(proxies.flatMap((member) => PROXY_RANGES[member] ?? [member]));
    this.#isProxy = (ip) => trusted.has(ip);
    if (proxies.includes('cloudflare')) this.#cloudflare = new AddressSet(CLOUDFLARE_RANGES);
  }

  /**
   * Returns the address of the client: the last one that is no trusted proxy. Addresses before it
   * may be forged. Behind an invalid address, the client is the proxy that sent it. The client of
   * Cloudflare is `CF-Connecting-IP`, which Cloudflare sets on every request.
   */
  clientAddress({ headers, socket }: ProxiedRequest): string {
    const { commaBefore, addressOf } = FORMATS[this.#header];
    const parts = String(headers[this.#header] ?? '');
    let end = parts.length;
    let ip = plainIp(socket.remoteAddress ?? '');
    for (let index = 0; this.#isProxy(ip, index); index += 1) {
      if (this.#cloudflare?.has(ip) === true) {
        return hopAddress(String(headers['cf-connecting-ip'] ?? '')) || ip;
      }
      let part = '';
      while (part === '' && end > 0) {
        const comma = commaBefore(parts, end);
        part = parts.slice(comma + 1, end).trim();
        end = comma;
      }
      const address = addressOf(part);
      if (address === '') break;
      ip = address;
    }
    return ip;
  }

  /** True when a client connected over https, as reported by a trusted proxy. */
  isHttps({ headers, socket }: ProxiedRequest): boolean {
    if (!this.#isProxy(plainIp(socket.remoteAddress ?? ''), 0)) return false;
    const { commaBefore, schemeHeader, schemeOf } = FORMATS[this.#header];
    const parts = String(headers[schemeHeader] ?? '');
    const last = parts.slice(commaBefore(parts, parts.length) + 1).trim();
    return schemeOf(last).toLowerCase() === 'https';
  }
}

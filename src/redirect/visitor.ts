import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { AddressSet, hopAddress, ipv4Number, plainIp } from './ip.ts';

/** What a request says about who sent it. */
export interface Visitor {
  /** The name that was asked: lower-case, without port; empty when it cannot be a domain. */
  host: string;
  ip: string;
  userAgent: string;
  referer: string;
  /** A bot, a link preview or a prefetch: answered like a visit, but nobody has come. */
  isAutomatic: boolean;
}

/** Judgements that are remembered; people use a few hundred user agents. */
const REMEMBERED_AGENTS = 5_000;
/** What is kept of a header that everybody can make as long as they like. */
const LONGEST_AGENT = 1_024;
const LONGEST_REFERER = 2_048;
const LONGEST_HOST = 253;

/** Programs that fetch links on behalf of people and are unknown to isbot. */
const MORE_BOTS = /^(microsoft office\/|ms-office|dalvik\/|mobilesafari\/.*cfnetwork\/)/i;
const PREFETCH = /prefetch|preview|prerender/i;

/** Reads visitors from requests. */
export class VisitorReader {
  readonly #proxies: AddressSet;
  readonly #bots = new Map<string, boolean>();

  /** @param proxies addresses and CIDR ranges whose `X-Forwarded-For` is believed */
  constructor(proxies: readonly string[]) {
    this.#proxies = new AddressSet(proxies);
  }

  read(request: IncomingMessage): Visitor {
    // Node has made this object by now, in order to look for `Expect`.
    const headers = request.headers;
    const userAgent = textOf(headers['user-agent'], LONGEST_AGENT);
    const purpose =
      headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
    return {
      host: normaliseHost(headers.host ?? ''),
      ip: this.#ip(plainIp(request.socket.remoteAddress ?? ''), headers['x-forwarded-for']),
      userAgent,
      referer: textOf(headers.referer, LONGEST_REFERER),
      isAutomatic:
        (purpose !== undefined && PREFETCH.test(String(purpose))) || this.#isBot(userAgent),
    };
  }

  #isBot(userAgent: string): boolean {
    const known = this.#bots.get(userAgent);
    if (known !== undefined) return known;
    const isBot = userAgent === '' || isbot(userAgent) || MORE_BOTS.test(userAgent);
    // What was cut off would be kept in memory with its rest.
    if (userAgent.length >= LONGEST_AGENT) return isBot;
    if (this.#bots.size >= REMEMBERED_AGENTS) this.#bots.clear();
    this.#bots.set(userAgent, isBot);
    return isBot;
  }

  /** The nearest address that is not one of our proxies: what stands further left, anybody may have written. */
  #ip(peer: string, header: string | string[] | undefined): string {
    if (header === undefined || !this.#proxies.has(peer)) return peer;
    const forwarded = String(header);
    // One proxy that writes an IPv4 address, and nothing before it.
    if (ipv4Number(forwarded) !== undefined) return forwarded;
    let ip = peer;
    for (let end = forwarded.length; end > 0; ) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const hop = forwarded.slice(comma + 1, end).trim();
      end = comma;
      if (hop === '') continue;
      const address = hopAddress(hop);
      if (address === '') break;
      ip = address;
      if (!this.#proxies.has(ip)) break;
    }
    return ip;
  }
}

function textOf(header: string | undefined, longest: number): string {
  if (header === undefined) return '';
  return header.length > longest ? header.slice(0, longest) : header;
}

/** A `Host` header as domains are stored. */
export function normaliseHost(header: string): string {
  let end = header.length;
  if (header.charCodeAt(0) === 0x5b) {
    // [2001:db8::1]:3001
    const close = header.indexOf(']');
    return close < 0 ? '' : header.slice(1, close).toLowerCase();
  }
  const colon = header.indexOf(':');
  if (colon >= 0) end = colon;
  if (header.charCodeAt(end - 1) === 0x2e) end -= 1;
  if (end > LONGEST_HOST) return '';
  return end === header.length ? header.toLowerCase() : header.slice(0, end).toLowerCase();
}

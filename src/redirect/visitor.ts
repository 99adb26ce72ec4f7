import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { AddressSet, hopAddress, plainIp } from './ip.ts';

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
    let host = '';
    let userAgent = '';
    let referer = '';
    let forwarded = '';
    let isPrefetch = false;
    // `request.headers` would build an object of all headers first.
    const raw = request.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i]!;
      const value = raw[i + 1]!;
      // Most headers are not wanted; their length tells.
      switch (name.length) {
        case 4:
          if (host === '' && isNamed(name, 'host')) host = value;
          break;
        case 5:
          if (isNamed(name, 'x-moz')) isPrefetch ||= PREFETCH.test(value);
          break;
        case 7:
          if (isNamed(name, 'referer')) referer = value;
          else if (isNamed(name, 'purpose')) isPrefetch ||= PREFETCH.test(value);
          break;
        case 9:
          if (isNamed(name, 'x-purpose')) isPrefetch ||= PREFETCH.test(value);
          break;
        case 10:
          if (isNamed(name, 'user-agent')) userAgent = value;
          break;
        case 11:
          if (isNamed(name, 'sec-purpose')) isPrefetch ||= PREFETCH.test(value);
          break;
        case 15:
          if (isNamed(name, 'x-forwarded-for')) forwarded = join(forwarded, value);
          break;
      }
    }
    if (userAgent.length > LONGEST_AGENT) userAgent = userAgent.slice(0, LONGEST_AGENT);
    if (referer.length > LONGEST_REFERER) referer = referer.slice(0, LONGEST_REFERER);
    return {
      host: normaliseHost(host),
      ip: this.#ip(plainIp(request.socket.remoteAddress ?? ''), forwarded),
      userAgent,
      referer,
      isAutomatic: isPrefetch || this.#isBot(userAgent),
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
  #ip(peer: string, forwarded: string): string {
    if (forwarded === '' || !this.#proxies.has(peer)) return peer;
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

/** A header that came twice, as one. */
function join(first: string, second: string): string {
  return first === '' ? second : `${first},${second}`;
}

/** Compares a header's name; browsers and proxies write the usual ways, which cost no new text. */
function isNamed(name: string, lowerCase: string): boolean {
  return name === lowerCase || name.toLowerCase() === lowerCase;
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

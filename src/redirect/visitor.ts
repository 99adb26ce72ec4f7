import type { RequestHead } from '../infra/plain-requests.ts';
import type { TrustedProxies } from '../infra/trusted-proxies.ts';
import { hintedSystem, hintsOf } from '../visitors/client-hints.ts';
import { type Device, platformOf, readDevice } from '../visitors/device.ts';
import { NOWHERE, type Place } from '../visitors/places.ts';
import { asksForPrivacy } from '../visitors/privacy.ts';
import { refererOf } from '../visitors/referrer.ts';
import { type Traffic, trafficOf } from '../visitors/traffic.ts';
import { favouriteLanguage, type Language, languageOf } from '../web/language.ts';

/**
 * A visitor as described by a request. Most members are read from the headers only when a link
 * needs them.
 */
export class Visitor {
  /**
   * Requested host in lower case, without its port; empty if it cannot be a domain. Once the domain
   * is found, its name, which may lack a `www.` of the request.
   */
  host: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly traffic: Traffic;
  readonly #request: RequestHead;
  readonly #proxies: TrustedProxies;
  #knownDevice: Device | undefined;
  /** Location of the visitor; unknown until it is looked up. */
  place: Place = NOWHERE;
  /** The workspace excludes the visitor: answered like others, but not counted. */
  isExcluded = false;

  constructor(
    request: RequestHead,
    parts: Pick<Visitor, 'host' | 'ip' | 'userAgent' | 'traffic'> & { proxies: TrustedProxies },
  ) {
    this.host = parts.host;
    this.ip = parts.ip;
    this.userAgent = parts.userAgent;
    this.traffic = parts.traffic;
    this.#request = request;
    this.#proxies = parts.proxies;
  }

  get headers(): RequestHead['headers'] {
    return this.#request.headers;
  }

  /** The `Referer` header as it is stored. */
  get referer(): string {
    const { referer = '' } = this.#request.headers;
    return shortened(refererOf(referer), MAX_REFERER_LENGTH);
  }

  /** True when the request came over https, as reported by a trusted proxy. */
  get isSecure(): boolean {
    return this.#proxies.isHttps(this.#request);
  }

  /** True when the visitor fetches a page to preview it in a chat or a feed. */
  get isCrawler(): boolean {
    return this.traffic.class === 'preview';
  }

  /**
   * True when the visitor is Microsoft Office, which follows redirects before it opens a browser.
   * Browsers ask for https with every page that they open, whatever user agent they send.
   */
  get isOffice(): boolean {
    return (
      this.traffic.reason === 'office' &&
      this.#request.headers['upgrade-insecure-requests'] === undefined
    );
  }

  /** True if the visitor sends Global Privacy Control or Do Not Track. */
  get wantsPrivacy(): boolean {
    return asksForPrivacy(this.#request.headers);
  }

  get platform(): 'ios' | 'android' | undefined {
    return platformOf(this.userAgent, hintedSystem(this.#request.headers));
  }

  /** The client hints as visits carry them. */
  get hints(): string {
    return hintsOf(this.#request.headers);
  }

  get country(): string {
    return this.place.country;
  }

  get city(): string {
    return this.place.city;
  }

  get device(): string {
    return this.#device.device;
  }

  get os(): string {
    return this.#device.os;
  }

  get browser(): string {
    return this.#device.browser;
  }

  get #device(): Device {
    this.#knownDevice ??= readDevice(this.userAgent, this.hints);
    return this.#knownDevice;
  }

  /** The language tag that the visitor prefers. */
  get language(): string {
    return favouriteLanguage(this.#languages);
  }

  /** The supported language that the visitor prefers. */
  get pageLanguage(): Language {
    return languageOf(this.#languages);
  }

  get #languages(): string {
    return textOf(this.#request.headers['accept-language'], MAX_LANGUAGES_LENGTH);
  }
}

/** Maximum lengths of the stored parts of headers, which clients control. */
const MAX_AGENT_LENGTH = 1_024;
const MAX_REFERER_LENGTH = 2_048;
const MAX_HOST_LENGTH = 253;
const MAX_LANGUAGES_LENGTH = 256;

/** Traffic on a connection that was reset before it was accepted. */
const RESET: Traffic = { class: 'bot', reason: 'reset' };

/** Reads visitors from requests. */
export class VisitorReader {
  readonly #proxies: TrustedProxies;

  constructor(proxies: TrustedProxies) {
    this.#proxies = proxies;
  }

  read(request: RequestHead): Visitor {
    const headers = request.headers;
    const userAgent = textOf(headers['user-agent'], MAX_AGENT_LENGTH);
    return new Visitor(request, {
      host: normalizeHost(headers.host ?? ''),
      ip: this.#proxies.clientAddress(request),
      userAgent,
      traffic: (request.socket.remoteAddress ?? '') === '' ? RESET : trafficOf(headers, userAgent),
      proxies: this.#proxies,
    });
  }
}

function textOf(header: string | string[] | undefined, longest: number): string {
  if (header === undefined) return '';
  return shortened(typeof header === 'string' ? header : header.join(', '), longest);
}

const shortened = (text: string, longest: number): string =>
  text.length > longest ? text.slice(0, longest) : text;

/** Normalizes a `Host` header to the form of stored domains. */
export function normalizeHost(header: string): string {
  let end = header.length;
  if (header.charCodeAt(0) === 0x5b) {
    // [2001:db8::1]:3001
    const close = header.indexOf(']');
    return close < 0 ? '' : header.slice(1, close).toLowerCase();
  }
  const colon = header.indexOf(':');
  if (colon >= 0) end = colon;
  if (header.charCodeAt(end - 1) === 0x2e) end -= 1;
  if (end > MAX_HOST_LENGTH) return '';
  return end === header.length ? header.toLowerCase() : header.slice(0, end).toLowerCase();
}

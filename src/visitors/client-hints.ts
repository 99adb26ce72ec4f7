import type { IncomingHttpHeaders } from 'node:http';

/*
 * User agent client hints (https://wicg.github.io/ua-client-hints/). Chromium sends three of them
 * with every request over https. They are right where the user agent is not: it calls Brave and
 * Vivaldi Chrome, and Android in desktop mode Linux.
 */

/** Facts in client hints; those that are absent or unknown are left out. */
export interface ClientHints {
  /** Name of the operating system, as in `SYSTEMS` of `device.ts`. */
  os?: string | undefined;
  isMobile?: boolean | undefined;
  /** Name of the browser, as in `BROWSERS` of `device.ts`. */
  browser?: string | undefined;
}

/** Platforms of the specification (section 3.5) as systems. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['"Android"', 'Android'],
  ['"Chrome OS"', 'Chromium OS'],
  ['"Chromium OS"', 'Chromium OS'],
  ['"Fuchsia"', 'Fuchsia'],
  ['"iOS"', 'iOS'],
  ['"Linux"', 'Linux'],
  ['"macOS"', 'Mac OS'],
  ['"Windows"', 'Windows'],
]);

/**
 * Browsers by brand, the first before the others: a browser can name its engine or the browser
 * that it contains too. `Chromium` and `Android WebView` are not browsers.
 */
const BROWSERS: readonly (readonly [brand: string, browser: string])[] = [
  ['Brave', 'Brave'],
  ['Vivaldi', 'Vivaldi'],
  ['DuckDuckGo', 'DuckDuckGo'],
  ['Opera GX', 'Opera GX'],
  ['Opera', 'Opera'],
  ['Samsung Internet', 'Samsung Internet'],
  ['YaBrowser', 'Yandex'],
  ['Yandex', 'Yandex'],
  ['Whale', 'Whale'],
  ['Avast Secure Browser', 'Avast Secure Browser'],
  ['AVG Secure Browser', 'AVG Secure Browser'],
  ['HeadlessChrome', 'Chrome Headless'],
  ['Microsoft Edge', 'Edge'],
  ['Google Chrome', 'Chrome'],
];

/** Maximum length of each hint, in UTF-16 units; usual ones have below 100. */
const MAX_LENGTH = 256;

const textOf = (header: string | string[] | undefined): string =>
  header === undefined ? '' : String(header).slice(0, MAX_LENGTH);

/** Reads the operating system of a request's hints. */
export const hintedSystem = (headers: IncomingHttpHeaders): string | undefined => {
  const platform = headers['sec-ch-ua-platform'];
  return platform === undefined ? undefined : SYSTEMS.get(String(platform));
};

/**
 * Joins the hints of a request to one text, which {@link parseHints} reads; empty if there are
 * none. Visits carry the text, so that only what needs the hints parses them.
 */
export function hintsOf(headers: IncomingHttpHeaders): string {
  const platform = headers['sec-ch-ua-platform'];
  const brands = headers['sec-ch-ua'];
  if (platform === undefined && brands === undefined) return '';
  return `${textOf(platform)}\n${textOf(headers['sec-ch-ua-mobile'])}\n${textOf(brands)}`;
}

/** Parses a text of {@link hintsOf}. */
export function parseHints(text: string): ClientHints {
  const [platform = '', mobile, list = ''] = text.split('\n');
  const brands = new Set(Array.from(list.matchAll(BRAND), ([, brand]) => brand));
  return {
    os: SYSTEMS.get(platform),
    isMobile: mobile === '?1' ? true : mobile === '?0' ? false : undefined,
    browser: BROWSERS.find(([brand]) => brands.has(brand))?.[1],
  };
}

/** A brand with its version, in a list of structured fields (RFC 9651, 3.1). */
const BRAND = /"([^"\\]{1,50})"; ?v=/g;

import { config } from '../config.ts';
import { normalize } from '../infra/normalize.ts';

/** Selectors after a character that has only one presentation. */
const STRAY_SELECTORS = /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/gu;

/**
 * Scheme, host and port of a domain: https, except for the default short domain, which has the
 * configured origin.
 */
export function originOf(domain: string): string {
  const { DEFAULT_SHORT_DOMAIN, DEFAULT_SHORT_ORIGIN } = config();
  return domain === DEFAULT_SHORT_DOMAIN ? DEFAULT_SHORT_ORIGIN : `https://${domain}`;
}

/** Normalizes a key that a person or program wrote: NFC, without selectors that select nothing. */
export const normalizeKey = (text: string): string =>
  normalize(normalize(text, 'NFC').replaceAll(STRAY_SELECTORS, ''), 'NFC');

/**
 * Percent-encodes a key for a path; the `#` of a keycap would begin a fragment, and the `?` of a
 * GS1 batch a query.
 */
export const encodedKey = (key: string): string =>
  encodeURI(key).replaceAll(/[#?]/g, encodeURIComponent);

/** The complete short URL, percent-encoded to ASCII. */
export const shortLinkOf = (domain: string, key: string): string =>
  `${originOf(domain)}/${encodedKey(key)}`;

/** URL in the QR code of a short link, whose visits count as scans. */
export const scanLinkOf = (shortLink: string): string => `${shortLink}?qr=1`;

/** URL of a QR code image of a short link. */
export const qrCodeOf = (shortLink: string): string =>
  `${config().BASE_URL}/qr?url=${encodeURIComponent(scanLinkOf(shortLink))}`;

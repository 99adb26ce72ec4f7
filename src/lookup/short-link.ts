import { config } from '../config.ts';

/** Scheme, host and port of a domain: https, but for the default short domain as the operator configured. */
export function originOf(domain: string): string {
  const { DEFAULT_SHORT_DOMAIN, DEFAULT_SHORT_ORIGIN } = config();
  return domain === DEFAULT_SHORT_DOMAIN ? DEFAULT_SHORT_ORIGIN : `https://${domain}`;
}

/** The complete short URL, with all characters beyond ASCII encoded. */
export const shortLinkOf = (domain: string, key: string): string =>
  `${originOf(domain)}/${encodeURI(key)}`;

/** URL of an image of the QR code of a short link, through which visits count as scans. */
export const qrCodeOf = (shortLink: string): string =>
  `${config().BASE_URL}/qr?url=${encodeURIComponent(`${shortLink}?qr=1`)}`;

import { config } from '../config.ts';

/** Scheme, host and port of a domain: https, but for the default short domain as the operator configured. */
export function originOf(domain: string): string {
  const { DEFAULT_SHORT_DOMAIN, DEFAULT_SHORT_ORIGIN } = config();
  return domain === DEFAULT_SHORT_DOMAIN ? DEFAULT_SHORT_ORIGIN : `https://${domain}`;
}

/** The complete short URL, with all characters beyond ASCII encoded. */
export const shortLinkOf = (domain: string, key: string): string =>
  `${originOf(domain)}/${encodeURI(key)}`;

import { Joi } from '../http/fields.ts';
import { parseUrl } from '../infra/url.ts';

/** Maximum number of origins of a publishable key. */
export const MAX_ORIGINS = 20;
/** Maximum length of an origin: that of a host name, a scheme and a port, before normalization. */
const MAX_LENGTH = 300;

/** Scheme, host and port, and at most the slash of the root. */
const FORM = /^https?:\/\/[^/\\?#@\s]+\/?$/i;
const HOST = /^(?:[a-z\d_-]+\.)*[a-z\d_-]+$|^\[[\da-f:.]+\]$/;
const THIS_COMPUTER = /^(?:(?:[a-z\d_-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Rule for an origin, which completes "<field> …". */
export const ORIGIN_RULE =
  'must be the origin of a page, such as https://shop.example: without path, and with http only ' +
  'on this computer (localhost, 127.0.0.1 or [::1])';

/**
 * Converts an origin to the form in which browsers send it (RFC 6454, 6.2): lower case, ASCII, no
 * default port; `undefined` for another text, and for hosts with wildcards.
 */
export function toOrigin(value: string): string | undefined {
  const url = FORM.test(value) ? parseUrl(value) : undefined;
  if (url === undefined || !HOST.test(url.hostname)) return undefined;
  const isAllowed = url.protocol === 'https:' || THIS_COMPUTER.test(url.hostname);
  return isAllowed ? url.origin : undefined;
}

/** Schema of the origins whose pages may use a publishable key. */
export const originList = () =>
  Joi.array()
    .items(
      Joi.string()
        .max(MAX_LENGTH)
        .custom(
          (value: string, { error }) => toOrigin(value) ?? error('rule', { rule: ORIGIN_RULE }),
        ) as never,
    )
    .min(1)
    .max(MAX_ORIGINS)
    .custom((origins: string[]) => [...new Set(origins)]);

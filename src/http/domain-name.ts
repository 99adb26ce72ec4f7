import { parseUrl } from '../infra/url.ts';
import { Joi } from './fields.ts';

/** One label of a host name: letters, digits and, inside, hyphens (RFC 1123, 2.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Converts a host name to lower case and ASCII, as domains are stored; `undefined` if the text is
 * not a host name.
 */
export function toHostName(value: string): string | undefined {
  const url = /^[^\s/?#@:[\]\\%]+$/.test(value) ? parseUrl(`http://${value}`) : undefined;
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/\.$/, '');
  const isAddress = /^[\d.]+$/.test(host);
  const isName = host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
  return isAddress || !isName ? undefined : host;
}

/** Schema of a domain name; the validated value is lower-case and ASCII. */
export const domainField = () =>
  Joi.string()
    .max(253)
    .custom(
      (value: string, { error }) =>
        toHostName(value) ?? error('rule', { rule: 'must be a host name such as go.example.com' }),
    );

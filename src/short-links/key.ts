import { customAlphabet } from 'nanoid';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { normalizeKey } from '../lookup/short-link.ts';

const MAX_LENGTH = 190;
/**
 * Unicode letters with their marks, digits, what a path can hold unencoded (RFC 3986, 3.3), and
 * emoji with their joiners; U+200C between letters, as Persian spells words; `#` in its keycap, and
 * tags in the flags of regions (UTS 51).
 */
const ALLOWED = new RegExp(
  [
    String.raw`^(?:[\p{L}\p{M}\p{N}\-._~!$&'()*+,;=:@/\p{Extended_Pictographic}]`,
    String.raw`[\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]`,
    String.raw`(?<=[\p{L}\p{M}])\u200c(?=[\p{L}\p{M}])`,
    String.raw`#\ufe0f?\u20e3`,
    String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f})+$`,
  ].join('|'),
  'u',
);
const RANDOM_LENGTH = 7;

/** Suffix of the key of a link that answers every path below it. */
const WILDCARD = '/*';

/** True for the key of a link that answers every path below it. */
export const isWildcard = (key: string): boolean => key.endsWith(WILDCARD);

/**
 * Refuses a wildcard on a shared domain, whose paths belong to no single workspace.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseSharedWildcard(key: string, domain: string): void {
  if (!isWildcard(key) || domain !== config().DEFAULT_SHORT_DOMAIN) return;
  throw new Refusal(
    'unprocessable_entity',
    `key must not end in /* on ${domain}, which all workspaces share: use your own domain`,
  );
}

/** Draws a random key of 7 letters and digits, which are 41 bits. */
export const randomKey = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  RANDOM_LENGTH,
);

/** Draws a random key, under a prefix if one is set. */
export function drawKey(prefix: string | undefined): string {
  return prefix === undefined ? randomKey() : `${prefix}/${randomKey()}`;
}

/** The rule that a text breaks as a key, if any, as the end of the sentence "key …". */
export function keyFault(key: string): string | undefined {
  // A character has one or two UTF-16 units.
  if (key.length > 2 * MAX_LENGTH || Array.from(key).length > MAX_LENGTH)
    return `must not be longer than ${MAX_LENGTH} characters`;
  const stem = isWildcard(key) ? key.slice(0, -WILDCARD.length) : key;
  if (isWildcard(stem)) return 'must have * only at its end, after a /';
  if (!ALLOWED.test(stem)) {
    return "must contain only letters, digits, -, _, ., / and emoji, or one of ~!$&'()*+,;=:@";
  }
  if (key.endsWith('+')) return 'must not end with +, which shows where a link leads';
  if (key.startsWith('/') || key.endsWith('/')) return 'must not start or end with /';
  // Browsers and proxies remove such segments from a path, so the link would be unreachable.
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'must not contain empty, "." or ".." segments';
  }
  if (isReservedKey(key)) return `must not be "${key}": the name is reserved`;
  return undefined;
}

/** True for names that the server itself uses on every domain. */
export function isReservedKey(key: string): boolean {
  const first = key.split('/')[0];
  return first === '_' || first === '.well-known' || key === 'robots.txt' || key === 'favicon.ico';
}

/** A key as a field, normalized. */
export const keyField = () =>
  Joi.string().custom((value: string, { error }) => {
    const key = normalizeKey(value);
    const rule = keyFault(key);
    return rule === undefined ? key : error('rule', { rule });
  });

/** Prefix of random keys as a field; one slash at either end is ignored. */
export const prefixField = () =>
  Joi.string().custom((value: string, { error }) => {
    const prefix = normalizeKey(value).replace(/^\//, '').replace(/\/$/, '');
    const rule = keyFault(`${prefix}/${'x'.repeat(RANDOM_LENGTH)}`);
    return rule === undefined ? prefix : error('rule', { rule });
  });

import { customAlphabet } from 'nanoid';
import { Joi } from '../infra/fields.ts';

const MAX_LENGTH = 190;
/** Letters, digits, `-`, `_`, `.`, `/`, any other Unicode letter (with its marks), and emoji with what joins them. */
const ALLOWED =
  /^(?:[\p{L}\p{M}\p{N}\-_./]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3)+$/u;
const RANDOM_LENGTH = 7;

/** A random key: 7 characters of letters and digits, 41 bits. */
export const randomKey = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  RANDOM_LENGTH,
);

/** A random key under a prefix, if there is one. */
export function drawKey(prefix: string | undefined): string {
  return prefix === undefined ? randomKey() : `${prefix}/${randomKey()}`;
}

/** Why a text can't be a key; `undefined` when it can. Completes the sentence "key …". */
export function keyFault(key: string): string | undefined {
  if (Array.from(key).length > MAX_LENGTH)
    return `must not be longer than ${MAX_LENGTH} characters`;
  if (!ALLOWED.test(key)) return 'may contain letters, digits, -, _, ., / and emoji only';
  if (key.startsWith('/') || key.endsWith('/')) return 'must not start or end with /';
  // Browsers and proxies take such segments out of a path: the link could not be reached.
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'must not contain empty, "." or ".." segments';
  }
  if (isReservedKey(key)) return `must not be "${key}": the name is reserved`;
  return undefined;
}

/** Names that belong to the server itself on every domain. */
export function isReservedKey(key: string): boolean {
  const first = key.split('/')[0];
  return first === '_' || first === '.well-known' || key === 'robots.txt' || key === 'favicon.ico';
}

/** A key as a field, normalised (NFC). */
export const keyField = () =>
  Joi.string().custom((value: string, { error }) => {
    const key = value.normalize('NFC');
    const rule = keyFault(key);
    return rule === undefined ? key : error('rule', { rule });
  });

/** What random keys start with; one slash at either end does not count. */
export const prefixField = () =>
  Joi.string().custom((value: string, { error }) => {
    const prefix = value.normalize('NFC').replace(/^\//, '').replace(/\/$/, '');
    const rule = keyFault(`${prefix}/${'x'.repeat(RANDOM_LENGTH)}`);
    return rule === undefined ? prefix : error('rule', { rule });
  });

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, type LastingUse, lastingKeyFor, secretKeys } from './keys.ts';

/** A keyed fingerprint by which contents can be compared (HMAC-SHA256, hexadecimal). It stays when SECRET_KEY is replaced. */
export const fingerprint = (contents: string): string =>
  hmac(lastingKeyFor('fingerprint'), contents).toString('hex');

/**
 * The keyed fingerprints by which a stored password can be found (HMAC-SHA256, hexadecimal): that of the present
 * SECRET_KEY, under which new ones are stored, then that of SECRET_KEY_OTHER.
 */
export const passwordFingerprints = (password: string): string[] =>
  secretKeys().map((key) => hmac(deriveKey(key, 'fingerprint'), password).toString('hex'));

/** Hash under which an API key is stored: keys are 190 random bits, so a fast hash is enough. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** A token of 256 random bits, in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Hash under which a token is stored: nothing that a guess could find, so a fast hash is enough. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');

/** Uses of signatures that are valid for hours, and end with the SECRET_KEY that made them. */
type ShortUse = 'export' | 'unlock' | 'pass';

/** A signature of a text for one use: 128 bits of HMAC-SHA256, in base64url. */
export const sign = (use: ShortUse, text: string): string =>
  signatureBy(deriveKey(secretKeys()[0]!, use), text);

/** True if {@link sign} returned this signature of a text for this use. Compares in constant time. */
export const isSigned = (use: ShortUse, text: string, signature: string): boolean =>
  secretKeys().some((key) => isEqual(signature, signatureBy(deriveKey(key, use), text)));

/** A signature as {@link sign} makes, which stays valid when SECRET_KEY is replaced. */
export const signLasting = (use: LastingUse, text: string): string =>
  signatureBy(lastingKeyFor(use), text);

/** True if two texts are the same. Compares in constant time. */
export function isEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const signatureBy = (key: Buffer, text: string): string =>
  hmac(key, text).toString('base64url', 0, 16);

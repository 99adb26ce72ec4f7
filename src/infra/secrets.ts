import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, type LastingUse, lastingKeyFor, secretKeys } from './keys.ts';

/**
 * Computes a keyed fingerprint for comparing contents (HMAC-SHA256, hexadecimal). It does not
 * change when SECRET_KEY is replaced.
 */
export const fingerprint = (contents: string): string =>
  hmac(lastingKeyFor('fingerprint'), contents).toString('hex');

/**
 * Computes the keyed fingerprints for finding a stored password (HMAC-SHA256, hexadecimal): first
 * for the current SECRET_KEY, with which new ones are stored, then for SECRET_KEY_OTHER.
 */
export const passwordFingerprints = (password: string): string[] =>
  secretKeys().map((key) => hmac(deriveKey(key, 'fingerprint'), password).toString('hex'));

/** Hashes an API key for storage. Keys are 190 random bits, so a fast hash is sufficient. */
export function hashApiKey(apiKey: string): string {
  // Processes of releases before publishable keys must not find one, which they would take for a
  // secret key.
  const text = apiKey.startsWith('pk_') ? `publishable ${apiKey}` : apiKey;
  return createHash('sha256').update(text).digest('hex');
}

/** Creates a token of 256 random bits, in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Hashes a token for storage. Tokens cannot be guessed, so a fast hash is sufficient. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');

/** Uses of signatures that become invalid when SECRET_KEY is replaced. */
type ShortUse = 'cursor' | 'export' | 'unlock' | 'pass' | 'own-visits' | 'uncounted';

/** Signs a text for one use: 128 bits of HMAC-SHA256, in base64url. */
export const sign = (use: ShortUse, text: string): string =>
  signatureBy(deriveKey(secretKeys()[0]!, use), text);

/**
 * Returns true if {@link sign} made this signature for this text and use. Compares in constant
 * time.
 */
export const isSigned = (use: ShortUse, text: string, signature: string): boolean =>
  secretKeys().some((key) => isEqual(signature, signatureBy(deriveKey(key, use), text)));

/** Signs a text like {@link sign}; the signature stays valid when SECRET_KEY is replaced. */
export const signLasting = (use: LastingUse, text: string): string =>
  signatureBy(lastingKeyFor(use), text);

/** Returns true if two texts are equal. Compares in constant time. */
export function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const signatureBy = (key: Buffer, text: string): string =>
  hmac(key, text).toString('base64url', 0, 16);

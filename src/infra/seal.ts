import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, secretKeys } from './keys.ts';

/*
 * Sealed texts are encrypted and authenticated (AES-256-GCM, random 96-bit nonce):
 *
 *   sealed:v2:<key id>:<nonce, tag and ciphertext in base64url>
 *
 * Each purpose has its own key, and the owner is authenticated with the text (associated data): a
 * sealed password cannot be opened as a mail or for another workspace. The key id identifies the
 * SECRET_KEY with which the text was sealed.
 *
 * Texts of version 1 share one key. They can be read until `secrets rewrite` has replaced them.
 *
 * A text that looks sealed may come from a caller. Only the place where it is stored decides
 * whether it is sealed.
 */

/** Purposes of sealed texts. */
export type Purpose =
  | 'password'
  | 'webhook secret'
  | 'webhook credentials'
  | 'integration secret'
  | 'destination secret'
  | 'api key'
  | 'invitation'
  | 'job input'
  | 'mail'
  | 'upload'
  | 'import'
  | 'export passphrase'
  | 'sign-in'
  | 'first step'
  | 'second factor'
  | 'second factor setup'
  | 'passkey sign-in'
  | 'passkey setup'
  | 'report'
  | 'lasting keys';

/** A purpose, and the id of the workspace that owns the text; empty if there is none. */
export interface SealContext {
  purpose: Purpose;
  owner: string;
}

const MARK = 'sealed:v2:';
const MARK_1 = 'sealed:v1:';
/** Purposes whose texts callers keep, or that are newer than version 1. */
const NOT_IN_VERSION_1: ReadonlySet<Purpose> = new Set([
  'webhook credentials',
  'integration secret',
  'destination secret',
  'sign-in',
  'first step',
  'second factor',
  'second factor setup',
  'passkey sign-in',
  'passkey setup',
  'report',
  'lasting keys',
]);

/** Returns the beginning of all texts that are sealed with this key material. */
export const sealPrefix = (secretKey: string): string =>
  `${MARK}${deriveKey(secretKey, 'key id').toString('base64url', 0, 6)}:`;

/** Encrypts a text, so that only {@link unseal} with the same purpose and owner returns it. */
export function seal({ purpose, owner }: SealContext, plain: string): string {
  const [secretKey] = secretKeys() as [string];
  return sealPrefix(secretKey) + encrypt(keyOf(secretKey, purpose), plain, owner);
}

/**
 * Decrypts a text that `seal` made with the same purpose and owner.
 *
 * @throws Error when the text was sealed for another purpose or owner, with an unknown key, or was
 * changed
 */
export function unseal({ purpose, owner }: SealContext, sealed: string): string {
  for (const secretKey of secretKeys()) {
    const prefix = sealPrefix(secretKey);
    if (sealed.startsWith(prefix)) {
      return decrypt(keyOf(secretKey, purpose), sealed.slice(prefix.length), owner);
    }
  }
  if (!sealed.startsWith(MARK_1) || NOT_IN_VERSION_1.has(purpose)) {
    throw new Error('not a sealed text, or sealed with another SECRET_KEY');
  }
  return unsealVersion1(sealed);
}

function unsealVersion1(sealed: string): string {
  for (const secretKey of secretKeys()) {
    const plain = openVersion1(secretKey, sealed);
    if (plain !== undefined) return plain;
  }
  throw new Error('not sealed with this SECRET_KEY');
}

/** Decrypts a text of version 1; `undefined` if it was sealed with other key material. */
function openVersion1(secretKey: string, sealed: string): string | undefined {
  try {
    return decrypt(deriveKey(secretKey, 'seal'), sealed.slice(MARK_1.length));
  } catch {
    return undefined;
  }
}

/** Returns true if a text of any version was sealed with this key material. */
export const isSealedWith = (secretKey: string, sealed: string): boolean =>
  sealed.startsWith(sealPrefix(secretKey)) ||
  (sealed.startsWith(MARK_1) && openVersion1(secretKey, sealed) !== undefined);

const keyOf = (secretKey: string, purpose: Purpose): Buffer =>
  deriveKey(secretKey, `seal ${purpose}`);

/**
 * Encrypts a text with AES-256-GCM.
 *
 * @param owner authenticated, but not part of the result
 * @returns nonce, tag and ciphertext in base64url
 */
export function encrypt(key: Buffer, plain: string, owner = ''): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Decrypts the result of {@link encrypt}. @throws Error for another key or owner, or a change */
export function decrypt(key: Buffer, encrypted: string, owner = ''): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

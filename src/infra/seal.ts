import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, secretKeys } from './keys.ts';

/*
 * Sealed texts are encrypted and authenticated (AES-256-GCM, random 96-bit nonce):
 *
 *   sealed:v2:<key id>:<nonce, tag and ciphertext in base64url>
 *
 * Each purpose has a key of its own, and the owner is authenticated with the text (associated data): a sealed password can
 * be opened neither as a mail, nor for another workspace. The key id tells which SECRET_KEY the text was sealed with.
 *
 * Texts of version 1 have one key for everything. They are read until `secrets rewrite` has replaced them.
 *
 * That a text begins like a sealed one says nothing: callers may send such texts. What is sealed is known by its place.
 */

/** The purposes of sealed texts. */
export type Purpose =
  | 'password'
  | 'webhook secret'
  | 'api key'
  | 'invitation'
  | 'job input'
  | 'mail'
  | 'upload'
  | 'import'
  | 'export passphrase'
  | 'sign-in'
  | 'lasting keys';

/** A purpose, and the id of the workspace that owns the text; empty where none does. */
export interface SealContext {
  purpose: Purpose;
  owner: string;
}

const MARK = 'sealed:v2:';
const MARK_1 = 'sealed:v1:';
/** Purposes whose texts are kept by callers, or are newer than version 1. */
const NOT_IN_VERSION_1: ReadonlySet<Purpose> = new Set(['sign-in', 'lasting keys']);

/** Beginning of all texts that are sealed with this key material. */
export const sealPrefix = (secretKey: string): string =>
  `${MARK}${deriveKey(secretKey, 'key id').toString('base64url', 0, 6)}:`;

/** Encrypts a text, so that only {@link unseal} with the same purpose and owner returns it. */
export function seal({ purpose, owner }: SealContext, plain: string): string {
  const [secretKey] = secretKeys() as [string];
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secretKey, purpose), nonce);
  cipher.setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const parts = Buffer.concat([nonce, cipher.getAuthTag(), body]);
  return sealPrefix(secretKey) + parts.toString('base64url');
}

/**
 * Decrypts what `seal` made with the same purpose and owner.
 *
 * @throws Error when the text was sealed otherwise, with a key that this process does not have, or was changed
 */
export function unseal({ purpose, owner }: SealContext, sealed: string): string {
  for (const secretKey of secretKeys()) {
    const prefix = sealPrefix(secretKey);
    if (sealed.startsWith(prefix)) {
      return open(keyOf(secretKey, purpose), owner, sealed.slice(prefix.length));
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

/** The plain text of a text of version 1; `undefined` when it was sealed with other key material. */
function openVersion1(secretKey: string, sealed: string): string | undefined {
  try {
    return open(deriveKey(secretKey, 'seal'), undefined, sealed.slice(MARK_1.length));
  } catch {
    return undefined;
  }
}

/** True when a text of any version was sealed with this key material. */
export const isSealedWith = (secretKey: string, sealed: string): boolean =>
  sealed.startsWith(sealPrefix(secretKey)) ||
  (sealed.startsWith(MARK_1) && openVersion1(secretKey, sealed) !== undefined);

const keyOf = (secretKey: string, purpose: Purpose): Buffer =>
  deriveKey(secretKey, `seal ${purpose}`);

function open(key: Buffer, owner: string | undefined, parts: string): string {
  const bytes = Buffer.from(parts, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  if (owner !== undefined) decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

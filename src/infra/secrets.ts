import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { config } from '../config.ts';

const MARK = 'sealed:v1:';

const derived = new Map<string, Buffer>();

/** A key of 32 bytes for one purpose, so that no two uses share key material (HKDF, RFC 5869). */
export function keyFor(purpose: string): Buffer {
  let key = derived.get(purpose);
  if (key === undefined) {
    key = deriveKey(config().SECRET_KEY, purpose);
    derived.set(purpose, key);
  }
  return key;
}

function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));
}

/** Encrypts a text (AES-256-GCM, random 96-bit nonce). The answer is printable and starts with `sealed:v1:`. */
export function seal(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor('seal'), nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** True for a value that `seal` returned. */
export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

/**
 * Decrypts what `seal` made.
 *
 * @throws Error when the text was not sealed with this installation's key, or was changed
 */
export function unseal(sealed: string): string {
  return unsealWith(keyFor('seal'), sealed);
}

function unsealWith(key: Buffer, sealed: string): string {
  if (!isSealed(sealed)) throw new Error('not a sealed text');
  const bytes = Buffer.from(sealed.slice(MARK.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** True when a text was sealed with this key material. */
export function canUnseal(secretKey: string, sealed: string): boolean {
  try {
    unsealWith(deriveKey(secretKey, 'seal'), sealed);
    return true;
  } catch {
    return false;
  }
}

/** A text by which key material can be recognised, and nothing else be learnt of it. */
export function keyCheck(secretKey: string): string {
  return deriveKey(secretKey, 'check').toString('hex');
}

/** A keyed fingerprint by which a sealed text can be found again (HMAC-SHA256, hexadecimal). */
export function fingerprint(plain: string): string {
  return createHmac('sha256', keyFor('fingerprint')).update(plain).digest('hex');
}

/** Hash under which an API key is stored: keys are 190 random bits, so a fast hash is enough. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** A token of 256 random bits, in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Hash under which a token is stored: nothing that a guess could find, so a fast hash is enough. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');

/** A signature of a text for one purpose: 128 bits of HMAC-SHA256, in base64url. */
export function sign(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(purpose)).update(text).digest().toString('base64url', 0, 16);
}

/** True if {@link sign} returns this signature of a text for this purpose. Compares in constant time. */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const [right, given] = [Buffer.from(sign(purpose, text)), Buffer.from(signature)];
  return right.length === given.length && timingSafeEqual(right, given);
}

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
    key = Buffer.from(hkdfSync('sha256', config().SECRET_KEY, '', purpose, 32));
    derived.set(purpose, key);
  }
  return key;
}

/** Encrypts a short text (AES-256-GCM, random 96-bit nonce). The answer is printable and starts with `sealed:v1:`. */
export function seal(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor('seal'), nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Whether a value is what `seal` makes. */
export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

/**
 * Decrypts what `seal` made.
 *
 * @throws Error when the text was not sealed with this installation's key, or was changed
 */
export function unseal(sealed: string): string {
  if (!isSealed(sealed)) throw new Error('not a sealed text');
  const bytes = Buffer.from(sealed.slice(MARK.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyFor('seal'), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** A keyed fingerprint by which a sealed text can be found again (HMAC-SHA256, hexadecimal). */
export function fingerprint(plain: string): string {
  return createHmac('sha256', keyFor('fingerprint')).update(plain).digest('hex');
}

/** Hash under which an API key is stored: keys are 190 random bits, so a fast hash is enough. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** A signature of a text for one purpose: 128 bits of HMAC-SHA256, in base64url. */
export function sign(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(purpose)).update(text).digest().toString('base64url', 0, 16);
}

/** Whether {@link sign} gave a text this signature for this purpose. Takes as long for a wrong one as for the right one. */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const [right, given] = [Buffer.from(sign(purpose, text)), Buffer.from(signature)];
  return right.length === given.length && timingSafeEqual(right, given);
}

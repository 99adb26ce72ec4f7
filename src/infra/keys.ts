import { hkdfSync } from 'node:crypto';
import { config } from '../config.ts';

/*
 * Keys derived from SECRET_KEY (HKDF-SHA256, RFC 5869), one for each use, so that no two uses share
 * key material:
 *
 *   rotating keys   are derived from the current SECRET_KEY; what SECRET_KEY_OTHER has made can
 *                   still be read
 *   lasting keys    are derived from the SECRET_KEY with which the database was created, and do not
 *                   change when it is replaced: a returning visitor keeps the same click id, and a
 *                   repeated request the same job
 */

/**
 * Returns the key material of this process: first the one for writing, then the one for reading
 * only.
 */
export function secretKeys(): readonly string[] {
  const { SECRET_KEY, SECRET_KEY_OTHER } = config();
  return SECRET_KEY_OTHER === '' ? [SECRET_KEY] : [SECRET_KEY, SECRET_KEY_OTHER];
}

const derived = new Map<string, Buffer>();

/** Derives a key of 32 bytes for one use. */
export function deriveKey(secretKey: string, use: string): Buffer {
  const name = `${use}\n${secretKey}`;
  let key = derived.get(name);
  if (key === undefined) {
    key = Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
    derived.set(name, key);
  }
  return key;
}

/** Derives a text that identifies key material without revealing anything else about it. */
export function keyCheck(secretKey: string): string {
  return deriveKey(secretKey, 'check').toString('hex');
}

/**
 * Returns texts that prove that a redirect server belongs to this installation: for the current
 * SECRET_KEY, and for the one that is being replaced.
 */
export const installationIds = (): string[] =>
  secretKeys().map((key) => deriveKey(key, 'installation').toString('hex'));

/** Uses whose keys do not change when SECRET_KEY is replaced. */
const LASTING_USES = [
  'click-id',
  'split',
  'idempotency key',
  'fingerprint',
  'job id',
  'job key',
  'unsubscribe',
] as const;

/** A use of a lasting key. */
export type LastingUse = (typeof LASTING_USES)[number];

/** Lasting keys by use, in hexadecimal. */
export type LastingKeys = Readonly<Record<LastingUse, string>>;

/** Derives the lasting keys of a database that was created with this key material. */
export const lastingKeysOf = (secretKey: string): LastingKeys =>
  Object.fromEntries(
    LASTING_USES.map((use) => [use, deriveKey(secretKey, use).toString('hex')]),
  ) as LastingKeys;

const lasting = new Map<string, Buffer>();

/** Sets the lasting keys of the database. Until then, those of SECRET_KEY are used. */
export function setLastingKeys(keys: LastingKeys): void {
  for (const use of LASTING_USES) lasting.set(use, Buffer.from(keys[use], 'hex'));
}

/** Returns a key of 32 bytes that does not change when SECRET_KEY is replaced. */
export const lastingKeyFor = (use: LastingUse): Buffer =>
  lasting.get(use) ?? deriveKey(config().SECRET_KEY, use);

import { hkdfSync } from 'node:crypto';
import { config } from '../config.ts';

/*
 * Keys that follow from SECRET_KEY (HKDF-SHA256, RFC 5869), one for each use, so that no two uses share key material:
 *
 *   keys that rotate   follow from the present SECRET_KEY; what SECRET_KEY_OTHER made is read as well
 *   lasting keys       follow from the SECRET_KEY that the database was made with, and stay when it is replaced: a visitor
 *                      who comes twice has the same click id, and a repeated request the same job
 */

/** Key material of this process: the one that it writes with, then the one that it only reads. */
export function secretKeys(): readonly string[] {
  const { SECRET_KEY, SECRET_KEY_OTHER } = config();
  return SECRET_KEY_OTHER === '' ? [SECRET_KEY] : [SECRET_KEY, SECRET_KEY_OTHER];
}

const derived = new Map<string, Buffer>();

/** A key of 32 bytes for one use. */
export function deriveKey(secretKey: string, use: string): Buffer {
  const name = `${use}\n${secretKey}`;
  let key = derived.get(name);
  if (key === undefined) {
    key = Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
    derived.set(name, key);
  }
  return key;
}

/** A text by which key material can be recognized, and nothing else be learnt of it. */
export function keyCheck(secretKey: string): string {
  return deriveKey(secretKey, 'check').toString('hex');
}

/**
 * Texts by which a redirect server shows that it belongs to this installation: the first by this SECRET_KEY, another by the
 * one that is being replaced.
 */
export const installationIds = (): string[] =>
  secretKeys().map((key) => deriveKey(key, 'installation').toString('hex'));

/** Uses whose keys stay the same when SECRET_KEY is replaced. */
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

/** The lasting keys of a database that was made with this key material. */
export const lastingKeysOf = (secretKey: string): LastingKeys =>
  Object.fromEntries(
    LASTING_USES.map((use) => [use, deriveKey(secretKey, use).toString('hex')]),
  ) as LastingKeys;

const lasting = new Map<string, Buffer>();

/** Takes the lasting keys of the database. Until then those of SECRET_KEY count. */
export function setLastingKeys(keys: LastingKeys): void {
  for (const use of LASTING_USES) lasting.set(use, Buffer.from(keys[use], 'hex'));
}

/** A key of 32 bytes that stays the same when SECRET_KEY is replaced. */
export const lastingKeyFor = (use: LastingUse): Buffer =>
  lasting.get(use) ?? deriveKey(config().SECRET_KEY, use);

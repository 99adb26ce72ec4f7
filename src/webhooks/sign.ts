import { createHmac, randomBytes } from 'node:crypto';

/*
 * Signatures of Standard Webhooks 1.0.0: symmetric, `v1`, over `id.timestamp.body`.
 */

const PREFIX = 'whsec_';
/** Lengths of a key in bytes: the bounds of the specification, and the length of new keys. */
const KEY_BYTES = { min: 24, max: 64, generated: 32 };

/** Creates a secret: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string => PREFIX + randomBytes(KEY_BYTES.generated).toString('base64');

/** True for a secret: `whsec_` and the base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return (
    text.startsWith(PREFIX) &&
    key.toString('base64') === encoded &&
    key.length >= KEY_BYTES.min &&
    key.length <= KEY_BYTES.max
  );
}

/** The signed content of a request. */
export interface Signed {
  id: string;
  /** Time of the attempt, in seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The header `webhook-signature`: one signature for each secret, separated by spaces. */
export function signatures({ id, timestamp, body }: Signed, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

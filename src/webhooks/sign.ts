import { createHmac, randomBytes } from 'node:crypto';

/*
 * Signatures as Standard Webhooks 1.0.0 has them: symmetric, `v1`, over `id.timestamp.body`.
 */

const PREFIX = 'whsec_';
/** Of the key, in bytes: what the specification allows, and what we make. */
const KEY_BYTES = { least: 24, most: 64, ours: 32 };

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string => PREFIX + randomBytes(KEY_BYTES.ours).toString('base64');

/** Whether a text is a secret: `whsec_` and the base64 of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return (
    text.startsWith(PREFIX) &&
    key.toString('base64') === encoded &&
    key.length >= KEY_BYTES.least &&
    key.length <= KEY_BYTES.most
  );
}

/** What is signed. */
export interface Signed {
  id: string;
  /** Of the attempt, seconds since 1970. */
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

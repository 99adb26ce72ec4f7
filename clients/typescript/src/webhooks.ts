import type { Webhooks } from './generated/index.js';

/** A message that the API sends to webhooks. */
export type WebhookEvent = Webhooks['body'];

/** A message is not one of the webhook. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface VerifyOptions {
  /** `secret` of the webhook; during a rotation, the secrets before and after. */
  secret: string | readonly string[];
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it was received, not parsed. */
  body: string;
  /** Maximum difference between the clocks, in s; 300 by default. */
  toleranceSeconds?: number | undefined;
  /** Present time in ms; the clock by default. */
  now?: number | undefined;
}

/**
 * Verifies the signature and the time of a message, as Standard Webhooks 1.0.0 defines them, and
 * parses it.
 *
 * @throws WebhookError
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WebhookEvent> {
  const { secret, headers, body, toleranceSeconds = 300, now = Date.now() } = options;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookError('webhook-timestamp is too far from the present time');
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey(
      'raw',
      bytesOf(one.replace(/^whsec_/, ''), 'secret'),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of signatures) {
      const [version, value = ''] = signature.split(',', 2);
      if (version !== 'v1') continue;
      // Compares in constant time.
      const isValid = await crypto.subtle.verify(
        'HMAC',
        key,
        bytesOf(value, 'webhook-signature'),
        content,
      );
      if (isValid) return JSON.parse(body) as WebhookEvent;
    }
  }
  throw new WebhookError('webhook-signature has no signature of the secret');
}

function headerOf(headers: VerifyOptions['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new WebhookError(`${name} is missing`);
  return value;
}

function bytesOf(base64: string, name: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (error) {
    throw new WebhookError(`${name} must be base64`, { cause: error });
  }
}

import { createHmac } from 'node:crypto';
import { isEqual } from '../infra/secrets.ts';

/** Maximum difference between the time of a Stripe signature and now, in seconds. */
const TOLERANCE_S = 300;
/** Maximum number of signatures of a header that are compared; Stripe sends one a secret. */
const MAX_SIGNATURES = 10;

/**
 * Verifies the header `Stripe-Signature` of a delivery: `t=<seconds>,v1=<hex>,…`, in which each
 * `v1` is the HMAC-SHA256 of `<seconds>.<body>` (https://docs.stripe.com/webhooks/signature). While
 * a secret is rolled, there is one for each secret.
 *
 * @param body the bytes of the request, unchanged
 * @param now ms since 1970
 */
export function isSignedByStripe(
  secret: string,
  body: Buffer,
  header: string,
  now: number,
): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2));
  const valuesOf = (name: string) =>
    parts.flatMap(([key, value = '']) => (key?.trim() === name ? [value.trim()] : []));
  const [time = ''] = valuesOf('t');
  if (!/^\d{1,15}$/.test(time)) return false;
  if (Math.abs(now / 1_000 - Number(time)) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  return valuesOf('v1')
    .slice(0, MAX_SIGNATURES)
    .some((signature) => isEqual(signature, expected));
}

/**
 * Verifies the header `X-Shopify-Hmac-Sha256` of a delivery: the HMAC-SHA256 of the body in Base64
 * (https://shopify.dev/docs/apps/build/webhooks/subscribe/https).
 */
export const isSignedByShopify = (secret: string, body: Buffer, header: string): boolean =>
  isEqual(header.trim(), createHmac('sha256', secret).update(body).digest('base64'));

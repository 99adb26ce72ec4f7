import { createHmac, randomBytes } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { isEqual } from '../../infra/secrets.ts';

/*
 * Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app has:
 * HMAC-SHA-1, 30 seconds, six digits.
 */

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the present one whose codes are accepted, since clocks differ. */
const DRIFT = 1;
/** Length of a secret, which is that of the hash (RFC 4226, 4). */
const SECRET_BYTES = 20;

/** Creates a secret, in base32 as people enter it. */
export const newTotpSecret = (): string => base32nopad.encode(randomBytes(SECRET_BYTES));

/**
 * Returns the URI that an authenticator app reads from a QR code (Key Uri Format).
 *
 * @param account name of the account in the app
 * @param issuer name of the service in the app: a host name
 */
export function totpUri(secret: string, { account, issuer }: TotpLabel): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = new URLSearchParams({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP_SECONDS),
  });
  return `otpauth://totp/${label}?${query}`;
}

/** Names under which an app shows the codes. */
export interface TotpLabel {
  account: string;
  issuer: string;
}

/** Removes the spaces and hyphens that people type in a code. */
export const plainCode = (code: string): string => code.replaceAll(/[\s-]/g, '');

/** Returns the time step of a time. */
export const stepAt = (ms: number): number => Math.floor(ms / 1000 / STEP_SECONDS);

/** Computes the code of a time step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', base32nopad.decode(secret)).update(counter).digest();
  const offset = hash[hash.length - 1]! & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Finds the time step of a code.
 *
 * @param after last step whose code was accepted: it and earlier ones are not accepted again
 * @param now in ms since 1970
 * @returns `undefined` if it is no code of the present or an adjacent step
 */
export function stepOf(
  secret: string,
  code: string,
  { after, now }: { after: number; now: number },
): number | undefined {
  const present = stepAt(now);
  let matching: number | undefined;
  // All steps are compared, so that the time does not tell which one matched.
  for (let step = present - DRIFT; step <= present + DRIFT; step += 1) {
    if (isEqual(code, totpCode(secret, step)) && step > after) matching = step;
  }
  return matching;
}

import { expect } from 'chai';
import { FetchRefused } from '../../src/infra/fetch-refused.ts';
import { type Fetched, type FetchOptions, guardedFetch } from '../../src/infra/guarded-fetch.ts';

/** Limits of requests in tests of outbound requests. */
export const LIMITS: FetchOptions = { maxBytes: 10_000, timeoutMs: 2_000 };

/** Messages of `FetchRefused`. */
export const REASONS = {
  PRIVATE: 'must not point to a private IP address',
  PORT: 'must use port 80 or 443',
  SCHEME: 'must begin with http:// or https://',
  CREDENTIALS: 'must not contain a user name or password',
  INVALID: 'must be a valid URL',
  UNKNOWN: 'must have a host name that exists',
  LOOK_UP: 'must have a host name that can be resolved',
  SILENT: 'must have a host that responds over HTTP',
  TOO_LARGE: 'must not be larger than 10000 bytes',
  ENCODING: 'must respond uncompressed or in an accepted encoding',
  DAMAGED: 'must not respond with damaged compressed data',
} as const;

export const get = (url: string, options: Partial<FetchOptions> = {}): Promise<Fetched> =>
  guardedFetch(url, { ...LIMITS, ...options });

/** Returns the message of a refusal; any outcome but a `FetchRefused` fails the test. */
export async function refusal(url: string, options: Partial<FetchOptions> = {}): Promise<string> {
  try {
    const { status } = await get(url, options);
    return `not refused: ${status}`;
  } catch (error) {
    expect(error).to.be.instanceOf(FetchRefused);
    return (error as FetchRefused).message;
  }
}

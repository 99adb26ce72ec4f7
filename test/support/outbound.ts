import { expect } from 'chai';
import { reloadConfig } from '../../src/config.ts';
import {
  type Fetched,
  type FetchOptions,
  FetchRefused,
  guardedFetch,
} from '../../src/infra/guarded-fetch.ts';

/** What tests of the guarded way out begin with. */
export const LIMITS: FetchOptions = { maxBytes: 10_000, timeoutMs: 2_000 };

/** Why something is not fetched. */
export const REASONS = {
  PRIVATE: 'it leads to a private address',
  PORT: 'its port must be 80 or 443',
  SCHEME: 'it must begin with http:// or https://',
  CREDENTIALS: 'it must not contain a user name or password',
  INVALID: 'it is no valid address',
  UNKNOWN: 'its host is not known',
  LOOK_UP: 'its host could not be looked up',
  SILENT: 'its host does not answer',
  TOO_LARGE: 'it is larger than 10000 bytes',
  ENCODING: 'it is compressed in a way that was not asked for',
  DAMAGED: 'it is compressed, and damaged',
} as const;

export const get = (url: string, options: Partial<FetchOptions> = {}): Promise<Fetched> =>
  guardedFetch(url, { ...LIMITS, ...options });

/** Why it was refused; anything but a FetchRefused is a fault. */
export async function refusal(url: string, options: Partial<FetchOptions> = {}): Promise<string> {
  try {
    const { status } = await get(url, options);
    return `not refused: ${status}`;
  } catch (error) {
    expect(error).to.be.instanceOf(FetchRefused);
    return (error as FetchRefused).message;
  }
}

const NAMES = ['OUTBOUND_ALLOW', 'DNS_SERVERS'] as const;

/** Changes how this process may go out; what is not named stays. */
export function setOutbound(settings: Partial<Record<(typeof NAMES)[number], string>>): void {
  Object.assign(process.env, settings);
  reloadConfig();
}

/** Remembers how this process may go out. @returns what makes it so again */
export function keepOutbound(): () => void {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    reloadConfig();
  };
}

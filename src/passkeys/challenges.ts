import type { Client } from '../http/route.ts';
import { type SealContext, seal, unseal } from '../infra/seal.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { cookieIn, setCookie } from '../users/cookie.ts';
import type { FactorProof } from '../users/second-factor/jobs.ts';

/*
 * A challenge is a random text that a passkey signs. It is stored only after its use; before, the
 * browser holds it in a sealed text, which is valid for the session or the browser that received
 * it:
 *
 *   start: challenge, sealed ─▶ browser, passkey ─▶ sealed text, signature ─▶ job: stored as used
 */

/** Time limit for a passkey to sign a challenge, in seconds. */
export const CHALLENGE_SECONDS = 600;

/** Cookie of a browser that may sign in: a random text, without which no attempt is valid. */
const COOKIE = 'passkey';
const TOKEN = /^[\w-]{43}$/;

interface Sealed {
  /** In base64url. */
  challenge: string;
  /** Time of expiry, in ms since 1970. */
  until: number;
}

/** Content of the sealed text with which a person adds a passkey. */
export interface Setup {
  challenge: string;
  /** Version of the password with which the person has confirmed their identity. */
  passwordVersion: number;
  proof?: FactorProof | undefined;
}

const attemptContext = (browser: string): SealContext => ({
  purpose: 'passkey sign-in',
  owner: hashToken(browser),
});

const setupContext = (sessionId: string): SealContext => ({
  purpose: 'passkey setup',
  owner: sessionId,
});

function keep(context: SealContext, content: object): string {
  const until = Date.now() + CHALLENGE_SECONDS * 1000;
  return seal(context, JSON.stringify({ ...content, until }));
}

/** Reads a sealed text; `undefined` if it has expired, or belongs to another browser or session. */
function read<Content extends { challenge: string }>(
  context: SealContext,
  sealed: string,
): Content | undefined {
  try {
    const { until, ...content } = JSON.parse(unseal(context, sealed)) as Sealed & Content;
    return until > Date.now() ? (content as unknown as Content) : undefined;
  } catch {
    // The text was changed, or sealed with another key or for another purpose or owner.
    return undefined;
  }
}

/** Begins a sign-in of a browser. Its other windows keep their attempts. */
export function keepAttempt({ cookies }: Client): {
  challenge: string;
  attempt: string;
  cookie: string;
} {
  const challenge = newToken();
  const browser = browserOf(cookies) ?? newToken();
  return {
    challenge,
    attempt: keep(attemptContext(browser), { challenge }),
    cookie: setCookie(COOKIE, browser, CHALLENGE_SECONDS),
  };
}

/** Reads the challenge of a sign-in; `undefined` if this browser has no such attempt. */
export function readAttempt({ cookies }: Client, attempt: string): string | undefined {
  const browser = browserOf(cookies);
  return browser === undefined
    ? undefined
    : read<{ challenge: string }>(attemptContext(browser), attempt)?.challenge;
}

function browserOf(cookies: string | undefined): string | undefined {
  const value = cookieIn(cookies, COOKIE);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** The `Set-Cookie` header that ends the attempts of the browser. */
export const clearedAttempt = (): string => setCookie(COOKIE, '', 0);

/** Seals what a person has confirmed in a session, with the challenge for the passkey to add. */
export const keepSetup = (sessionId: string, setup: Setup): string =>
  keep(setupContext(sessionId), setup);

/** Reads a setup; `undefined` if it has expired, or belongs to another session. */
export const readSetup = (sessionId: string, sealed: string): Setup | undefined =>
  read<Setup>(setupContext(sessionId), sealed);

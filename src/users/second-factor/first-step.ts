import { Joi, requiredTime } from '../../http/fields.ts';
import type { Answer, Client } from '../../http/route.ts';
import { type SealContext, seal, unseal } from '../../infra/seal.ts';
import { cookieIn, setCookie } from '../cookie.ts';
import type { FirstStep } from './jobs.ts';

/*
 * After the first step of a sign-in, the browser has no session but a sealed cookie, with which it
 * can send the second factor and nothing else:
 *
 *   password, link or provider ─▶ keepFirstStep: cookie ─▶ code ─▶ readFirstStep ─▶ session
 */

/** Time limit for the second step, in seconds. */
const SECOND_STEP_SECONDS = 300;
const COOKIE = 'sign-in';
const CONTEXT: SealContext = { purpose: 'first step', owner: '' };

/** Content of the cookie. */
interface SealedStep extends FirstStep {
  /** Time of expiry, in ms since 1970. */
  until: number;
}

/** Returns the `Set-Cookie` header with the first step, and the time until which it is valid. */
export function keepFirstStep(first: FirstStep): { cookie: string; expiresAt: string } {
  const until = Date.now() + SECOND_STEP_SECONDS * 1000;
  const sealed = seal(CONTEXT, JSON.stringify({ ...first, until } satisfies SealedStep));
  return {
    cookie: setCookie(COOKIE, sealed, SECOND_STEP_SECONDS),
    expiresAt: new Date(until).toISOString(),
  };
}

/** Reads the first step of a browser; `undefined` if there is none, or it has expired. */
export function readFirstStep({ cookies }: Client): FirstStep | undefined {
  const cookie = cookieIn(cookies, COOKIE);
  if (cookie === undefined) return undefined;
  try {
    const { until, ...first } = JSON.parse(unseal(CONTEXT, cookie)) as SealedStep;
    return until > Date.now() ? first : undefined;
  } catch {
    // The cookie was changed, or sealed with another key.
    return undefined;
  }
}

/** The `Set-Cookie` header that deletes the first step. */
export const clearedFirstStep = (): string => setCookie(COOKIE, '', 0);

/** The answer to a first step that needs a second one: 202 without a session. */
export function secondStepNeeded(first: FirstStep): Answer {
  const { cookie, expiresAt } = keepFirstStep(first);
  return { status: 202, body: { expiresAt }, headers: { 'Set-Cookie': cookie } };
}

export const pendingRecord = Joi.object({
  expiresAt: requiredTime.description('Time until which the second factor can be sent.'),
}).meta({ name: 'PendingSignIn' });

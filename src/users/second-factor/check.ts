import { Refusal } from '../../errors.ts';
import type { ApiRequest } from '../../http/route.ts';
import { type SealContext, unseal } from '../../infra/seal.ts';
import { limitsOf } from '../passwords.ts';
import type { FactorProof } from './jobs.ts';
import { findFactor, hasRecoveryCode } from './queries.ts';
import { recoveryHash } from './recovery-codes.ts';
import { plainCode, stepOf } from './totp.ts';

/** Context of the sealed secret of a person's authenticator app. */
export const secretContext = (userId: string): SealContext => ({
  purpose: 'second factor',
  owner: userId,
});

const TOTP = /^\d{6}$/;

/** Finds the proof that a code is: of the authenticator app, or an unused recovery code. */
async function findProof(userId: string, code: string): Promise<FactorProof | undefined> {
  const plain = plainCode(code);
  if (!TOTP.test(plain)) {
    const hash = recoveryHash(userId, plain);
    return (await hasRecoveryCode(userId, hash)) ? { kind: 'recovery', hash } : undefined;
  }
  const factor = await findFactor(userId);
  if (factor === undefined) return undefined;
  const secret = unseal(secretContext(userId), factor.secret);
  const step = stepOf(secret, plain, { after: factor.lastStep, now: Date.now() });
  return step === undefined ? undefined : { kind: 'totp', step };
}

/** Makes the refusal of a wrong code. */
export const wrongCode = () =>
  new Refusal(
    'unprocessable_entity',
    'code must be the present code of your authenticator app, used once, or an unused recovery code',
  );

/**
 * Consumes an attempt at the second factor of a person, and checks a code. The job that uses the
 * proof consumes the code.
 *
 * @throws Refusal `unprocessable_entity` for a wrong code; `rate_limit_exceeded`
 */
export async function checkCode(
  request: Pick<ApiRequest, 'queues'>,
  userId: string,
  code: string,
): Promise<FactorProof> {
  const attempt = await limitsOf(request).takeAccount(factorAccount(userId));
  const proof = await findProof(userId, code);
  await (proof === undefined ? attempt.failed() : attempt.succeeded());
  if (proof === undefined) throw wrongCode();
  return proof;
}

/** Name under which attempts at a second factor are limited. */
const factorAccount = (userId: string): string => `second factor ${userId}`;

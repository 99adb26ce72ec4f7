import { Refusal } from '../errors.ts';
import type { ApiRequest } from '../http/route.ts';
import { requirePassword } from '../users/current-password.ts';
import { checkCode } from '../users/second-factor/check.ts';
import { findFactor, refuseWithoutPasskey } from '../users/second-factor/queries.ts';
import type { ConfirmedChange } from './jobs.ts';
import { isRecent } from './queries.ts';
import type { Confirmation } from './schema.ts';

/**
 * Confirms the identity of a person who changes their passkeys: by the password and the code of the
 * authenticator app, as far as they have them, or else by a recent sign-in. The job uses the code.
 *
 * @throws Refusal `unprocessable_entity` if the password or the code is missing or wrong;
 *   `forbidden` if there is neither and the sign-in is too old, or if there is no app and a person
 *   with a passkey has signed in without a second factor; `rate_limit_exceeded`
 */
export async function confirmIdentity(
  request: ApiRequest<{ body: Confirmation }>,
): Promise<Omit<ConfirmedChange, 'at'>> {
  const { currentPassword, code } = request.body;
  const { userId } = request.caller;
  const sessionId = request.caller.sessionId!;
  const { passwordHash, passwordVersion } = await requirePassword(request, currentPassword);
  if ((await findFactor(userId)) !== undefined) {
    if (code === undefined) throw new Refusal('unprocessable_entity', 'code is required');
    const proof = await checkCode(request, userId, code);
    return { userId, sessionId, passwordVersion, proof };
  }
  await refuseWithoutPasskey({ userId, sessionId });
  if (passwordHash === null && !(await isRecent(sessionId))) {
    throw new Refusal(
      'forbidden',
      'Passkeys of a person without a password can be changed within an hour of signing in: sign in again',
    );
  }
  return { userId, sessionId, passwordVersion };
}

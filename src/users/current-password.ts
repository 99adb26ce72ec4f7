import { Refusal } from '../errors.ts';
import type { ApiRequest } from '../http/route.ts';
import { tryPassword } from './passwords.ts';
import { type Credentials, readCredentials } from './queries.ts';

/**
 * Checks the current password of the signed-in person. A person who has none needs none.
 *
 * @returns what was compared
 * @throws Refusal `unprocessable_entity` if it is missing or wrong; `rate_limit_exceeded`
 */
export async function requirePassword(
  request: ApiRequest,
  currentPassword: string | undefined,
): Promise<Credentials> {
  const user = await readCredentials(request.caller.userId);
  if (user.passwordHash !== null) await checkPassword(request, user, currentPassword);
  return user;
}

/** Checks the password of a person who has one. @throws as {@link requirePassword} */
export async function checkPassword(
  request: ApiRequest,
  user: Credentials,
  currentPassword: string | undefined,
): Promise<void> {
  if (currentPassword === undefined) {
    throw new Refusal('unprocessable_entity', 'currentPassword is required');
  }
  const attempt = { account: user.id, user, password: currentPassword };
  if (!(await tryPassword(request, attempt))) {
    throw new Refusal('unprocessable_entity', 'currentPassword must be your current password');
  }
}

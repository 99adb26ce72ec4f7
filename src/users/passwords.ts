import { Refusal } from '../errors.ts';
import type { ApiRequest } from '../http/route.ts';
import { Busy, PasswordHashes } from '../infra/password-hashes.ts';
import type { Redis } from '../infra/redis.ts';
import { SignInLimits } from './limits.ts';
import { type Credentials, findCredentials } from './queries.ts';
import type { SignInBody } from './schema.ts';

/** A hash of random bytes, compared for an unknown account so that the answer takes as long. */
const NO_PASSWORD =
  '$argon2id$v=19$m=19456,t=2,p=1$SrHOHkvKU5qFr/5q9UkYWg$yOtU8hX9ovwzf5Yra36eKVh4T0UK+uBegoLyFxVSdVI';

/** The hashing thread of this process; it starts with the first password. */
const hashes = new PasswordHashes();

const limits = new WeakMap<Redis, SignInLimits>();

/** The limits of this process, which requests share with their Redis connection. */
export function limitsOf({ queues: { redis } }: Pick<ApiRequest, 'queues'>): SignInLimits {
  const known = limits.get(redis) ?? new SignInLimits(redis);
  limits.set(redis, known);
  return known;
}

/**
 * Identifies a person by email address and password.
 *
 * @throws Refusal `unauthorized`, equal in text and time whichever is wrong; `rate_limit_exceeded`
 */
export async function identify(
  request: ApiRequest,
  { email, password }: SignInBody,
): Promise<Credentials> {
  await limitsOf(request).takeNetwork(request.client.network);
  const user = await findCredentials(email);
  const account = user?.id ?? email.toLowerCase();
  const isRight = await tryPassword(request, { account, user, password });
  if (user === undefined || !isRight) {
    throw new Refusal('unauthorized', 'email or password is wrong');
  }
  return user;
}

/** Consumes an attempt at an account and compares the password. A disabled person has none. */
export async function tryPassword(
  request: ApiRequest,
  {
    account,
    user,
    password,
  }: { account: string; user?: Credentials | undefined; password: string },
): Promise<boolean> {
  const attempt = await limitsOf(request).takeAccount(account);
  const hash = user?.passwordHash ?? NO_PASSWORD;
  let isSame: boolean;
  try {
    isSame = await hashes.isOf(hash, password, request.client.network);
  } catch (error) {
    await attempt.giveBack();
    throw busyOf(error);
  }
  const isRight = isSame && user !== undefined && user.passwordHash !== null && !user.isDisabled;
  await (isRight ? attempt.succeeded() : attempt.failed());
  return isRight;
}

/**
 * Hashes a new password (Argon2id), for a job to store.
 *
 * @param network network whose share of the thread is used
 * @throws Refusal `rate_limit_exceeded` if too many wait
 */
export async function hashPassword(password: string, network: string): Promise<string> {
  try {
    return await hashes.make(password, network);
  } catch (error) {
    throw busyOf(error);
  }
}

const busyOf = (error: unknown): unknown =>
  error instanceof Busy
    ? new Refusal('rate_limit_exceeded', 'Too many people sign in at the moment; try again')
    : error;

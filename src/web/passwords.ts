import { parseCookie, stringifySetCookie } from 'cookie';
import type { RateLimiterRedis } from 'rate-limiter-flexible';
import { networkOf } from '../infra/network.ts';
import { formsOf } from '../infra/normalize.ts';
import { Busy, PasswordHashes } from '../infra/password-hashes.ts';
import { pointLimiter, takePoint } from '../infra/point-limiter.ts';
import type { Redis } from '../infra/redis.ts';
import { isSigned, sign } from '../infra/secrets.ts';

/** Time for which a page stays unlocked after its password was entered, in seconds. */
const UNLOCKED_SECONDS = 3_600;

/** A link or page that visitors open with a password. */
export interface Locked {
  /** Text of letters, digits and `_` that no other locked page has. */
  id: string;
  /** Argon2 hash; present where a password is asked for. */
  passwordHash?: string | undefined;
  /** Path below which the cookie is sent; default: all of the host. */
  cookiePath?: string | undefined;
  /** True if pages of other sites may show it in a frame, to which the cookie must be sent. */
  isFramed?: boolean | undefined;
}

/** Attempts per visitor and locked page in TRY_SECONDS. */
const TRIES = 5;
const TRY_SECONDS = 60;
/** Failed attempts per network, over all pages, in TRY_SECONDS: each check delays all others. */
const TRIES_AT_ALL = 30;

/**
 * Limits password attempts. They are counted in Redis for all processes; while it is down, each
 * process counts on its own.
 */
export class PasswordTries {
  readonly #tries: RateLimiterRedis;
  readonly #triesAtAll: RateLimiterRedis;

  constructor(redis: Redis) {
    const duration = TRY_SECONDS;
    this.#tries = pointLimiter(redis, 'unlock', { points: TRIES, duration });
    this.#triesAtAll = pointLimiter(redis, 'unlocks', { points: TRIES_AT_ALL, duration });
  }

  /**
   * Consumes an attempt of a visitor at a page. Called before the check, so that concurrent
   * attempts cannot all pass as the first.
   *
   * @returns time until the next attempt, in ms, if none was left
   */
  async take(lockId: string, ip: string): Promise<number | undefined> {
    const { visitor, network } = namesOf(lockId, ip);
    const waitMs = await takePoint(this.#tries, visitor);
    if (waitMs !== undefined) return waitMs;
    const waitAtAllMs = await takePoint(this.#triesAtAll, network);
    if (waitAtAllMs !== undefined) await this.#tries.reward(visitor);
    return waitAtAllMs;
  }

  /** Refunds an attempt whose password was not checked. */
  async giveBack(lockId: string, ip: string): Promise<void> {
    const { visitor, network } = namesOf(lockId, ip);
    await Promise.all([this.#tries.reward(visitor), this.#triesAtAll.reward(network)]);
  }

  /** Clears the attempts of a visitor who entered the right password. */
  async reset(lockId: string, ip: string): Promise<void> {
    const { visitor, network } = namesOf(lockId, ip);
    await Promise.all([this.#tries.delete(visitor), this.#triesAtAll.reward(network)]);
  }
}

/** Names under which attempts are counted. */
function namesOf(lockId: string, ip: string): { visitor: string; network: string } {
  const network = networkOf(ip);
  return { visitor: `${lockId}:${network}`, network };
}

/** Outcome of an attempt to unlock a page. */
export type Attempt =
  /** The value of a `Set-Cookie` header comes with it. */
  | { outcome: 'unlocked'; cookie: string }
  | { outcome: 'wrong' }
  | { outcome: 'tooMany'; waitSeconds: number }
  | { outcome: 'busy'; error: Busy };

/**
 * Checks the passwords of links and pages. The right one earns a cookie that unlocks this one, under
 * this password, for an hour.
 */
export class Passwords {
  readonly #tries: PasswordTries;
  readonly #hashes = new PasswordHashes();

  constructor(tries: PasswordTries) {
    this.#tries = tries;
  }

  /** True when a cookie of the visitor unlocks it. */
  isUnlocked(locked: Locked, cookies: string | undefined, now: number): boolean {
    const value = cookies === undefined ? undefined : parseCookie(cookies)[cookieName(locked)];
    if (value === undefined) return false;
    const [until = '', signature = ''] = value.split('.');
    return (
      Number.parseInt(until, 36) > now && isSigned('unlock', unlockText(locked, until), signature)
    );
  }

  /** Consumes an attempt, and checks the password unless there were too many attempts. */
  async unlock(
    locked: Locked,
    password: string,
    { ip, isSecure }: { ip: string; isSecure: boolean },
    now: number,
  ): Promise<Attempt> {
    const waitMs = await this.#tries.take(locked.id, ip);
    if (waitMs !== undefined) return { outcome: 'tooMany', waitSeconds: Math.ceil(waitMs / 1000) };
    try {
      if (!(await this.#isRight(locked, password))) return { outcome: 'wrong' };
    } catch (thrown) {
      if (!(thrown instanceof Busy)) throw thrown;
      await this.#tries.giveBack(locked.id, ip);
      return { outcome: 'busy', error: thrown };
    }
    await this.#tries.reset(locked.id, ip);
    const until = (now + UNLOCKED_SECONDS * 1000).toString(36);
    const cookie = stringifySetCookie({
      name: cookieName(locked),
      value: `${until}.${sign('unlock', unlockText(locked, until))}`,
      maxAge: UNLOCKED_SECONDS,
      path: locked.cookiePath ?? '/',
      // The cookie must accompany links that are followed from other sites. Browsers send one to a
      // frame of another site only if it is partitioned and secure.
      ...(locked.isFramed === true && isSecure
        ? { sameSite: 'none' as const, partitioned: true }
        : { sameSite: 'lax' as const }),
      secure: isSecure,
      httpOnly: true,
    });
    return { outcome: 'unlocked', cookie };
  }

  /** Hashes of version 0.5 and earlier are of the password in the form in which it was set. */
  async #isRight({ id, passwordHash }: Locked, password: string): Promise<boolean> {
    for (const form of formsOf(password)) {
      if (await this.#hashes.isOf(passwordHash!, form, id)) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#hashes.close();
  }
}

const cookieName = ({ id }: Locked): string => `unlock_${id}`;

// The hash is part of the text, so that a new password locks it again.
const unlockText = ({ id, passwordHash }: Locked, until: string): string =>
  `${id}\n${until}\n${passwordHash}`;

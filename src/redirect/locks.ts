import { verify } from '@node-rs/argon2';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../infra/redis.ts';
import { isSigned, sign } from '../infra/secrets.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import { cookieOf, setCookie } from './cookies.ts';
import { networkOf } from './ip.ts';

/** Tries of one visitor at one link in TRY_SECONDS. */
const TRIES = 5;
const TRY_SECONDS = 60;
/** How long a link stays open for who has entered its password. */
const OPEN_SECONDS = 3_600;
/** Each check takes 19 MiB and some 20 ms of a core: who comes when so many wait is asked to come back. */
const MOST_CHECKS = 64;

/** What became of a try to open a link. */
export type Attempt =
  | { outcome: 'opened'; cookie: string }
  | { outcome: 'wrong' }
  | { outcome: 'tooMany'; waitSeconds: number }
  | { outcome: 'busy' };

/**
 * Passwords of links. Who enters the right one gets a cookie that opens this link, under this password, for an hour.
 * Tries are counted in Redis for all processes together; while it is away each process counts for itself.
 */
export class Locks {
  readonly #tries: RateLimiterRedis;
  #checks = 0;

  constructor(redis: Redis) {
    const limit = { points: TRIES, duration: TRY_SECONDS };
    this.#tries = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: 'unlock',
      ...limit,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(limit),
    });
  }

  /** Whether a visitor has entered the link's password before. */
  isOpen(link: LinkEntry, cookies: string | undefined, now: number): boolean {
    const value = cookieOf(cookies, cookieName(link));
    if (value === undefined) return false;
    const [until = '', signature = ''] = value.split('.');
    return Number.parseInt(until, 36) > now && isSigned('unlock', signed(link, until), signature);
  }

  /** Takes one try, and checks the password unless there were too many. */
  async open(
    link: LinkEntry,
    password: string,
    visitor: { ip: string; isSecure: boolean },
    now: number,
  ): Promise<Attempt> {
    if (this.#checks >= MOST_CHECKS) return { outcome: 'busy' };
    const who = `${link.id}:${networkOf(visitor.ip)}`;
    // Taken before the check: many tries at once must not all be the first.
    try {
      await this.#tries.consume(who);
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      return { outcome: 'tooMany', waitSeconds: Math.ceil(thrown.msBeforeNext / 1000) };
    }
    if (!(await this.#isRight(link, password))) return { outcome: 'wrong' };
    await this.#tries.delete(who);
    const until = (now + OPEN_SECONDS * 1000).toString(36);
    const cookie = setCookie({
      name: cookieName(link),
      value: `${until}.${sign('unlock', signed(link, until))}`,
      maxAgeSeconds: OPEN_SECONDS,
      isSecure: visitor.isSecure,
    });
    return { outcome: 'opened', cookie };
  }

  async #isRight({ passwordHash }: LinkEntry, password: string): Promise<boolean> {
    this.#checks += 1;
    try {
      return await verify(passwordHash!, password);
    } finally {
      this.#checks -= 1;
    }
  }
}

const cookieName = ({ id }: LinkEntry): string => `unlock_${id}`;

// With the hash, so that a new password closes the link again.
const signed = ({ id, passwordHash }: LinkEntry, until: string): string =>
  `${id}\n${until}\n${passwordHash}`;

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Redis } from '../infra/redis.ts';
import { hashToken } from '../infra/secrets.ts';

/** Wrong passwords of an account in FAILURE_SECONDS. */
const FAILURES = 5;
const FAILURE_SECONDS = 15 * 60;
/** Longest time for which an account is closed, in seconds. */
const LONGEST_SECONDS = 3_600;
/** Time for which it is remembered how often an account was closed, in seconds. */
const REMEMBERED_SECONDS = 86_400;

/**
 * Limits how often signing in is tried, by network and by account. Tries are counted in Redis for all API processes
 * together; while it is away each process counts for itself.
 */
export class SignInLimits {
  readonly #redis: Redis;
  readonly #networks: RateLimiterRedis;
  readonly #tries: RateLimiterRedis;
  /** How often each account was closed. */
  readonly #closings: RateLimiterRedis;

  constructor(redis: Redis) {
    this.#redis = redis;
    // 0: no limit; the limiter is not asked then.
    this.#networks = this.#limiter('sign-in', config().SIGN_INS_PER_MINUTE || 1, 60);
    this.#tries = this.#limiter('sign-in-account', FAILURES, FAILURE_SECONDS);
    this.#closings = this.#limiter('sign-in-closed', Number.MAX_SAFE_INTEGER, REMEMBERED_SECONDS);
  }

  #limiter(keyPrefix: string, points: number, duration: number): RateLimiterRedis {
    return new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix,
      points,
      duration,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ points, duration }),
    });
  }

  /** Takes one try of a network. @throws Refusal `rate_limit_exceeded` */
  async takeNetwork(network: string): Promise<void> {
    if (config().SIGN_INS_PER_MINUTE === 0) return;
    await consume(this.#networks, network);
  }

  /**
   * Takes one try at an account. It must be taken before the password is compared: many tries at once must not all be the
   * first.
   *
   * @param account the id of a person, or an address that nobody has
   * @throws Refusal `rate_limit_exceeded`
   */
  async takeAccount(account: string): Promise<Try> {
    const name = hashToken(account);
    const { remainingPoints } = await consume(this.#tries, name);
    return {
      succeeded: async () => {
        await Promise.all([this.#tries.delete(name), this.#closings.delete(name)]);
      },
      giveBack: async () => {
        await this.#tries.reward(name);
      },
      failed: async () => {
        if (remainingPoints > 0) return;
        // The wait doubles with each closing: a quarter of an hour, half an hour, an hour.
        const { consumedPoints } = await this.#closings.penalty(name);
        const seconds = Math.min(FAILURE_SECONDS * 2 ** (consumedPoints - 1), LONGEST_SECONDS);
        await this.#tries.block(name, seconds);
      },
    };
  }
}

/** A try at an account. Of the three, one is called when it has ended. */
export interface Try {
  /** Forgets all tries at the account. */
  succeeded(): Promise<void>;
  /** The password could not be compared. */
  giveBack(): Promise<void>;
  failed(): Promise<void>;
}

async function consume(limiter: RateLimiterRedis, name: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(name);
  } catch (thrown) {
    if (!(thrown instanceof RateLimiterRes)) throw thrown;
    const seconds = Math.ceil(thrown.msBeforeNext / 1000);
    throw new Refusal(
      'rate_limit_exceeded',
      `Too many sign-ins were tried; try again in ${seconds} s`,
      { retryAfterSeconds: seconds },
    );
  }
}

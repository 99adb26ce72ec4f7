import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Redis } from '../infra/redis.ts';
import { hashToken } from '../infra/secrets.ts';

/** Wrong passwords per account in FAILURE_SECONDS. */
const FAILURES = 5;
const FAILURE_SECONDS = 15 * 60;
/** Maximum time for which an account is locked, in seconds. */
const MAX_SECONDS = 3_600;
/** Time for which the number of locks of an account is remembered, in seconds. */
const REMEMBERED_SECONDS = 86_400;

/**
 * Limits sign-in attempts by network and by account. Attempts are counted in Redis for all API
 * processes; while it is down, each process counts on its own.
 */
export class SignInLimits {
  readonly #redis: Redis;
  readonly #networks: RateLimiterRedis;
  readonly #tries: RateLimiterRedis;
  /** Number of times that each account was locked. */
  readonly #closings: RateLimiterRedis;

  constructor(redis: Redis) {
    this.#redis = redis;
    // 0 means no limit; the limiter is then not used.
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

  /** Consumes an attempt of a network. @throws Refusal `rate_limit_exceeded` */
  async takeNetwork(network: string): Promise<void> {
    if (config().SIGN_INS_PER_MINUTE === 0) return;
    await consume(this.#networks, network);
  }

  /** Clears the attempts at an account. */
  async unlock(account: string): Promise<void> {
    const name = hashToken(account);
    await Promise.all([this.#tries.delete(name), this.#closings.delete(name)]);
  }

  /**
   * Consumes an attempt at an account. Called before the password is compared, so that concurrent
   * attempts cannot all pass as the first.
   *
   * @param account the id of a person, or an unknown email address
   * @throws Refusal `rate_limit_exceeded`
   */
  async takeAccount(account: string): Promise<Try> {
    const name = hashToken(account);
    const { remainingPoints } = await consume(this.#tries, name);
    return {
      succeeded: () => this.unlock(account),
      giveBack: async () => {
        await this.#tries.reward(name);
      },
      failed: async () => {
        if (remainingPoints > 0) return;
        // The wait doubles with each lock: a quarter of an hour, half an hour, an hour.
        const { consumedPoints } = await this.#closings.penalty(name);
        const seconds = Math.min(FAILURE_SECONDS * 2 ** (consumedPoints - 1), MAX_SECONDS);
        await this.#tries.block(name, seconds);
      },
    };
  }
}

/** An attempt at an account. One of the three methods is called when it ends. */
export interface Try {
  /** Clears the attempts at the account. */
  succeeded(): Promise<void>;
  /** Refunds the attempt, whose password could not be compared. */
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

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { within } from '../infra/clock.ts';
import { networkOf } from '../infra/network.ts';
import type { Redis } from '../infra/redis.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import { Unavailable } from '../lookup/find.ts';
import type { EntrySource } from '../lookup/source.ts';
import { quotaCountName } from '../visits/quota-count.ts';

/** Timeout of a counter command, in ms. */
const ANSWER_MS = 300;
/**
 * Time to live of a counter, in seconds. By then every visit is in Postgres, from which an expired
 * counter is restored.
 */
const KEEP_SECONDS = 7 * 86_400;

/*
 * KEYS[1] count of visits   KEYS[2] this visit's id   (one hash tag: one node of a cluster) ARGV[1]
 * limit   ARGV[2] initial count, or ''   ARGV[3] TTL of the id in s   ARGV[4] TTL of the count
 * Returns 1: allowed; 0: used up; -1: no count and no initial count.
 */
const TAKE = `
local count = tonumber(redis.call('GET', KEYS[1]) or ARGV[2])
if not count then return -1 end
if count >= tonumber(ARGV[1]) then return 0 end
if redis.call('SET', KEYS[2], '', 'NX', 'EX', ARGV[3]) then count = count + 1 end
redis.call('SET', KEYS[1], count, 'EX', ARGV[4])
return 1`;

interface WithTake {
  takeVisit(...args: (string | number)[]): Promise<number>;
}

/**
 * Enforces the maximum number of visits of links. The count is kept in the Redis of the queues,
 * which all processes share, and starts from the count in Postgres. A visit that does not count as
 * a new one (same visitor, same window) is free.
 */
export class Quota {
  readonly #redis: Redis;
  readonly #source: EntrySource;
  readonly #counting = new Map<string, Promise<number>>();

  /** @param source supplies the count that Redis lacks */
  constructor(redis: Redis, source: EntrySource) {
    this.#redis = redis;
    this.#source = source;
    redis.defineCommand('takeVisit', { numberOfKeys: 2, lua: TAKE });
  }

  /**
   * Takes one of the visits of a link.
   *
   * @param clickId equal for visits that count as one
   * @param windowSeconds length of the window in which a visitor counts once; 0 if every visit
   *   counts
   * @returns false if none is left
   * @throws Unavailable if neither Redis nor Postgres answers
   */
  async take(
    { id, projectId, maxVisits }: LinkEntry,
    clickId: string,
    windowSeconds: number,
  ): Promise<boolean> {
    const names = [quotaCountName(id), `${quotaCountName(id)}:${clickId}`];
    const know = Math.max(2 * windowSeconds, 60);
    const take = (first: number | '') =>
      this.#ask(
        (this.#redis as Redis & WithTake).takeVisit(
          ...names,
          maxVisits!,
          first,
          know,
          KEEP_SECONDS,
        ),
      );
    const answer = await take('');
    return (answer === -1 ? await take(await this.#counted(projectId, id)) : answer) === 1;
  }

  /**
   * True when a link has no visit left. @throws Unavailable if neither Redis nor Postgres answers
   */
  async isUsedUp({ id, projectId, maxVisits }: LinkEntry): Promise<boolean> {
    const stored = await this.#ask(this.#redis.get(quotaCountName(id)));
    const count = stored === null ? await this.#counted(projectId, id) : Number(stored);
    return count >= maxVisits!;
  }

  /** Reads the count from the source. Concurrent visitors of a link share the query. */
  #counted(projectId: string, id: string): Promise<number> {
    let counting = this.#counting.get(id);
    if (counting === undefined) {
      counting = this.#source.countVisits(projectId, id).finally(() => this.#counting.delete(id));
      this.#counting.set(id, counting);
    }
    return this.#ask(counting);
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await within(ANSWER_MS, answer, 'the count of visits');
    } catch (error) {
      throw new Unavailable('the count of visits is not known', { cause: error });
    }
  }
}

/** Attempts per visitor and link in TRY_SECONDS. */
const TRIES = 5;
const TRY_SECONDS = 60;
/** Failed attempts per network, over all links, in TRY_SECONDS: each check delays all others. */
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
    this.#tries = limiter(redis, 'unlock', { points: TRIES, duration });
    this.#triesAtAll = limiter(redis, 'unlocks', { points: TRIES_AT_ALL, duration });
  }

  /**
   * Consumes an attempt of a visitor at a link. Called before the check, so that concurrent
   * attempts cannot all pass as the first.
   *
   * @returns time until the next attempt, in ms, if none was left
   */
  async take(linkId: string, ip: string): Promise<number | undefined> {
    const { visitor, network } = namesOf(linkId, ip);
    const waitMs = await consume(this.#tries, visitor);
    if (waitMs !== undefined) return waitMs;
    const waitAtAllMs = await consume(this.#triesAtAll, network);
    if (waitAtAllMs !== undefined) await this.#tries.reward(visitor);
    return waitAtAllMs;
  }

  /** Refunds an attempt whose password was not checked. */
  async giveBack(linkId: string, ip: string): Promise<void> {
    const { visitor, network } = namesOf(linkId, ip);
    await Promise.all([this.#tries.reward(visitor), this.#triesAtAll.reward(network)]);
  }

  /** Clears the attempts of a visitor who entered the right password. */
  async reset(linkId: string, ip: string): Promise<void> {
    const { visitor, network } = namesOf(linkId, ip);
    await Promise.all([this.#tries.delete(visitor), this.#triesAtAll.reward(network)]);
  }
}

/** Reports per network in REPORT_SECONDS. */
const REPORTS = 10;
const REPORT_SECONDS = 3_600;

/** Limits the reports of a network, counted like {@link PasswordTries}. */
export class ReportLimit {
  readonly #reports: RateLimiterRedis;

  constructor(redis: Redis) {
    this.#reports = limiter(redis, 'reports', { points: REPORTS, duration: REPORT_SECONDS });
  }

  /** Consumes a report. @returns time until the next report, in ms, if none was left */
  take(ip: string): Promise<number | undefined> {
    return consume(this.#reports, networkOf(ip));
  }
}

/** Builds a limiter that counts in Redis, and in the process while Redis is down. */
const limiter = (
  redis: Redis,
  keyPrefix: string,
  limit: { points: number; duration: number },
): RateLimiterRedis =>
  new RateLimiterRedis({
    storeClient: redis,
    keyPrefix,
    ...limit,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limit),
  });

/** Names under which attempts are counted. */
function namesOf(linkId: string, ip: string): { visitor: string; network: string } {
  const network = networkOf(ip);
  return { visitor: `${linkId}:${network}`, network };
}

/** Consumes a point. @returns time until the next point, in ms, if none was left */
async function consume(limiter: RateLimiterRedis, name: string): Promise<number | undefined> {
  try {
    await limiter.consume(name);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof RateLimiterRes)) throw thrown;
    return thrown.msBeforeNext;
  }
}

import type { RateLimiterRedis } from 'rate-limiter-flexible';
import { within } from '../infra/clock.ts';
import { networkOf } from '../infra/network.ts';
import { pointLimiter, takePoint } from '../infra/point-limiter.ts';
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

/** Reports per network in REPORT_SECONDS. */
const REPORTS = 10;
const REPORT_SECONDS = 3_600;

/** Limits the reports of a network, counted like the attempts at passwords. */
export class ReportLimit {
  readonly #reports: RateLimiterRedis;

  constructor(redis: Redis) {
    this.#reports = pointLimiter(redis, 'reports', { points: REPORTS, duration: REPORT_SECONDS });
  }

  /** Consumes a report. @returns time until the next report, in ms, if none was left */
  take(ip: string): Promise<number | undefined> {
    return takePoint(this.#reports, networkOf(ip));
  }
}

import { within } from '../infra/clock.ts';
import type { Redis } from '../infra/redis.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import { Unavailable } from '../lookup/find.ts';
import { countVisits } from '../lookup/rows.ts';

const ANSWER_MS = 300;
/** By then every visit is in Postgres, from which a count that has gone is made again. */
const KEEP_SECONDS = 7 * 86_400;

/*
 * KEYS[1] count of visits   KEYS[2] this visit's id   (one hash tag: one node of a cluster)
 * ARGV[1] most visits   ARGV[2] count to begin with, or ''   ARGV[3] seconds to know the id   ARGV[4] to keep the count
 * Answers 1: may pass; 0: used up; -1: there is no count, and none to begin with.
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
 * Counts the visits of links that may have only so many. The count is kept in the Redis of the queues, which all
 * processes share, and begins with what Postgres has counted. A visit that would not count as a new one (the same
 * visitor, in the same window) takes nothing.
 */
export class Quota {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.defineCommand('takeVisit', { numberOfKeys: 2, lua: TAKE });
  }

  /**
   * Takes a visit. Answers false when all are taken.
   *
   * @param clickId the same for visits that count as one
   * @param windowSeconds how long it is
   * @throws Unavailable when nobody can tell
   */
  async take(
    { id, projectId, maxVisits }: LinkEntry,
    clickId: string,
    windowSeconds: number,
  ): Promise<boolean> {
    const names = [countName(id), `${countName(id)}:${clickId}`];
    const know = Math.max(2 * windowSeconds, 60);
    const take = (first: number | '') =>
      this.#ask(
        (this.#redis as unknown as WithTake).takeVisit(
          ...names,
          maxVisits!,
          first,
          know,
          KEEP_SECONDS,
        ),
      );
    const answer = await take('');
    return (answer === -1 ? await take(await this.#ask(countVisits(projectId, id))) : answer) === 1;
  }

  /** @throws Unavailable when nobody can tell */
  async isUsedUp({ id, projectId, maxVisits }: LinkEntry): Promise<boolean> {
    const stored = await this.#ask(this.#redis.get(countName(id)));
    const count = stored === null ? await this.#ask(countVisits(projectId, id)) : Number(stored);
    return count >= maxVisits!;
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await within(ANSWER_MS, answer, 'the count of visits');
    } catch (error) {
      throw new Unavailable('the count of visits is not known', { cause: error });
    }
  }
}

const countName = (linkId: string) => `visits:{${linkId}}`;

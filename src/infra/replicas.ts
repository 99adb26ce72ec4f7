import { config } from '../config.ts';
import { memoize } from './memoize.ts';
import type { SingleRedis } from './redis.ts';

/*
 * Confirmation of writes by replicas (REDIS_WAIT_REPLICAS). A primary answers before its replicas
 * have a write, and a replica that takes over may lack it. WAIT returns how many replicas have all
 * earlier writes of its own connection, so it must be sent on the connection of the write; on
 * another one, even the same after a reconnection, it covers nothing.
 *
 *   enough ──WAIT counts too few──▶ short ──WAIT counts enough──▶ enough
 *
 * While there are too few replicas, they are counted before each write, so that a write that cannot
 * be confirmed is refused, instead of being written again by every attempt.
 */

/**
 * Time limit for replicas to confirm a write, in ms. Usually it takes as long as a ping, and a
 * visitor waits for it: after 500 ms the visit is written to disk. Other commands of the connection
 * wait as long.
 */
const CONFIRM_MS = 400;

/** Error of a write for which it is unknown whether enough replicas have it. */
export class Unconfirmed extends Error {}

/** Returns true if writes of visits and accepted jobs must be confirmed by replicas. */
export const needsReplicas = (): boolean => config().REDIS_WAIT_REPLICAS > 0;

/**
 * Writes over a connection, and resolves when REDIS_WAIT_REPLICAS replicas have the write.
 * Concurrent writes of the connection share one WAIT.
 *
 * @param write uses no other connection; resolves to false if it has written nothing
 * @throws Unconfirmed when the write was made but not confirmed; the error of `write`; Error when
 * nothing was written because too few replicas answer
 */
export function replicated<Result>(
  redis: SingleRedis,
  write: () => Promise<Result>,
): Promise<Result> {
  if (!needsReplicas()) return write();
  return replicasOf(redis).confirm(write);
}

const replicasOf = memoize((redis: SingleRedis) => new Replicas(redis), new WeakMap());

/** The replicas of a connection's server. */
class Replicas {
  readonly #redis: SingleRedis;
  /** Number of times that the connection was lost. */
  #losses = 0;
  #isShort = false;
  /** The WAIT that is sent after the running one. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(redis: SingleRedis) {
    this.#redis = redis;
    redis.on('close', () => {
      this.#losses += 1;
    });
  }

  async confirm<Result>(write: () => Promise<Result>): Promise<Result> {
    if (this.#isShort) await this.#count();
    const losses = this.#losses;
    const result = await write();
    if (result === false) return result;
    try {
      await this.#count();
      if (this.#losses !== losses) throw new Error('the connection to Redis was lost');
    } catch (cause) {
      throw new Unconfirmed('replicas of Redis have not confirmed a write', { cause });
    }
    return result;
  }

  /**
   * Counts the replicas. Only one WAIT runs at a time; callers that arrive meanwhile share the next
   * one.
   */
  #count(): Promise<void> {
    if (this.#next === undefined) {
      const next = this.#last.then(() => {
        this.#next = undefined;
        return this.#wait();
      });
      this.#next = next;
      this.#last = next.catch(() => {});
    }
    return this.#next;
  }

  async #wait(): Promise<void> {
    const needed = config().REDIS_WAIT_REPLICAS;
    const count = await this.#redis.wait(needed, CONFIRM_MS);
    this.#isShort = count < needed;
    if (!this.#isShort) return;
    throw new Error(
      `${count} replicas of Redis have a write after ${CONFIRM_MS} ms, and REDIS_WAIT_REPLICAS is ${needed}`,
    );
  }
}

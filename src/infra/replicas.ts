import { config } from '../config.ts';
import type { SingleRedis } from './redis.ts';

/*
 * Confirmation of writes by replicas (REDIS_WAIT_REPLICAS). A primary answers before its replicas have a write, and one that takes
 * over may lack it. WAIT answers how many replicas have all writes that its own connection made before, so it has to be sent over
 * the connection of the write: on another one, also the same after it was opened again, it knows nothing of it.
 *
 *   enough ──WAIT counts too few──▶ short ──WAIT counts enough──▶ enough
 *
 * While replicas are short, they are counted before anything is written: what cannot be confirmed is refused, and not written
 * once more by every attempt.
 */

/**
 * Time that replicas have to confirm a write, in ms. They take about as long as a ping, and a visitor waits for it: after 500 ms the
 * visit is written to the disk. Other commands of the connection wait as long.
 */
const CONFIRM_MS = 400;

/** A write was made, and it isn't known whether enough replicas have it. */
export class Unconfirmed extends Error {}

/** True where writes of visits and accepted jobs have to be confirmed by replicas. */
export const needsReplicas = (): boolean => config().REDIS_WAIT_REPLICAS > 0;

/**
 * Writes over a connection, and resolves when REDIS_WAIT_REPLICAS replicas have it. Others that write over it at the same time share
 * the question.
 *
 * @param write uses no other connection; answers false where it has written nothing
 * @throws Unconfirmed when it was written, and not confirmed; what `write` throws; Error when nothing was written, because too few
 *   replicas answer
 */
export function replicated<Result>(
  redis: SingleRedis,
  write: () => Promise<Result>,
): Promise<Result> {
  if (!needsReplicas()) return write();
  const replicas = known.get(redis) ?? new Replicas(redis);
  known.set(redis, replicas);
  return replicas.confirm(write);
}

const known = new WeakMap<SingleRedis, Replicas>();

/** The replicas of the server of a connection. */
class Replicas {
  readonly #redis: SingleRedis;
  /** How often the connection was lost. */
  #losses = 0;
  #isShort = false;
  /** The question that is sent when the one under way has its answer. */
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

  /** One question is under way at a time; those who ask meanwhile share the next one. */
  #count(): Promise<void> {
    if (this.#next === undefined) {
      const next = this.#last.then(() => {
        this.#next = undefined;
        return this.#ask();
      });
      this.#next = next;
      this.#last = next.catch(() => {});
    }
    return this.#next;
  }

  async #ask(): Promise<void> {
    const needed = config().REDIS_WAIT_REPLICAS;
    const count = await this.#redis.wait(needed, CONFIRM_MS);
    this.#isShort = count < needed;
    if (!this.#isShort) return;
    throw new Error(
      `${count} replicas of Redis have a write after ${CONFIRM_MS} ms, and REDIS_WAIT_REPLICAS is ${needed}`,
    );
  }
}

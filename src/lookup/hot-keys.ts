import type { Redis } from '../infra/redis.ts';

/*
 * The links that redirect processes are asked for most, which one that starts reads before it takes requests: else those would
 * be its first look-ups, all at once.
 *
 * Each process puts its own in the Redis of the queues now and then, under one of few names that it shares with others. Any
 * of them will do: visitors come to all alike.
 */

/** One of so many requests that memory answers is counted. */
const SAMPLED = 16;
/** Most links that are counted at once. */
const MOST_COUNTED = 4_096;
/** Most links of one list. */
const MOST_LISTED = 500;
/** Most links that are read at the start. */
const MOST_READ = 1_000;
/** Links that are looked up at once when a process starts. */
const WARMED_AT_ONCE = 200;
/** Lists; which one a process writes is chosen by chance when it starts. */
const LISTS = 8;
/** Time for which a list is kept, in seconds: processes that all were stopped for a while find it again. */
const KEEP_SECONDS = 86_400;
const PUBLISH_MS = 10_000;

const listName = (number: number): string => `lookup:hot:${number}`;

/** Counts the links that are asked for, and tells other processes which they are. */
export class HotKeys {
  readonly #redis: Redis;
  readonly #list = listName(Math.floor(Math.random() * LISTS));
  readonly #counts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #asked = 0;

  /** @param redis of the queues */
  constructor(redis: Redis) {
    this.#redis = redis;
    this.#timer = setInterval(() => this.#publish(), PUBLISH_MS).unref();
  }

  /** To be called for each request that memory answers. */
  note(host: string, key: string): void {
    this.#asked = (this.#asked + 1) % SAMPLED;
    if (this.#asked !== 0) return;
    const name = `${host}/${key}`;
    if (this.#counts.size >= MOST_COUNTED && !this.#counts.has(name)) this.#decay();
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Looks up the links that processes were asked for most.
   *
   * @param isRemembering resolves when what is looked up is remembered: what came before would be dropped
   * @returns how many were looked up; 0 where none are known
   */
  async warmUp(
    lookUp: (host: string, key: string) => Promise<unknown>,
    isRemembering: Promise<void>,
  ): Promise<number> {
    const hottest = await this.#hottest();
    if (hottest.length > 0) await isRemembering;
    for (let first = 0; first < hottest.length; first += WARMED_AT_ONCE) {
      const some = hottest.slice(first, first + WARMED_AT_ONCE);
      await Promise.allSettled(some.map(([host, key]) => lookUp(host, key)));
    }
    return hottest.length;
  }

  /** The links that processes were asked for most, as host and key, the hottest first. */
  async #hottest(): Promise<[host: string, key: string][]> {
    const lists = await Promise.all(
      Array.from({ length: LISTS }, (_, number) => this.#redis.get(listName(number))),
    );
    const counts = new Map<string, number>();
    for (const [name, count] of lists.flatMap((list) => parse(list))) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return hottestOf(counts, MOST_READ).map(([name]) => {
      const slash = name.indexOf('/');
      return [name.slice(0, slash), name.slice(slash + 1)];
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #publish(): void {
    if (this.#counts.size === 0 || this.#redis.status !== 'ready') return;
    const list = JSON.stringify(hottestOf(this.#counts, MOST_LISTED));
    this.#decay();
    this.#redis.set(this.#list, list, 'EX', KEEP_SECONDS).catch(() => {
      // The next one says the same.
    });
  }

  /** Recent requests count more; a link that is requested once is forgotten. */
  #decay(): void {
    for (const [name, count] of this.#counts) {
      if (count < 2) this.#counts.delete(name);
      else this.#counts.set(name, count / 2);
    }
  }
}

const parse = (list: string | null): [string, number][] =>
  list === null ? [] : (JSON.parse(list) as [string, number][]);

const hottestOf = (counts: ReadonlyMap<string, number>, most: number): [string, number][] =>
  [...counts].toSorted(([, one], [, other]) => other - one).slice(0, most);

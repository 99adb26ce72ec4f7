import type { Redis } from '../infra/redis.ts';

/*
 * The most requested links. A redirect process that starts loads them before it takes requests;
 * otherwise they would be its first look-ups, all at once.
 *
 * Each process stores its own list in the Redis of the queues now and then, under one of a few
 * names that it shares with others. Visitors are spread over all processes, so any list will do.
 */

/** One in this many requests that memory answers is counted. */
const SAMPLED = 16;
/** Maximum number of links counted at a time. */
const MAX_COUNTED = 4_096;
/** Maximum number of links in a list. */
const MAX_LISTED = 500;
/** Maximum number of links loaded at the start. */
const MAX_PRELOADED = 1_000;
/** Links looked up at a time when a process starts. */
const WARMED_AT_ONCE = 200;
/** Number of lists. A process picks one at random when it starts. */
const LISTS = 8;
/** Time to live of a list, in seconds, which outlasts a stop of all processes. */
const KEEP_SECONDS = 86_400;
const PUBLISH_MS = 10_000;

const listName = (number: number): string => `lookup:hot:${number}`;

/** Counts requested links, and shares the most requested ones with other processes. */
export class HotKeys {
  readonly #redis: Redis;
  readonly #list = listName(Math.floor(Math.random() * LISTS));
  readonly #counts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #asked = 0;

  /** @param redis Redis of the queues */
  constructor(redis: Redis) {
    this.#redis = redis;
    this.#timer = setInterval(() => this.#publish(), PUBLISH_MS).unref();
  }

  /** Counts a request that memory answered. */
  record(host: string, key: string): void {
    this.#asked = (this.#asked + 1) % SAMPLED;
    if (this.#asked !== 0) return;
    const name = `${host}/${key}`;
    if (this.#counts.size >= MAX_COUNTED && !this.#counts.has(name)) this.#decay();
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

  /** Reads the most requested links of all processes as host and key, the hottest first. */
  async #hottest(): Promise<[host: string, key: string][]> {
    const lists = await Promise.all(
      Array.from({ length: LISTS }, (_, number) => this.#redis.get(listName(number))),
    );
    const counts = new Map<string, number>();
    for (const [name, count] of lists.flatMap((list) => parse(list))) {
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return hottestOf(counts, MAX_PRELOADED).map(([name]) => {
      const slash = name.indexOf('/');
      return [name.slice(0, slash), name.slice(slash + 1)];
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #publish(): void {
    if (this.#counts.size === 0 || this.#redis.status !== 'ready') return;
    const list = JSON.stringify(hottestOf(this.#counts, MAX_LISTED));
    this.#decay();
    this.#redis.set(this.#list, list, 'EX', KEEP_SECONDS).catch(() => {
      // The next list repeats the counts.
    });
  }

  /**
   * Halves the counts, so that recent requests weigh more and links with a single request
   * disappear.
   */
  #decay(): void {
    for (const [name, count] of this.#counts) {
      if (count < 2) this.#counts.delete(name);
      else this.#counts.set(name, count / 2);
    }
  }
}

const parse = (list: string | null): [string, number][] =>
  list === null ? [] : (JSON.parse(list) as [string, number][]);

const hottestOf = (counts: ReadonlyMap<string, number>, limit: number): [string, number][] =>
  [...counts].toSorted(([, one], [, other]) => other - one).slice(0, limit);

import { isDataError } from '../infra/outage.ts';

/*
 * Combines concurrent look-ups: those of one name share a look-up (`SharedLookups`), those of
 * different names share a query (`Batch`).
 */

/** A running look-up. */
export interface Lookup {
  /** The entry has changed since the look-up began, so its answer must not be remembered. */
  isOutdated: boolean;
}

interface Running {
  readonly lookup: Lookup;
  /** Resolves once the look-up has ended, successfully or not. */
  readonly ended: Promise<void>;
  next: Promise<unknown> | undefined;
}

/**
 * Runs at most one look-up of a name at a time, with at most one waiting for its end. Callers join
 * the waiting one: a look-up that began before a call could miss what was created in between.
 */
export class SharedLookups {
  readonly #running = new Map<string, Running>();

  /** @param start starts the look-up; the same for every call with this name */
  ask<T>(name: string, start: (lookup: Lookup) => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running === undefined) return this.#start(name, start);
    running.next ??= running.ended.then(() => this.#start(name, start));
    return running.next as Promise<T>;
  }

  invalidate(name: string): void {
    const running = this.#running.get(name);
    if (running !== undefined) running.lookup.isOutdated = true;
  }

  invalidateAll(): void {
    for (const { lookup } of this.#running.values()) lookup.isOutdated = true;
  }

  #start<T>(name: string, start: (lookup: Lookup) => Promise<T>): Promise<T> {
    const lookup: Lookup = { isOutdated: false };
    const result = start(lookup);
    const end = () => {
      // The next look-up, if there is one, takes this place in the map when it starts.
      if (running.next === undefined) this.#running.delete(name);
    };
    const running: Running = { lookup, ended: result.then(end, end), next: undefined };
    this.#running.set(name, running);
    return result;
  }
}

/** Maximum number of keys in a query. */
const MAX_LOOKUPS_PER_QUERY = 500;
/** Maximum number of concurrent queries: with all kinds of look-ups at most half of the pool. */
const MAX_QUERIES = 2;

interface Waiting<Key, Value> {
  key: Key;
  resolve(answer: Value | null): void;
  reject(error: unknown): void;
}

/**
 * Reads all keys of one turn of the event loop in one query, with few queries at a time: further
 * keys wait for the next one. So thousands of requests for names that do not exist cost a few
 * queries.
 *
 * A key is only ever part of a query that began after it was requested.
 */
export class Batch<Key, Value> {
  readonly #query: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>;
  #waiting: Waiting<Key, Value>[] = [];
  #queries = 0;
  readonly #maxQueries: number;
  #isPlanned = false;

  /**
   * @param query returns the values in the order of the keys
   * @param maxQueries maximum number of concurrent queries
   */
  constructor(
    query: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>,
    maxQueries = MAX_QUERIES,
  ) {
    this.#query = query;
    this.#maxQueries = maxQueries;
  }

  ask(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0 || this.#queries >= this.#maxQueries) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const group = this.#waiting.splice(0, MAX_LOOKUPS_PER_QUERY);
      this.#queries += 1;
      void this.#read(group).finally(() => {
        this.#queries -= 1;
        this.#plan();
      });
      this.#plan();
    });
  }

  async #read(group: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await this.#query(group.map(({ key }) => key));
      for (const [at, { resolve }] of group.entries()) resolve(values[at] ?? null);
    } catch (error) {
      if (group.length > 1 && isDataError(error)) {
        // One key is at fault, so the others are read without it.
        const middle = Math.ceil(group.length / 2);
        await this.#read(group.slice(0, middle));
        await this.#read(group.slice(middle));
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }
}

/** Priority of a look-up; `prefix` for a prefix of a path, for which other look-ups do not wait. */
export type Priority = 'exact' | 'prefix';

/** Look-ups of one request that are made at once, and count as one towards the limit of those that wait for Postgres. */
export interface LookupGroup {
  priority: Priority;
  /** Number of look-ups that wait for Postgres. */
  waiting: number;
}

export const groupOf = (priority: Priority): LookupGroup => ({ priority, waiting: 0 });

import { isDataError } from '../infra/outage.ts';

/*
 * Many requests ask at once: those for one name share a look-up (`SharedLookups`), those for different names a query
 * (`Batch`).
 */

/** A look-up that is under way. */
export interface Lookup {
  /** The entry was changed after the look-up began: the answer may be given, but not remembered. */
  isOutdated: boolean;
}

interface Running {
  readonly lookup: Lookup;
  /** Resolves when the look-up has ended, well or not. */
  readonly ended: Promise<void>;
  next: Promise<unknown> | undefined;
}

/**
 * At most one look-up of a name is under way, and at most one waits for its end. A caller joins the one
 * that waits: none gets an answer from a look-up that began before the question, because that would miss
 * what was created in between.
 */
export class SharedLookups {
  readonly #running = new Map<string, Running>();

  /** @param start starts the look-up; for one name it must always be the same one */
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
      // The next one, if there is one, takes the place in the map when it starts.
      if (running.next === undefined) this.#running.delete(name);
    };
    const running: Running = { lookup, ended: result.then(end, end), next: undefined };
    this.#running.set(name, running);
    return result;
  }
}

/** Questions of one query. */
const MOST_QUESTIONS = 500;
/** Queries under way at once: with all kinds of look-ups at most half of the pool. */
const MOST_QUERIES = 2;

interface Waiting<Question, Answer> {
  question: Question;
  resolve(answer: Answer | null): void;
  reject(error: unknown): void;
}

/**
 * Asks all questions of one turn of the event loop in one query, and few queries at once: what comes meanwhile
 * waits for the next one. So thousands of requests for names that nothing has cost some queries, not thousands.
 *
 * A question is only ever part of a query that began after it.
 */
export class Batch<Question, Answer> {
  readonly #query: (questions: readonly Question[]) => Promise<readonly (Answer | null)[]>;
  #waiting: Waiting<Question, Answer>[] = [];
  #queries = 0;
  readonly #mostQueries: number;
  #isPlanned = false;

  /**
   * @param query answers in the order of the questions
   * @param mostQueries that may be under way at once
   */
  constructor(
    query: (questions: readonly Question[]) => Promise<readonly (Answer | null)[]>,
    mostQueries = MOST_QUERIES,
  ) {
    this.#query = query;
    this.#mostQueries = mostQueries;
  }

  ask(question: Question): Promise<Answer | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0 || this.#queries >= this.#mostQueries) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const group = this.#waiting.splice(0, MOST_QUESTIONS);
      this.#queries += 1;
      void this.#answer(group).finally(() => {
        this.#queries -= 1;
        this.#plan();
      });
      this.#plan();
    });
  }

  async #answer(group: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#query(group.map(({ question }) => question));
      for (const [at, { resolve }] of group.entries()) resolve(answers[at] ?? null);
    } catch (error) {
      if (group.length > 1 && isDataError(error)) {
        // One question is at fault: the others are asked apart from it.
        const middle = Math.ceil(group.length / 2);
        await this.#answer(group.slice(0, middle));
        await this.#answer(group.slice(middle));
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }
}

/** `prefix`: the name is a beginning of a path, and others do not wait for it. */
export type Priority = 'exact' | 'prefix';

/** Look-ups of one request that are made at once, and count as one towards the limit of those that wait for Postgres. */
export interface LookupGroup {
  priority: Priority;
  /** Those that wait for Postgres. */
  waiting: number;
}

export const groupOf = (priority: Priority): LookupGroup => ({ priority, waiting: 0 });

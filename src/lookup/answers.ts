import { config } from '../config.ts';
import { within } from '../infra/clock.ts';
import { db } from '../infra/db.ts';
import type { ErrorLog } from '../infra/error-log.ts';
import { keyCheck } from '../infra/keys.ts';
import { isDataError } from '../infra/outage.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { publish } from '../infra/redis-channels.ts';
import { installed, LASTING_KEYS } from '../infra/secret-key.ts';
import { CURRENT_PREFIX, readStored } from './codec.ts';
import { epochOf, fill, KeptMisses } from './publish.ts';
import {
  type Answer,
  answersTo,
  KEY_CHECK_NAME,
  LASTING_KEYS_NAME,
  QUESTIONS,
  type Question,
} from './questions.ts';
import { POSTGRES_MS, type Row } from './rows.ts';
import { PostgresSource } from './source.ts';

/** Questions that are answered at once; further ones wait in Redis, for other processes too. */
const MOST_AT_ONCE = 16;
/** Time for which Redis holds the request for a question, in seconds. */
const WAIT_SECONDS = 5;
/** Pause after a failure, in ms. */
const PAUSE_MS = 250;
/** Longest time until no further question is taken, in ms. */
const CLOSE_MS = 1_000;
/** Timeout of a look-up in the cache, in ms. */
const CACHE_MS = 300;

/** Dependencies of {@link Answers}. */
export interface AnswersOptions {
  /** Connection to the Redis of the queues. */
  queue: Redis;
  /** Connection to the server of the same Redis that has {@link QUESTIONS}; waits for them, and does nothing else. */
  waiting: SingleRedis;
  /** The look-up cache, to which can be written. */
  cache: Redis;
  errors: ErrorLog;
}

/**
 * Answers the questions of redirect processes without Postgres (`questions.ts`): from the cache where that knows, else
 * from Postgres, and then fills the cache. One that nobody waits for any more costs a query and no more.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #source = new PostgresSource();
  readonly #misses = new KeptMisses();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #isClosed = false;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Takes no further question, and answers those that it has taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.waiting.disconnect();
    // A command that waits for a connection is never settled once that is given up.
    await within(CLOSE_MS, this.#running, 'closing').catch(() => {});
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const taken = await this.#options.waiting.blpop(QUESTIONS, WAIT_SECONDS);
        if (taken === null) continue;
        const answering = this.#answer(JSON.parse(taken[1]) as Question).finally(() =>
          this.#underWay.delete(answering),
        );
        this.#underWay.add(answering);
        if (this.#underWay.size >= MOST_AT_ONCE) await Promise.race(this.#underWay);
      } catch (error) {
        if (this.#isClosed) return;
        this.#options.errors.report(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  async #answer({ to, id, names }: Question): Promise<void> {
    const { queue, errors } = this.#options;
    const answers = await Promise.all(
      names.map(async (name): Promise<Answer> => {
        try {
          return await within(POSTGRES_MS, this.#find(name), 'a look-up in Postgres');
        } catch (error) {
          if (isDataError(error)) return null;
          errors.report(error);
          return false;
        }
      }),
    );
    await publish(queue, answersTo(to), JSON.stringify({ id, answers })).catch((error: unknown) => {
      errors.report(error);
    });
  }

  async #find(name: string): Promise<Row | null> {
    const [kind, projectId = '', id = ''] = name.split(':');
    if (name === KEY_CHECK_NAME) return { entry: keyCheck(config().SECRET_KEY), version: 0 };
    if (name === LASTING_KEYS_NAME) {
      const sealed = await installed(db(), LASTING_KEYS);
      return sealed === undefined ? null : { entry: sealed, version: 0 };
    }
    if (kind === 'vc') {
      return { entry: String(await this.#source.countVisits(projectId, id)), version: 0 };
    }
    const { cache } = this.#options;
    const epochOfCache = epochOf(cache);
    epochOfCache.refresh(performance.now());
    const epoch = epochOfCache.known;
    if (epoch === undefined) return this.#source.read(name);
    const read = await within(CACHE_MS, cache.get(name), 'the look-up cache').catch(
      () => undefined,
    );
    if (read === undefined) return this.#source.read(name);
    const stored = readStored(read, epoch);
    if (stored === null) return null;
    if (stored?.startsWith(CURRENT_PREFIX)) {
      return { entry: stored, version: Number.parseInt(read ?? '', 10) };
    }
    const found = await this.#source.read(name);
    if (found !== null || this.#misses.mayKeep()) {
      fill(cache, name, { read, found, epoch }).catch(() => {
        // The next question asks Postgres again.
      });
    }
    return found;
  }
}

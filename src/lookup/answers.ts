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
import { epochOf, fill, MissLimit } from './publish.ts';
import {
  type Answer,
  answersTo,
  KEY_CHECK_NAME,
  LASTING_KEYS_NAME,
  LOOKUP_REQUESTS,
  type LookupRequest,
} from './remote-source.ts';
import { POSTGRES_MS, type Row } from './rows.ts';
import { PostgresSource } from './source.ts';

/**
 * Maximum number of requests answered at a time; further ones wait in Redis, for other processes
 * too.
 */
const MAX_CONCURRENT = 16;
/** Time for which Redis blocks a read of the empty list, in seconds. */
const WAIT_SECONDS = 5;
/** Pause after a failure, in ms. */
const PAUSE_MS = 250;
/** Time limit for the pending read when the process closes, in ms. */
const CLOSE_MS = 1_000;
/** Timeout of a read from the look-up cache, in ms. */
const CACHE_MS = 300;

/** Dependencies of {@link Answers}. */
export interface AnswersOptions {
  /** Connection to the Redis of the queues. */
  queue: Redis;
  /**
   * Connection to the server of the same Redis that has {@link LOOKUP_REQUESTS}, for blocking
   * reads only.
   */
  waiting: SingleRedis;
  /** Writable connection to the look-up cache. */
  cache: Redis;
  errors: ErrorLog;
}

/**
 * Answers the look-ups of redirect processes without Postgres (`remote-source.ts`): from the cache
 * if it has the entry, else from Postgres, and then fills the cache. A request whose sender has
 * given up costs one query.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #source = new PostgresSource();
  readonly #misses = new MissLimit();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #isClosed = false;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Stops taking requests, and answers those already taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.waiting.disconnect();
    // A command that waits for a connection never settles once the connection is closed.
    await within(CLOSE_MS, this.#running, 'closing').catch(() => {});
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const item = await this.#options.waiting.blpop(LOOKUP_REQUESTS, WAIT_SECONDS);
        if (item === null) continue;
        const answering = this.#answer(JSON.parse(item[1]) as LookupRequest).finally(() =>
          this.#underWay.delete(answering),
        );
        this.#underWay.add(answering);
        if (this.#underWay.size >= MAX_CONCURRENT) await Promise.race(this.#underWay);
      } catch (error) {
        if (this.#isClosed) return;
        this.#options.errors.report(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  async #answer({ to, id, names }: LookupRequest): Promise<void> {
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
    const value = await within(CACHE_MS, cache.get(name), 'the look-up cache').catch(
      () => undefined,
    );
    if (value === undefined) return this.#source.read(name);
    const stored = readStored(value, epoch);
    if (stored === null) return null;
    if (stored?.startsWith(CURRENT_PREFIX)) {
      return { entry: stored, version: Number.parseInt(value ?? '', 10) };
    }
    const row = await this.#source.read(name);
    if (row !== null || this.#misses.tryTake()) {
      fill(cache, name, { value, row, epoch }).catch(() => {
        // The next look-up asks Postgres again.
      });
    }
    return row;
  }
}

import { within } from '../infra/clock.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { onMessage, subscribe } from '../infra/redis-channels.ts';
import type { Priority } from './concurrent-lookups.ts';
import { Batch } from './concurrent-lookups.ts';
import { POSTGRES_MS, type Row } from './rows.ts';
import type { EntrySource } from './source.ts';

/*
 * A redirect process without Postgres asks the processes that have it, through the Redis of the queues:
 *
 *   asks     LPUSH on QUESTIONS: { to, id, names }
 *   answers  PUBLISH on the asking process's own channel: { id, answers }, in the order of the names
 *
 * Who answers (`answers.ts`) takes the newest question first: those who wait for an older one may have given up. Nothing
 * is kept for long: the list is short, and expires when nobody takes anything from it.
 */

/** List of the questions that nobody has taken yet. */
export const QUESTIONS = 'lookup:questions';
/** Most questions in that list; the oldest are dropped. */
const MOST_QUESTIONS = 1_000;
/** Time for which an untaken list of questions is kept, in seconds. */
const KEEP_SECONDS = 2;
/** Questions of one process that may be under way at once. */
const MOST_UNDER_WAY = { exact: 8, prefix: 2 };
/** Time without an answer after which the connection for answers is opened again, in ms. */
const SILENCE_MS = 5_000;

/** One question: the names of entries, or of what else only Postgres knows. */
export interface Question {
  /** The asking process. */
  to: string;
  id: number;
  names: string[];
}

/** An entry; `null` where there is none; `false` where it could not be read. */
export type Answer = Row | null | false;

/** The channel on which a process gets its answers. */
export const answersTo = (process: string): string => `lookup:answers:${process}`;

/** Name under which the count of visits of a link or QR code is asked for. The answer is the entry of a row. */
export const countName = (projectId: string, id: string): string => `vc:${projectId}:${id}`;
/** Name under which the check of SECRET_KEY is asked for. */
export const KEY_CHECK_NAME = 'key:';
/** Name under which the sealed lasting keys are asked for. */
export const LASTING_KEYS_NAME = 'keys:';

/** Dependencies of {@link RemoteSource}. */
export interface RemoteSourceOptions {
  /** Connection to the Redis of the queues. */
  queue: Redis;
  /** Connection to the same Redis for answers alone, of `connectSubscriber`. */
  subscriber: SingleRedis;
  /** Unique to this process. */
  instance: string;
}

/** Reads entries from the processes that have Postgres. */
export class RemoteSource implements EntrySource {
  readonly label = 'remote';
  readonly isRemote = true;
  readonly #options: RemoteSourceOptions;
  readonly #batches = {
    exact: this.#batch(MOST_UNDER_WAY.exact),
    prefix: this.#batch(MOST_UNDER_WAY.prefix),
  };
  readonly #waiting = new Map<number, (answers: Answer[]) => void>();
  #count = 0;
  #answeredAt = performance.now();
  /** Nobody answered the last question: one at a time finds out whether that is still so. */
  #isAway = false;

  constructor(options: RemoteSourceOptions) {
    this.#options = options;
    const { subscriber, instance } = options;
    onMessage(subscriber, (_channel, message) => {
      const { id, answers } = JSON.parse(message) as { id: number; answers: Answer[] };
      this.#isAway = false;
      this.#answeredAt = performance.now();
      this.#waiting.get(id)?.(answers);
    });
    const listen = () => {
      subscribe(subscriber, answersTo(instance)).catch(() => {
        // The connection broke again: the next one subscribes.
      });
    };
    subscriber.on('ready', listen);
    if (subscriber.status === 'ready') listen();
  }

  /** @throws Error when nobody answers in time, or the answer is that Postgres could not be asked */
  async read(name: string, priority: Priority = 'exact'): Promise<Row | null> {
    const answer = await this.#batches[priority].ask(name);
    if (answer === false) throw new Error('Postgres did not answer the process that was asked');
    return answer;
  }

  /** @throws Error as {@link read} */
  async countVisits(projectId: string, id: string): Promise<number> {
    return Number((await this.read(countName(projectId, id)))?.entry ?? 0);
  }

  #batch(mostUnderWay: number): Batch<string, Exclude<Answer, null>> {
    return new Batch((names) => this.#ask(names), mostUnderWay);
  }

  async #ask(names: readonly string[]): Promise<Answer[]> {
    if (this.#isAway && this.#waiting.size > 0) throw AWAY;
    const { queue, instance } = this.#options;
    this.#count += 1;
    const id = this.#count;
    const question: Question = { to: instance, id, names: [...names] };
    try {
      const answered = new Promise<Answer[]>((resolve, reject) => {
        this.#waiting.set(id, resolve);
        queue
          .multi()
          .lpush(QUESTIONS, JSON.stringify(question))
          .ltrim(QUESTIONS, 0, MOST_QUESTIONS - 1)
          .expire(QUESTIONS, KEEP_SECONDS)
          .exec()
          .catch(reject);
      });
      return await within(POSTGRES_MS, answered, 'a look-up by a process with Postgres');
    } catch (error) {
      this.#noteSilence();
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #noteSilence(): void {
    this.#isAway = true;
    const { subscriber } = this.#options;
    const now = performance.now();
    // Its connection may be dead without a sign of it.
    if (subscriber.status !== 'ready' || now - this.#answeredAt < SILENCE_MS) return;
    this.#answeredAt = now;
    subscriber.disconnect(true);
  }
}

/** One for all, since there may be thousands a second. */
const AWAY = new Error('no process with Postgres answers');

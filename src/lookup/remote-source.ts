import { within } from '../infra/clock.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { onMessage, subscribe } from '../infra/redis-channels.ts';
import { Batch, type Priority } from './concurrent-lookups.ts';
import { POSTGRES_MS, type Row } from './rows.ts';
import type { EntrySource } from './source.ts';

/*
 * Request/reply between a redirect process without Postgres and the processes that have it, through
 * the Redis of the queues:
 *
 *   requests  LPUSH on LOOKUP_REQUESTS: { to, id, names }
 *   answers   PUBLISH on the requesting process's channel: { id, answers }, in the order of names
 *
 * The newest request is answered first (`answers.ts`), since the senders of older ones may have
 * given up. Nothing is kept for long: the list is short, and expires when nobody reads it.
 */

/** List of the requests that no process has taken yet. */
export const LOOKUP_REQUESTS = 'lookup:questions';
/** Maximum length of the list; the oldest requests are dropped. */
const MAX_REQUESTS = 1_000;
/** Time to live of a list that nobody reads, in seconds. */
const KEEP_SECONDS = 2;
/** Maximum number of pending requests of a process, by priority. */
const MAX_PENDING = { exact: 8, prefix: 2 };
/** Time without an answer after which the connection for answers is reopened, in ms. */
const SILENCE_MS = 5_000;

/** A request/reply message: the names of entries, or of other values that only Postgres has. */
export interface LookupRequest {
  /** Id of the requesting process. */
  to: string;
  id: number;
  names: string[];
}

/** An entry; `null` if there is none; `false` if it could not be read. */
export type Answer = Row | null | false;

/** Channel on which a process receives its answers. */
export const answersTo = (process: string): string => `lookup:answers:${process}`;

/** Name of the count of visits of a link or QR code. The answer is an entry with the number. */
export const countName = (projectId: string, id: string): string => `vc:${projectId}:${id}`;
/** Name of the check of SECRET_KEY. */
export const KEY_CHECK_NAME = 'key:';
/** Name of the sealed lasting keys. */
export const LASTING_KEYS_NAME = 'keys:';

/** Dependencies of {@link RemoteSource}. */
export interface RemoteSourceOptions {
  /** Connection to the Redis of the queues. */
  queue: Redis;
  /** Connection to the same Redis for answers only, of `connectSubscriber`. */
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
    exact: this.#batch(MAX_PENDING.exact),
    prefix: this.#batch(MAX_PENDING.prefix),
  };
  readonly #waiting = new Map<number, (answers: Answer[]) => void>();
  #count = 0;
  #answeredAt = performance.now();
  /** True after an unanswered request: from then on only one request at a time tries again. */
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
        // The connection broke again; the next one subscribes.
      });
    };
    subscriber.on('ready', listen);
    if (subscriber.status === 'ready') listen();
  }

  /**
   * Reads an entry. @throws Error if nobody answers in time, or if the other process could not ask
   * Postgres
   */
  async read(name: string, priority: Priority = 'exact'): Promise<Row | null> {
    const answer = await this.#batches[priority].ask(name);
    if (answer === false) throw new Error('the process with Postgres could not query it');
    return answer;
  }

  /** Reads a count of visits. @throws Error as {@link read} */
  async countVisits(projectId: string, id: string): Promise<number> {
    return Number((await this.read(countName(projectId, id)))?.entry ?? 0);
  }

  #batch(maxPending: number): Batch<string, Exclude<Answer, null>> {
    return new Batch((names) => this.#request(names), maxPending);
  }

  async #request(names: readonly string[]): Promise<Answer[]> {
    if (this.#isAway && this.#waiting.size > 0) throw AWAY;
    const { queue, instance } = this.#options;
    this.#count += 1;
    const id = this.#count;
    const request: LookupRequest = { to: instance, id, names: [...names] };
    try {
      const answered = new Promise<Answer[]>((resolve, reject) => {
        this.#waiting.set(id, resolve);
        queue
          .multi()
          .lpush(LOOKUP_REQUESTS, JSON.stringify(request))
          .ltrim(LOOKUP_REQUESTS, 0, MAX_REQUESTS - 1)
          .expire(LOOKUP_REQUESTS, KEEP_SECONDS)
          .exec()
          .catch(reject);
      });
      return await within(POSTGRES_MS, answered, 'a look-up by a process with Postgres');
    } catch (error) {
      this.#handleSilence();
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #handleSilence(): void {
    this.#isAway = true;
    const { subscriber } = this.#options;
    const now = performance.now();
    // Its connection may be dead without a sign of it.
    if (subscriber.status !== 'ready' || now - this.#answeredAt < SILENCE_MS) return;
    this.#answeredAt = now;
    subscriber.disconnect(true);
  }
}

/** A shared instance, since there may be thousands a second. */
const AWAY = new Error('no process with Postgres answers');

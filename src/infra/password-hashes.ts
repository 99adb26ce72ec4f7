import { Worker } from 'node:worker_threads';

/** Tasks that may wait at once: each takes 19 MiB and some 20 ms of a core. */
const MOST_WAITING = 64;

/** The thread's input: compares a password with a hash, or makes its hash. */
export interface Task {
  id: number;
  password: string;
  /** Argon2id. */
  hash?: string;
}

/** The thread's answer. */
export type Done = { id: number } & ({ result: boolean | string } | { error: string });

interface Waiting extends Omit<Task, 'id'> {
  resolve(result: boolean | string): void;
  reject(error: unknown): void;
}

/** Too many tasks wait. */
export class Busy extends Error {}

/**
 * Makes and compares hashes of passwords in a thread of its own, at a lower priority: neither the event loop nor the
 * thread pool, which the spool writes its files with, ever waits for a hash. The thread starts with the first task.
 *
 * Guesses of some leave room for others: tasks are grouped (by link, by network), a group gets a place only while it has
 * less than half as many as are free, as in `queues/slots.ts`, and the groups take turns.
 */
export class PasswordHashes {
  /** By group; the one whose turn it is stands first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  /** The task that the thread is working on. */
  #current: (Waiting & { id: number }) | undefined;
  #thread: Worker | undefined;
  #lastId = 0;

  /**
   * True when this is the hash of this password.
   *
   * @param group the link, network or person on whose share of the thread it is compared
   * @throws Busy when too many wait, of all groups or of this one
   */
  async isOf(hash: string, password: string, group: string): Promise<boolean> {
    return (await this.#do({ hash, password }, group)) === true;
  }

  /**
   * The Argon2id hash of a password.
   *
   * @throws Busy as `isOf` does
   */
  async make(password: string, group: string): Promise<string> {
    return (await this.#do({ password }, group)) as string;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #do(task: Omit<Task, 'id'>, group: string): Promise<boolean | string> {
    const ofThis = this.#waiting.get(group) ?? [];
    if (ofThis.length >= (MOST_WAITING - this.#count) / 2) {
      throw new Busy('too many passwords wait to be checked');
    }
    return new Promise((resolve, reject) => {
      ofThis.push({ ...task, resolve, reject });
      this.#waiting.set(group, ofThis);
      this.#count += 1;
      this.#doNext();
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./password-thread.js', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    thread.unref();
    thread.on('message', (done: Done) => {
      const current = this.#current;
      if (current?.id !== done.id) return;
      this.#current = undefined;
      if ('error' in done) current.reject(new Error(done.error));
      else current.resolve(done.result);
      this.#doNext();
    });
    thread.on('error', (error) => this.#end(thread, error));
    thread.on('exit', () => this.#end(thread, new Error('the thread that checks passwords ended')));
    return thread;
  }

  /** One at a time, so that the thread has no queue that would be served in another order. */
  #doNext(): void {
    const [next] = this.#waiting;
    if (this.#current !== undefined || next === undefined) return;
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const [group, ofThis] = next;
    const one = ofThis.shift()!;
    this.#count -= 1;
    // A group that had its turn comes last.
    this.#waiting.delete(group);
    if (ofThis.length > 0) this.#waiting.set(group, ofThis);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#current = { ...one, id };
    const { resolve: _, reject: __, ...task } = one;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage({ id, ...task } satisfies Task);
  }

  /** The next task starts another thread. */
  #end(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    const undone = [this.#current, ...[...this.#waiting.values()].flat()];
    this.#current = undefined;
    this.#waiting.clear();
    this.#count = 0;
    for (const one of undone) one?.reject(error);
  }
}

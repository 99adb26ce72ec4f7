import { Worker } from 'node:worker_threads';

/** Maximum number of waiting tasks; each takes 19 MiB and about 20 ms of a core. */
const MAX_WAITING = 64;

/** Input of the thread: compares a password with a hash, or hashes it if there is none. */
export interface Task {
  id: number;
  password: string;
  /** Argon2id hash. */
  hash?: string;
}

/** Output of the thread. */
export type Done = { id: number } & ({ result: boolean | string } | { error: string });

interface Waiting extends Omit<Task, 'id'> {
  resolve(result: boolean | string): void;
  reject(error: unknown): void;
}

/** Error when too many tasks wait. */
export class Busy extends Error {}

/**
 * Hashes and verifies passwords in a separate thread of lower priority, so that neither the event
 * loop nor the thread pool, through which the spool writes files, ever waits for a hash. The thread
 * starts with the first task.
 *
 * Attackers must not block others: tasks are grouped (by link, by network), a group may only add a
 * task while its number of tasks is below half of the free places, as in `queues/slots.ts`, and the
 * groups take turns.
 */
export class PasswordHashes {
  /** Waiting tasks by group; the group whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;
  /** The task that the thread is processing. */
  #current: (Waiting & { id: number }) | undefined;
  #thread: Worker | undefined;
  #lastId = 0;

  /**
   * Resolves to true if the hash belongs to the password.
   *
   * @param group the link, network or person whose share of the thread is used
   * @throws Busy when too many tasks wait in total or in this group
   */
  async isOf(hash: string, password: string, group: string): Promise<boolean> {
    return (await this.#do({ hash, password }, group)) === true;
  }

  /**
   * Resolves to the Argon2id hash of a password.
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
    if (ofThis.length >= (MAX_WAITING - this.#count) / 2) {
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
    thread.on('message', (result: Done) => {
      const current = this.#current;
      if (current?.id !== result.id) return;
      this.#current = undefined;
      if ('error' in result) current.reject(new Error(result.error));
      else current.resolve(result.result);
      this.#doNext();
    });
    thread.on('error', (error) => this.#end(thread, error));
    thread.on('exit', () => this.#end(thread, new Error('the thread that checks passwords ended')));
    return thread;
  }

  /**
   * Sends one task at a time, because the thread's own queue would not follow the turns of groups.
   */
  #doNext(): void {
    const [next] = this.#waiting;
    if (this.#current !== undefined || next === undefined) return;
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const [group, ofThis] = next;
    const one = ofThis.shift()!;
    this.#count -= 1;
    // A group moves to the end after its turn.
    this.#waiting.delete(group);
    if (ofThis.length > 0) this.#waiting.set(group, ofThis);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#current = { ...one, id };
    const { resolve: _, reject: __, ...task } = one;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage({ id, ...task } satisfies Task);
  }

  /** Ends the thread; the next task starts another one. */
  #end(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    const undone = [this.#current, ...[...this.#waiting.values()].flat()];
    this.#current = undefined;
    this.#waiting.clear();
    this.#count = 0;
    for (const task of undone) task?.reject(error);
  }
}

import { fileURLToPath } from 'node:url';
import type { Piscina, PiscinaTask, TaskQueue } from 'piscina';

/** Limit of the tasks that wait: each takes 19 MiB and some 20 ms of a core. */
const MAX_WAITING = 64;

/** Input of the thread: a password to compare with a hash or, without one, to hash. */
export interface PasswordTask {
  password: string;
  hash?: string | undefined;
}

/** Too many tasks wait. */
export class Busy extends Error {}

/** Serves groups of tasks in turns, one task of each at a time. */
class FairQueue implements TaskQueue {
  /** The group to be served next is the first. */
  readonly #groups = new Map<string, PiscinaTask[]>();
  readonly #optionsSymbol: symbol;
  size = 0;

  /** @param optionsSymbol the key of a task's options in Piscina */
  constructor(optionsSymbol: symbol) {
    this.#optionsSymbol = optionsSymbol;
  }

  countOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  push(task: PiscinaTask): void {
    const group = this.#groupOf(task);
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), task]);
    this.size += 1;
  }

  shift(): PiscinaTask | null {
    const [next] = this.#groups;
    if (next === undefined) return null;
    const [group, [task, ...others]] = next;
    this.#groups.delete(group);
    if (others.length > 0) this.#groups.set(group, others);
    this.size -= 1;
    return task!;
  }

  remove(task: PiscinaTask): void {
    const group = this.#groupOf(task);
    const tasks = this.#groups.get(group) ?? [];
    const others = tasks.filter((one) => one !== task);
    this.size -= tasks.length - others.length;
    if (others.length > 0) this.#groups.set(group, others);
    else this.#groups.delete(group);
  }

  #groupOf(task: PiscinaTask): string {
    const options = (task as unknown as Record<symbol, { group: string }>)[this.#optionsSymbol];
    return options!.group;
  }
}

interface Pool {
  threads: Piscina<PasswordTask, boolean | string>;
  queue: FairQueue;
  optionsSymbol: symbol;
}

/**
 * Makes and compares hashes of passwords in a thread of its own, at a lower priority: neither the
 * event loop nor the thread pool of libuv, which writes the spool, waits for a hash. The thread
 * starts with the first task.
 *
 * Guesses at one password leave room for others: tasks are grouped (by link, by network), and a group
 * may add a task only while it has fewer than half as many as there are free places.
 */
export class PasswordHashes {
  #pool: Promise<Pool> | undefined;

  /**
   * Compares a password with a hash.
   *
   * @param group the link, network or person that the task counts for
   * @throws Busy when too many tasks wait, of all groups or of this one
   */
  async isOf(hash: string, password: string, group: string): Promise<boolean> {
    return (await this.#run({ hash, password }, group)) === true;
  }

  /**
   * Makes the Argon2id hash of a password.
   *
   * @throws Busy as `isOf` does
   */
  async make(password: string, group: string): Promise<string> {
    return (await this.#run({ password }, group)) as string;
  }

  async close(): Promise<void> {
    await (await this.#pool)?.threads.destroy();
  }

  async #run(task: PasswordTask, group: string): Promise<boolean | string> {
    this.#pool ??= openPool();
    const { threads, queue, optionsSymbol } = await this.#pool;
    if (queue.countOf(group) >= (MAX_WAITING - queue.size) / 2) {
      throw new Busy('too many passwords wait to be checked');
    }
    return threads.run({ ...task, [optionsSymbol]: { group } });
  }
}

async function openPool(): Promise<Pool> {
  // Most processes check no password.
  const { Piscina, queueOptionsSymbol: optionsSymbol } = await import('piscina');
  const queue = new FairQueue(optionsSymbol);
  const threads = new Piscina<PasswordTask, boolean | string>({
    filename: fileURLToPath(new URL('./password-thread.js', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Infinity,
    taskQueue: queue,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  return { threads, queue, optionsSymbol };
}

import { Refusal } from '../errors.ts';

/** Requests of one workspace that read many rows, at the same time in one process. */
const AT_ONCE = 3;
/** Requests of one workspace that may wait for that, and how long, in ms. */
const WAITING = 30;
const WAIT_MS = 5_000;

/**
 * Lets few heavy requests of a workspace run at once: they would take all connections to Postgres. Others wait their
 * turn for a while.
 */
export class HeavyRequests {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /**
   * @returns what is to be called once when the request has been answered
   * @throws Refusal `rate_limit_exceeded` when its turn does not come
   */
  async enter(projectId: string): Promise<() => void> {
    const running = this.#running.get(projectId) ?? 0;
    if (running >= AT_ONCE) await this.#wait(projectId);
    else this.#running.set(projectId, running + 1);
    return () => this.#leave(projectId);
  }

  /** Hands the place on to the one that has waited longest. */
  #leave(projectId: string): void {
    const [next] = this.#waiting.get(projectId) ?? [];
    if (next !== undefined) {
      next();
      return;
    }
    const left = (this.#running.get(projectId) ?? 1) - 1;
    if (left > 0) this.#running.set(projectId, left);
    else this.#running.delete(projectId);
  }

  async #wait(projectId: string): Promise<void> {
    const waiting = this.#waiting.get(projectId) ?? new Set();
    if (waiting.size >= WAITING) throw tooMany();
    this.#waiting.set(projectId, waiting);
    await new Promise<void>((resolve, reject) => {
      const end = (then: () => void) => {
        clearTimeout(timer);
        waiting.delete(take);
        if (waiting.size === 0) this.#waiting.delete(projectId);
        then();
      };
      const take = () => end(resolve);
      const timer = setTimeout(() => end(() => reject(tooMany())), WAIT_MS);
      waiting.add(take);
    });
  }
}

const tooMany = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    `The workspace may ask ${AT_ONCE} questions about many records at a time; try again when others have been answered`,
  );

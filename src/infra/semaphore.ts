/** Time limit of a wait for units. */
interface Timeout {
  ms: number;
  /** Makes the error that ends the wait. */
  error(): Error;
}

interface Waiting {
  units: number;
  rank: number;
  start(): void;
}

/**
 * Limits work that runs at once by its total of units, such as bytes. Further work waits: a lower
 * rank first, then in the order of arrival.
 */
export class Semaphore {
  readonly #units: number;
  #free: number;
  /** Waiting work in the order in which it starts. */
  readonly #waiting: Waiting[] = [];

  /** @param units total for all work that runs at once */
  constructor(units: number) {
    this.#units = units;
    this.#free = units;
  }

  /**
   * Runs work when enough units are free. Work that needs more units than there are runs alone.
   *
   * @param rank work of a lower rank starts before other waiting work
   * @param timeout time limit of the wait; without it, work waits until its units are free
   */
  async run<Result>(
    act: () => Promise<Result>,
    { units = 1, rank = 0, timeout }: { units?: number; rank?: number; timeout?: Timeout } = {},
  ): Promise<Result> {
    const needed = Math.min(units, this.#units);
    if (this.#waiting.length > 0 || this.#free < needed) {
      await this.#wait({ units: needed, rank }, timeout);
    } else this.#free -= needed;
    try {
      return await act();
    } finally {
      this.#free += needed;
      this.#startNext();
    }
  }

  #wait(wish: { units: number; rank: number }, timeout?: Timeout): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...wish,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(timeout!.error());
        // Fewer units may be free than this work needed, but enough for the next.
        this.#startNext();
      };
      const timer = timeout && setTimeout(giveUp, timeout.ms);
      const at = this.#waiting.findIndex(({ rank }) => rank > wish.rank);
      this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, waiting);
    });
  }

  #startNext(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (next.units > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.units;
      next.start();
    }
  }
}

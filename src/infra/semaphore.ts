/** Limit of a wait for units. */
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

/** Bounds the units that running work takes; further work waits in order. */
export class Semaphore {
  readonly #units: number;
  #free: number;
  /** In the order in which they start. */
  readonly #waiting: Waiting[] = [];

  /** @param units of all that runs at once */
  constructor(units: number) {
    this.#units = units;
    this.#free = units;
  }

  /**
   * Runs work when its units are free. Work that takes more units than there are runs alone.
   *
   * @param rank work of a lower rank starts before other work that waits
   * @param timeout without it, work waits until its units are free
   */
  async run<Result>(
    act: () => Promise<Result>,
    { units = 1, rank = 0, timeout }: { units?: number; rank?: number; timeout?: Timeout } = {},
  ): Promise<Result> {
    const taken = Math.min(units, this.#units);
    if (this.#waiting.length > 0 || this.#free < taken) {
      await this.#wait({ units: taken, rank }, timeout);
    } else this.#free -= taken;
    try {
      return await act();
    } finally {
      this.#free += taken;
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
        // Less may be free than this one needed, and enough for the next.
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

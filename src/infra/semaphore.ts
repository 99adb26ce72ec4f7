interface Waiting {
  units: number;
  rank: number;
  start(): void;
}

/** Lets work run as long as all that runs at once takes no more than so many units; other work waits. */
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
   * Runs something when its units are free. Work that takes more units than there are runs alone.
   *
   * @param rank work of a lower rank starts before other work that waits
   * @param waitMs longest wait for the units, in ms
   * @param busy makes what is thrown when that is over
   */
  async run<Result>(
    act: () => Promise<Result>,
    {
      units = 1,
      rank = 0,
      waitMs,
      busy,
    }: { units?: number; rank?: number; waitMs: number; busy(): Error },
  ): Promise<Result> {
    const taken = Math.min(units, this.#units);
    if (this.#waiting.length > 0 || this.#free < taken) {
      await this.#wait({ units: taken, rank }, waitMs, busy);
    } else this.#free -= taken;
    try {
      return await act();
    } finally {
      this.#free += taken;
      this.#startNext();
    }
  }

  #wait(wish: { units: number; rank: number }, waitMs: number, busy: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...wish,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(busy());
        // Less may be free than this one needed, and enough for the next.
        this.#startNext();
      }, waitMs);
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

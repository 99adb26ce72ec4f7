/** Longest delay of a metric, in ms. */
const HAND_OVER_MS = 200;

/** Counts for a metric that is moved a hundred thousand times a second: its own `inc` is hundreds of instructions. */
export class Tally {
  readonly #counter: { inc(count: number): void };
  #count = 0;

  constructor(counter: { inc(count: number): void }) {
    this.#counter = counter;
  }

  add(): void {
    this.#count += 1;
    if (this.#count === 1) setTimeout(() => this.#hand(), HAND_OVER_MS).unref();
  }

  #hand(): void {
    this.#counter.inc(this.#count);
    this.#count = 0;
  }
}

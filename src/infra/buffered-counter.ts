/** Maximum delay of the metric, in ms. */
const HAND_OVER_MS = 200;

/**
 * Buffers increments of a metric that changes a hundred thousand times a second, because each `inc`
 * of the metric takes hundreds of instructions.
 */
export class BufferedCounter {
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

/**
 * Bounds how many items are in hand at once. Those who wait are let in one by one, in the order in which they came; the last
 * one may exceed the bound by its own items.
 */
export class Room {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inHand = 0;
  /** True from when one is let in until its items are counted. */
  #isEntering = false;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Waits for room, then takes items and uses them. They are out of hand when `use` has ended.
   *
   * @param take reads the items: while there is no room, they take no memory
   */
  async use<Item>(
    take: () => readonly Item[],
    use: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    if (this.#isEntering || this.#inHand >= this.#most) {
      await new Promise<void>((enter) => this.#waiting.push(enter));
      this.#isEntering = false;
    }
    let count = 0;
    try {
      const items = take();
      count = items.length;
      this.#inHand += count;
      this.#admit();
      await use(items);
    } finally {
      this.#inHand -= count;
      this.#admit();
    }
  }

  #admit(): void {
    const enter =
      this.#isEntering || this.#inHand >= this.#most ? undefined : this.#waiting.shift();
    if (enter === undefined) return;
    this.#isEntering = true;
    enter();
  }
}

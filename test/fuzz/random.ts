import fc from 'fast-check';
import { seeded } from '../qr/pairwise.ts';

/** Random choices that are the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** Draws an integer from 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.#next() * below);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(256)));
  }

  /** Draws one value of a fast-check arbitrary. */
  draw<T>(arbitrary: fc.Arbitrary<T>): T {
    return fc.sample(arbitrary, { seed: this.int(2 ** 31), numRuns: 1 })[0]!;
  }
}

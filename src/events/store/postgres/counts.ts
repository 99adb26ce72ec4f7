import { type Amount, decodeZigzag, VarintReader, VarintWriter } from './varints.ts';

/*
 * Counts by the ids of values, as they are stored. The first byte is the format; then come the
 * ids in ascending order, each as the difference to the one before, with its count and, in the
 * format with amounts, its amount:
 *
 *   format 1   (id, count) …
 *   format 2   (id, count, amount) …
 *
 * Numbers are varints (`varints.ts`). Counts and amounts may be negative.
 */

const WITHOUT_AMOUNTS = 1;
const WITH_AMOUNTS = 2;
const FREE = -1;
/** Arrays of 64 bytes are the largest that V8 allocates without a separate buffer. */
const MIN_SLOTS = 8;

/** Counts and amounts by id, a natural number up to 2^53 - 1. */
export class Counts {
  /** An open-addressing hash table; ids in use are at least 0. */
  #ids: Float64Array;
  #counts: Float64Array;
  /** Amounts by slot; absent while all are 0. */
  #amounts: Amount[] | undefined;
  #used = 0;

  /** @param expected initial capacity, as a number of ids */
  constructor(expected = MIN_SLOTS / 2) {
    let slots = MIN_SLOTS;
    while (slots < 2 * expected) slots *= 2;
    this.#ids = new Float64Array(slots).fill(FREE);
    this.#counts = new Float64Array(slots);
  }

  /** Number of ids, including those with a count of 0. */
  get size(): number {
    return this.#used;
  }

  add(id: number, count: number, amount: Amount = 0): void {
    let slot = this.#slotOf(id);
    if (this.#ids[slot] === FREE) {
      if (2 * this.#used >= this.#ids.length) {
        this.#grow();
        slot = this.#slotOf(id);
      }
      this.#ids[slot] = id;
      this.#used += 1;
    }
    this.#counts[slot]! += count;
    if (amount === 0) return;
    this.#amounts ??= [];
    this.#amounts[slot] = plus(this.#amounts[slot] ?? 0, amount);
  }

  /** Adds other counts to these. */
  addAll(others: Counts): void {
    others.forEach((id, count, amount) => this.add(id, count, amount));
  }

  count(id: number): number {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === FREE ? 0 : this.#counts[slot]!;
  }

  amount(id: number): Amount {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === FREE ? 0 : (this.#amounts?.[slot] ?? 0);
  }

  /** Calls `visit` for each id, in no particular order. */
  forEach(visit: (id: number, count: number, amount: Amount) => void): void {
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      const id = this.#ids[slot]!;
      if (id !== FREE) visit(id, this.#counts[slot]!, this.#amounts?.[slot] ?? 0);
    }
  }

  /** Lists the ids whose count is not 0, in ascending order. */
  ids(): Float64Array {
    const ids = new Float64Array(this.#used);
    let size = 0;
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      if (this.#ids[slot] !== FREE && this.#counts[slot] !== 0) ids[size++] = this.#ids[slot]!;
    }
    return ids.subarray(0, size).toSorted();
  }

  /**
   * Packs the counts that are not 0 in the stored format. Returns `undefined` if there are
   * none.
   */
  pack(): Buffer | undefined {
    const ids = this.ids();
    if (ids.length === 0) return undefined;
    const hasAmounts = this.#amounts !== undefined && ids.some((id) => this.amount(id) !== 0);
    const writer = new VarintWriter(hasAmounts ? WITH_AMOUNTS : WITHOUT_AMOUNTS, ids.length);
    let before = 0;
    for (const id of ids) {
      const slot = this.#slotOf(id);
      writer.add(id - before);
      writer.addSigned(this.#counts[slot]!);
      if (hasAmounts) writer.addSigned(this.#amounts![slot] ?? 0);
      before = id;
    }
    return writer.bytes();
  }

  /** Finds the slot of an id, or the free slot where it belongs. */
  #slotOf(id: number): number {
    const mask = this.#ids.length - 1;
    // Multiplicative hashing (Knuth, 6.4) of blocks of eight slots, a cache line, because most ids
    // are consecutive.
    const block = Math.imul((id / 8) | 0, 0x9e3779b1) ^ Math.imul((id / 2 ** 32) | 0, 0x85ebca6b);
    let slot = ((block >>> 9) << 3) | (id & 7);
    for (slot &= mask; ; slot = (slot + 1) & mask) {
      const occupant = this.#ids[slot]!;
      if (occupant === id || occupant === FREE) return slot;
    }
  }

  #grow(): void {
    const [ids, counts, amounts] = [this.#ids, this.#counts, this.#amounts];
    this.#ids = new Float64Array(2 * ids.length).fill(FREE);
    this.#counts = new Float64Array(2 * ids.length);
    this.#amounts = amounts === undefined ? undefined : [];
    for (let slot = 0; slot < ids.length; slot += 1) {
      const id = ids[slot]!;
      if (id === FREE) continue;
      const to = this.#slotOf(id);
      this.#ids[to] = id;
      this.#counts[to] = counts[slot]!;
      const amount = amounts?.[slot];
      if (amount !== undefined) this.#amounts![to] = amount;
    }
  }
}

/**
 * Reads counts in the stored format.
 *
 * @throws Error for an unknown format
 */
export function readCounts(
  packed: Uint8Array,
  visit: (id: number, count: number, amount: Amount) => void,
): void {
  const format = packed[0];
  if (format !== WITHOUT_AMOUNTS && format !== WITH_AMOUNTS) {
    throw new Error(`Counts have the format ${format}, which is unknown`);
  }
  const reader = new VarintReader(packed);
  for (let id = 0; reader.at < packed.length; ) {
    id += reader.next();
    const count = reader.next();
    visit(id, decodeZigzag(count), format === WITH_AMOUNTS ? reader.nextAmount() : 0);
  }
}

/** Adds two amounts. */
export function plus(one: Amount, other: Amount): Amount {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(one) + BigInt(other);
}

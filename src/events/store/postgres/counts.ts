import { type Amount, decodeZigzag, VarintReader, VarintWriter } from './varints.ts';

/*
 * Counts by the ids of values, as they are stored. The first byte is the format; then come the
 * ids in ascending order, each as the difference to the one before, with its count and, in the
 * format with amounts, its amount:
 *
 *   format 1   (id, count) …
 *   format 2   (id, count, amount) …
 *
 * Visitors are stored apart, in the format 1, so that counts alone can be read. Numbers are varints
 * (`varints.ts`). Counts and amounts may be negative.
 */

const WITHOUT_AMOUNTS = 1;
const WITH_AMOUNTS = 2;
const FREE = -1;
/** Arrays of 64 bytes are the largest that V8 allocates without a separate buffer. */
const MIN_SLOTS = 8;

/** Counts of events, of their visitors, and amounts by id, a natural number up to 2^53 - 1. */
export class Counts {
  /** An open-addressing hash table; ids in use are at least 0. */
  #ids: Float64Array;
  #counts: Float64Array;
  /** Visitors by slot; absent while all are 0. */
  #visitors: Float64Array | undefined;
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

  add(id: number, count: number, amount: Amount = 0, visitors = 0): void {
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
    if (visitors !== 0) {
      this.#visitors ??= new Float64Array(this.#ids.length);
      this.#visitors[slot]! += visitors;
    }
    if (amount === 0) return;
    this.#amounts ??= [];
    this.#amounts[slot] = plus(this.#amounts[slot] ?? 0, amount);
  }

  /** Adds what other counts have of an id to another one. */
  addOf(others: Counts, otherId: number, id: number): void {
    const slot = others.#slotOf(otherId);
    if (others.#ids[slot] === FREE) return;
    this.add(id, others.#counts[slot]!, others.#amounts?.[slot], others.#visitors?.[slot]);
  }

  /** Adds other counts to these. */
  addAll(others: Counts): void {
    others.forEach((id, count, amount, visitors) => this.add(id, count, amount, visitors));
  }

  count(id: number): number {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === FREE ? 0 : this.#counts[slot]!;
  }

  visitors(id: number): number {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === FREE ? 0 : (this.#visitors?.[slot] ?? 0);
  }

  amount(id: number): Amount {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === FREE ? 0 : (this.#amounts?.[slot] ?? 0);
  }

  /** Calls `visit` for each id, in no particular order. */
  forEach(visit: (id: number, count: number, amount: Amount, visitors: number) => void): void {
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      const id = this.#ids[slot]!;
      if (id === FREE) continue;
      visit(id, this.#counts[slot]!, this.#amounts?.[slot] ?? 0, this.#visitors?.[slot] ?? 0);
    }
  }

  /** Lists the ids with a count or visitors that are not 0, in ascending order. */
  ids(): Float64Array {
    const ids = new Float64Array(this.#used);
    let size = 0;
    for (let slot = 0; slot < this.#ids.length; slot += 1) {
      if (this.#ids[slot] === FREE) continue;
      if (this.#counts[slot] !== 0 || (this.#visitors?.[slot] ?? 0) !== 0) {
        ids[size++] = this.#ids[slot]!;
      }
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

  /** Packs the visitors in the stored format; `undefined` if there are none. */
  packVisitors(): Buffer | undefined {
    if (this.#visitors === undefined) return undefined;
    const visitors = new Counts(this.#used);
    this.forEach((id, _, __, count) => visitors.add(id, count));
    return visitors.pack();
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
    const visitors = this.#visitors;
    this.#ids = new Float64Array(2 * ids.length).fill(FREE);
    this.#counts = new Float64Array(2 * ids.length);
    this.#visitors = visitors && new Float64Array(2 * ids.length);
    this.#amounts = amounts === undefined ? undefined : [];
    for (let slot = 0; slot < ids.length; slot += 1) {
      const id = ids[slot]!;
      if (id === FREE) continue;
      const to = this.#slotOf(id);
      this.#ids[to] = id;
      this.#counts[to] = counts[slot]!;
      if (visitors !== undefined) this.#visitors![to] = visitors[slot]!;
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
  const hasAmounts = haveAmounts(packed);
  const reader = new VarintReader(packed);
  for (let id = 0; reader.at < packed.length; ) {
    id += reader.next();
    const count = reader.next();
    visit(id, decodeZigzag(count), hasAmounts ? reader.nextAmount() : 0);
  }
}

/**
 * Adds up counts in the stored format.
 *
 * @throws Error for an unknown format
 */
export function totalOf(packed: Uint8Array): { count: number; amount: Amount } {
  const hasAmounts = haveAmounts(packed);
  const reader = new VarintReader(packed);
  const total: { count: number; amount: Amount } = { count: 0, amount: 0 };
  while (reader.at < packed.length) {
    reader.next();
    total.count += decodeZigzag(reader.next());
    if (hasAmounts) total.amount = plus(total.amount, reader.nextAmount());
  }
  return total;
}

function haveAmounts(packed: Uint8Array): boolean {
  const format = packed[0];
  if (format === WITHOUT_AMOUNTS || format === WITH_AMOUNTS) return format === WITH_AMOUNTS;
  throw new Error(`Counts have the format ${format}, which is unknown`);
}

/**
 * Reads counts together with their visitors, both in the stored format.
 *
 * @param visitors counts of the visitors, with some of the same ids
 * @throws Error for an unknown format
 */
export function readVisited(
  packed: Uint8Array,
  visitors: Uint8Array | null,
  visit: (id: number, count: number, amount: Amount, visitors: number) => void,
): void {
  if (visitors === null) {
    readCounts(packed, (id, count, amount) => visit(id, count, amount, 0));
    return;
  }
  if (visitors[0] !== WITHOUT_AMOUNTS) {
    throw new Error(`Counts of visitors have the format ${visitors[0]}, which is unknown`);
  }
  const reader = new VarintReader(visitors);
  let next = reader.next();
  readCounts(packed, (id, count, amount) => {
    if (id !== next) {
      visit(id, count, amount, 0);
      return;
    }
    visit(id, count, amount, decodeZigzag(reader.next()));
    next = reader.at < visitors.length ? next + reader.next() : FREE;
  });
}

/** Adds two amounts. */
export function plus(one: Amount, other: Amount): Amount {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(one) + BigInt(other);
}

import { sizeOf } from './block-numbers.ts';
import { VarintReader } from './varints.ts';

/*
 * The columns of a block. Each event has a code: 0 without a value, otherwise the position of its
 * value in the dictionary, from 1. A dictionary holds the ids of values in ascending order.
 *
 *   ascending numbers   the byte 1; the first one, zigzag; the differences to the number before, as
 *                       varints
 *   any numbers         the byte 2; each one, zigzag
 *   codes               the bits of a code: 0, 1, 2, 4, 8, 16 or 32; the codes, the lowest bits of a
 *                       byte first. With 0 bits, all codes are equal to the number of values in the
 *                       dictionary, which is 0 or 1
 *
 * Three rows of a block hold other lists instead, because its events are in order of time:
 *
 *   row        dictionary, as ascending numbers         codes
 *   times      times in µs since 1970, may repeat       none
 *   quarters   quarter-hours since 1970 with events     ascending numbers: for each, the number of
 *                                                       events until its end
 *   amounts    positions of events with an amount,      any numbers: their amounts in US cents
 *              from 0
 */

/** Packs codes of a dictionary with this number of values. */
export function packCodes(codes: Uint32Array, values: number): Buffer {
  const bits = bitsOf(codes, values);
  const packed = Buffer.alloc(1 + Math.ceil((codes.length * bits) / 8));
  packed[0] = bits;
  if (bits === 0) return packed;
  const bytes = packed.subarray(1);
  if (bits >= 8) {
    // All processors that Node.js supports are little-endian.
    const Sized = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array }[bits]!;
    bytes.set(new Uint8Array(Sized.from(codes).buffer));
    return packed;
  }
  const each = 8 / bits;
  for (let at = 0; at < codes.length; at += 1) {
    bytes[Math.floor(at / each)]! |= codes[at]! << ((at % each) * bits);
  }
  return packed;
}

function bitsOf(codes: Uint32Array, values: number): number {
  if (codes.every((code) => code === values) && values <= 1) return 0;
  return [1, 2, 4, 8, 16, 32].find((bits) => values < 2 ** bits)!;
}

/**
 * Finds the codes of some values of a dictionary and skips its other values.
 *
 * @param ids the values, in ascending order
 * @param isNone true to accept the code for no value as well
 * @returns by code: 1 if it is accepted, otherwise 0; nothing if no code is accepted
 */
export function acceptedCodes(
  dictionary: Uint8Array,
  ids: readonly number[],
  isNone: boolean,
): Uint8Array | undefined {
  const accepts = new Uint8Array(sizeOf(dictionary) + 1);
  accepts[0] = isNone ? 1 : 0;
  let isAny = isNone;
  const reader = new VarintReader(dictionary);
  for (let code = 1, id = 0, next = 0; code < accepts.length; code += 1) {
    id += code === 1 ? Number(reader.nextAmount()) : reader.next();
    while (next < ids.length && ids[next]! < id) next += 1;
    if (next === ids.length) break;
    if (ids[next] !== id) continue;
    accepts[code] = 1;
    isAny = true;
  }
  return isAny ? accepts : undefined;
}

/**
 * Finds the codes of a dictionary that have none of some values, with the code for no value.
 *
 * @param ids the values, in ascending order
 * @returns by code: 1 if it is accepted, otherwise 0
 */
export function otherCodes(dictionary: Uint8Array, ids: readonly number[]): Uint8Array {
  const accepts = acceptedCodes(dictionary, ids, false);
  if (accepts === undefined) return new Uint8Array(sizeOf(dictionary) + 1).fill(1);
  return accepts.map((isAccepted) => 1 - isAccepted);
}

/** Codes by event, in elements of 8, 16 or 32 bits; smaller codes take 8. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Reads the codes of a number of events, for a dictionary with this number of values. */
export function readCodes(packed: Uint8Array, events: number, values: number): Codes {
  const bits = packed[0]!;
  const bytes = packed.subarray(1);
  if (bits === 8) return bytes;
  if (bits > 8) return wideCodes(packed);
  const codes = new Uint8Array(events);
  if (bits === 0) return codes.fill(values);
  const lowest = (1 << bits) - 1;
  const each = 8 / bits;
  for (let at = 0, next = 0; at < events; next += 1) {
    let byte = bytes[next]!;
    const end = Math.min(at + each, events);
    for (; at < end; at += 1) {
      codes[at] = byte & lowest;
      byte >>= bits;
    }
  }
  return codes;
}

/**
 * Returns the arguments of a typed array over bytes. Its offset must be a multiple of the element
 * size, so unaligned bytes are copied.
 */
function alignedTo(size: 2 | 4, bytes: Uint8Array): [ArrayBufferLike, number, number] {
  const { buffer, byteOffset, length } =
    bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  return [buffer, byteOffset, length / size];
}

/** Events of a block by their positions from 0, in ascending order. */
export type Positions = Uint32Array<ArrayBuffer>;

/** No events. */
export const NONE: Positions = new Uint32Array();

/** Makes room for the events of blocks of up to this size. */
export const roomFor = (size: number): Positions => new Uint32Array(size + 8);

/** Successive events of a block: the position of the first one, and that after the last one. */
export type Range = readonly [from: number, to: number];

/**
 * Returns all events of a range.
 *
 * @param room where they are written
 */
export function allEvents([from, to]: Range, room: Positions): Positions {
  for (let at = from; at < to; at += 1) room[at - from] = at;
  return room.subarray(0, Math.max(0, to - from));
}

/**
 * Finds the events of a range whose codes are accepted.
 *
 * @param accepts by code of the dictionary: 1 if it is accepted, otherwise 0
 * @param room where they are written
 */
export function findEvents(
  packed: Uint8Array,
  range: Range,
  accepts: Uint8Array,
  room: Positions,
): Positions {
  const bits = packed[0]!;
  if (!accepts.includes(0) || (bits === 0 && accepts.at(-1) === 1)) return allEvents(range, room);
  if (bits === 0) return NONE;
  return bits <= 8
    ? findBytes(room, packed, range, accepts)
    : findWide(room, wideCodes(packed), range, accepts);
}

/** Finds the events of one byte at a time. */
function findBytes(
  found: Positions,
  packed: Uint8Array,
  [from, to]: Range,
  accepts: Uint8Array,
): Positions {
  const bits = packed[0]!;
  const each = 8 / bits;
  const matches = matchesByByte(bits, accepts);
  const every = 2 ** each - 1;
  let [first, count] = [0, 0];
  for (let at = from - (from % each), byte = 1 + at / each; at < to; at += each, byte += 1) {
    let rest = matches[packed[byte]!]!;
    if (rest === every) {
      // Most events are of one kind, so this is the usual case for kinds.
      for (let next = at; next < at + each; next += 1) found[count++] = next;
    } else {
      for (; rest !== 0; rest &= rest - 1) found[count++] = at + 31 - Math.clz32(rest & -rest);
    }
  }
  // The first and the last byte also have events, or unused bits, outside the range.
  while (first < count && found[first]! < from) first += 1;
  while (count > first && found[count - 1]! >= to) count -= 1;
  return found.subarray(first, count);
}

/** Returns for each byte which of its codes are accepted, the first one as the lowest bit. */
function matchesByByte(bits: number, accepts: Uint8Array): Uint8Array {
  const matches = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 8 / bits; at += 1) {
      matches[byte]! |= (accepts[(byte >> (at * bits)) & ((1 << bits) - 1)] ?? 0) << at;
    }
  }
  return matches;
}

function findWide(
  found: Positions,
  codes: WideCodes,
  [from, to]: Range,
  accepts: Uint8Array,
): Positions {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    // Without a condition that the processor would have to predict.
    found[count] = at;
    count += accepts[codes[at]!]!;
  }
  return found.subarray(0, count);
}

/** Codes of 16 or 32 bits. */
type WideCodes = Uint16Array | Uint32Array;

function wideCodes(packed: Uint8Array): WideCodes {
  const bytes = packed.subarray(1);
  return packed[0] === 16
    ? new Uint16Array(...alignedTo(2, bytes))
    : new Uint32Array(...alignedTo(4, bytes));
}

/**
 * Finds those among some events whose codes are accepted.
 *
 * @param accepts by code of the dictionary: 1 if it is accepted, otherwise 0
 * @param room where they are written, which may be that of the events
 */
export function findAmong(
  events: Positions,
  packed: Uint8Array,
  accepts: Uint8Array,
  room: Positions,
): Positions {
  if (!accepts.includes(0)) return events;
  const bits = packed[0]!;
  if (bits === 0) return accepts.at(-1) === 1 ? events : NONE;
  let count = 0;
  if (bits <= 8) {
    const lowest = (1 << bits) - 1;
    for (let n = 0; n < events.length; n += 1) {
      const at = events[n]! * bits;
      room[count] = events[n]!;
      count += accepts[(packed[1 + (at >> 3)]! >> (at & 7)) & lowest]!;
    }
  } else {
    const codes = wideCodes(packed);
    for (let n = 0; n < events.length; n += 1) {
      room[count] = events[n]!;
      count += accepts[codes[events[n]!]!]!;
    }
  }
  return room.subarray(0, count);
}

/** Counts some events by code, for a dictionary with this number of values. */
export function countCodes(events: Positions, packed: Uint8Array, values: number): Uint32Array {
  const counts = new Uint32Array(values + 1);
  const bits = packed[0]!;
  if (bits === 0) counts[values] = events.length;
  else if (bits <= 8) {
    const lowest = (1 << bits) - 1;
    for (let n = 0; n < events.length; n += 1) {
      const at = events[n]! * bits;
      counts[(packed[1 + (at >> 3)]! >> (at & 7)) & lowest]! += 1;
    }
  } else {
    const codes = wideCodes(packed);
    for (let n = 0; n < events.length; n += 1) counts[codes[events[n]!]!]! += 1;
  }
  return counts;
}

/**
 * Counts some events by code as {@link countCodes} does, and those with a mark. Both are read in
 * one pass, since most of the time passes with reading the events.
 *
 * @returns by code: twice, the number of events without the mark, then that of those with it
 */
export function countMarked(
  events: Positions,
  packed: Uint8Array,
  values: number,
  marks: Marks,
): Uint32Array {
  const counts = new Uint32Array(2 * (values + 1));
  const bits = packed[0]!;
  if (bits === 0) {
    const marked = marks.count(events);
    counts.set([events.length - marked, marked], 2 * values);
  } else if (bits <= 8) {
    const lowest = (1 << bits) - 1;
    for (let n = 0; n < events.length; n += 1) {
      const event = events[n]!;
      const at = event * bits;
      const code = (packed[1 + (at >> 3)]! >> (at & 7)) & lowest;
      counts[2 * code + marks.of(event)]! += 1;
    }
  } else {
    const codes = wideCodes(packed);
    for (let n = 0; n < events.length; n += 1) {
      const event = events[n]!;
      counts[2 * codes[event]! + marks.of(event)]! += 1;
    }
  }
  return counts;
}

/** A column with at most one value, which marks the events that have it. */
export class Marks {
  readonly #bytes: Uint8Array;
  /** Selects the bit of an event within a byte; 0 where all events have the same. */
  readonly #inByte: number;
  readonly #byByte: number;

  /** @throws Error for a column with several values */
  constructor(packed: Uint8Array, values: number) {
    if (values > 1) throw new Error(`A mark is one value, not ${values}`);
    const isSame = packed[0] === 0;
    this.#bytes = isSame ? Uint8Array.of(values) : packed.subarray(1);
    this.#inByte = isSame ? 0 : 7;
    this.#byByte = isSame ? 31 : 3;
  }

  /** Returns 1 for an event with the mark, otherwise 0. */
  of(event: number): number {
    return (this.#bytes[event >> this.#byByte]! >> (event & this.#inByte)) & 1;
  }

  /** Counts those among some events that have the mark. */
  count(events: Positions, from = 0, to = events.length): number {
    let count = 0;
    for (let n = from; n < to; n += 1) count += this.of(events[n]!);
    return count;
  }
}

/** Marks no event. */
export const NO_MARKS = new Marks(Uint8Array.of(0), 0);

/**
 * Divides some events by their codes.
 *
 * @param codes by event of the block
 * @param values number of values in the dictionary
 * @returns events by code
 */
export function divideEvents(events: Positions, codes: Codes, values: number): Positions[] {
  const ends = new Uint32Array(values + 1);
  for (let n = 0; n < events.length; n += 1) ends[codes[events[n]!]!]! += 1;
  for (let code = 1; code <= values; code += 1) ends[code]! += ends[code - 1]!;
  const next = new Uint32Array(values + 1);
  next.set(ends.subarray(0, values), 1);
  const divided = new Uint32Array(events.length);
  for (let n = 0; n < events.length; n += 1) {
    const code = codes[events[n]!]!;
    divided[next[code]!] = events[n]!;
    next[code]! += 1;
  }
  return Array.from(ends, (end, code) => divided.subarray(code === 0 ? 0 : ends[code - 1], end));
}

import { VarintReader, VarintWriter } from './varints.ts';

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

const ASCENDING = 1;
const ANY = 2;

/** Packs numbers in ascending order, with repeats allowed. */
export function packAscending(numbers: ArrayLike<number>): Buffer {
  const writer = new VarintWriter(ASCENDING, numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    if (at === 0) writer.addSigned(numbers[0]!);
    else writer.add(numbers[at]! - numbers[at - 1]!);
  }
  return writer.bytes();
}

function readAscending(packed: Uint8Array): Float64Array {
  const numbers = new Float64Array(sizeOf(packed));
  if (numbers.length === 0) return numbers;
  const reader = new VarintReader(packed);
  let number = Number(reader.nextAmount());
  numbers[0] = number;
  // Varints of up to four bytes are read here, because the times of a block are 32,768 of them.
  for (let place = 1, at = reader.at; place < numbers.length; place += 1) {
    const first = at;
    let byte = packed[at++]!;
    let difference = byte & 127;
    for (let shift = 7; byte >= 128 && shift <= 21; shift += 7) {
      byte = packed[at++]!;
      difference |= (byte & 127) << shift;
    }
    if (byte >= 128) {
      reader.at = first;
      difference = reader.next();
      ({ at } = reader);
    }
    number += difference;
    numbers[place] = number;
  }
  return numbers;
}

/** Packs numbers in any order. */
export function packNumbers(numbers: readonly number[]): Buffer {
  const writer = new VarintWriter(ANY, numbers.length);
  for (const number of numbers) writer.addSigned(number);
  return writer.bytes();
}

/**
 * Reads the output of {@link packAscending} or {@link packNumbers}; nothing is no number.
 *
 * @throws Error for an unknown format
 */
export function readNumbers(packed: Uint8Array): Float64Array {
  if (packed.length === 0) return new Float64Array();
  if (packed[0] === ASCENDING) return readAscending(packed);
  if (packed[0] !== ANY) throw new Error(`Numbers have the format ${packed[0]}, which is unknown`);
  const reader = new VarintReader(packed);
  return Float64Array.from({ length: sizeOf(packed) }, () => Number(reader.nextAmount()));
}

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

/** Counts the values of a dictionary. */
export function sizeOf(dictionary: Uint8Array): number {
  let size = 0;
  // The last byte of a varint is below 128.
  for (let at = 1; at < dictionary.length; at += 1) size += 1 - (dictionary[at]! >> 7);
  return size;
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
  if (bits === 16) return new Uint16Array(...alignedTo(2, bytes));
  if (bits === 32) return new Uint32Array(...alignedTo(4, bytes));
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

/** Counts the events of a mask from a position to another one, which is not included. */
export function matchesOf(mask: Uint8Array, from = 0, to = mask.length): number {
  let matches = 0;
  let at = from;
  for (; at < to && at % 4 !== 0; at += 1) matches += mask[at]!;
  const fours = foursOf(mask);
  const last = to >> 2;
  for (let four = at >> 2; four < last; ) {
    // Each byte of the sum counts up to 255 events.
    const end = Math.min(four + 255, last);
    let sum = 0;
    for (; four < end; four += 1) sum = (sum + fours[four]!) | 0;
    matches += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24);
    at = 4 * end;
  }
  for (; at < to; at += 1) matches += mask[at]!;
  return matches;
}

/** Returns the events that are in both masks. */
export function maskOfBoth(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = fullMask(one.length);
  const [fours, ofOne, ofOther] = [foursOf(both), foursOf(one), foursOf(other)];
  for (let four = 0; four < fours.length; four += 1) fours[four] = ofOne[four]! & ofOther[four]!;
  for (let at = 4 * fours.length; at < both.length; at += 1) both[at] = one[at]! & other[at]!;
  return both;
}

/** Returns true if the mask contains an event. */
export function hasMatches(mask: Uint8Array): boolean {
  const fours = foursOf(mask);
  for (let four = 0; four < fours.length; four += 1) if (fours[four] !== 0) return true;
  return mask.subarray(4 * fours.length).includes(1);
}

/**
 * Views a mask as integers of four events each, where 0 means none; up to three events at the end
 * are left out.
 */
export const foursOf = (mask: Uint8Array): Uint32Array =>
  new Uint32Array(mask.buffer, mask.byteOffset, mask.length >> 2);

/**
 * Makes a mask in which all of these events match. It is padded, so that {@link maskCodes} can
 * change several at a time.
 */
export const fullMask = (events: number): Uint8Array =>
  new Uint8Array(Math.ceil(events / 8) * 8).fill(1).subarray(0, events);

/**
 * Removes the events whose codes are not accepted from a mask.
 *
 * @param mask by event: 1 if it matches, otherwise 0
 * @param accepts by code of the dictionary: 1 if it is accepted, otherwise 0
 */
export function maskCodes(mask: Uint8Array, packed: Uint8Array, accepts: Uint8Array): void {
  if (!accepts.includes(0)) return;
  const bits = packed[0]!;
  if (bits === 0) {
    if (accepts.at(-1) === 0) mask.fill(0);
    return;
  }
  // Handles all events of a byte at once, or four events of eight bits.
  const bytes = packed.subarray(1);
  const table = bits < 8 ? masksOf(bits === 1 ? 16 : 256, bits, accepts).buffer : undefined;
  // One function per array type, so that V8 compiles each for its own type.
  if (bits === 16) maskShorts(mask, new Uint16Array(...alignedTo(2, bytes)), accepts);
  else if (bits === 8) maskBytes(mask, bytes, accepts);
  else if (table === undefined) maskWide(mask, new Uint32Array(...alignedTo(4, bytes)), accepts);
  else if (bits === 4) maskTwo(new Uint16Array(mask.buffer), bytes, new Uint16Array(table));
  else if (bits === 2) maskFour(new Uint32Array(mask.buffer), bytes, new Uint32Array(table));
  else maskEight(new Uint32Array(mask.buffer), bytes, new Uint32Array(table));
}

function maskWide(mask: Uint8Array, codes: Uint32Array, accepts: Uint8Array): void {
  for (let at = 0; at < mask.length; at += 1) mask[at]! &= accepts[codes[at]!]!;
}

function maskShorts(mask: Uint8Array, codes: Uint16Array, accepts: Uint8Array): void {
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    mask[at]! &= accepts[codes[at]!]!;
    mask[at + 1]! &= accepts[codes[at + 1]!]!;
    mask[at + 2]! &= accepts[codes[at + 2]!]!;
    mask[at + 3]! &= accepts[codes[at + 3]!]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) mask[at]! &= accepts[codes[at]!]!;
}

function maskBytes(mask: Uint8Array, codes: Uint8Array, accepts: Uint8Array): void {
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    mask[at]! &= accepts[codes[at]!]!;
    mask[at + 1]! &= accepts[codes[at + 1]!]!;
    mask[at + 2]! &= accepts[codes[at + 2]!]!;
    mask[at + 3]! &= accepts[codes[at + 3]!]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) mask[at]! &= accepts[codes[at]!]!;
}

function maskTwo(two: Uint16Array, bytes: Uint8Array, table: Uint16Array): void {
  for (let at = 0; at < bytes.length; at += 1) two[at]! &= table[bytes[at]!]!;
}

function maskFour(four: Uint32Array, bytes: Uint8Array, table: Uint32Array): void {
  for (let at = 0; at < bytes.length; at += 1) four[at]! &= table[bytes[at]!]!;
}

function maskEight(four: Uint32Array, bytes: Uint8Array, table: Uint32Array): void {
  for (let at = 0; at < bytes.length; at += 1) {
    four[2 * at]! &= table[bytes[at]! & 15]!;
    four[2 * at + 1]! &= table[bytes[at]! >> 4]!;
  }
}

/** Precomputes the masks of all codes in each number below `count`, one after the other. */
function masksOf(count: number, bits: number, accepts: Uint8Array): Uint8Array {
  const each = Math.log2(count) / bits;
  const masks = new Uint8Array(count * each);
  for (let number = 0; number < count; number += 1) {
    for (let at = 0; at < each; at += 1) {
      masks[number * each + at] = accepts[(number >> (at * bits)) & ((1 << bits) - 1)] ?? 0;
    }
  }
  return masks;
}

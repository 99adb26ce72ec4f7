import { VarintReader, VarintWriter } from './varints.ts';

/*
 * Lists of numbers in the columns of a block; `block-codes.ts` describes their formats.
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
  scanAscending(packed, Number.POSITIVE_INFINITY, numbers);
  return numbers;
}

/**
 * Finds the position of the first number that is not below a given one, among numbers that
 * {@link packAscending} has packed: twice as fast as to read all of them.
 */
export const placeAmong = (packed: Uint8Array, number: number): number =>
  scanAscending(packed, number);

/**
 * Reads numbers until one is not below a given one.
 *
 * @param numbers where they are written
 * @returns how many were below it
 */
function scanAscending(packed: Uint8Array, until: number, numbers?: Float64Array): number {
  if (packed.length <= 1) return 0;
  const reader = new VarintReader(packed);
  let number = Number(reader.nextAmount());
  let place = 0;
  // Varints of up to four bytes are read here, because the times of a block are 32,768 of them.
  for (let { at } = reader; number < until; place += 1) {
    if (numbers !== undefined) numbers[place] = number;
    if (at === packed.length) return place + 1;
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
  }
  return place;
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

/** Counts the numbers of a dictionary, or of any packed list. */
export function sizeOf(dictionary: Uint8Array): number {
  let size = 0;
  // The last byte of a varint is below 128.
  for (let at = 1; at < dictionary.length; at += 1) size += 1 - (dictionary[at]! >> 7);
  return size;
}

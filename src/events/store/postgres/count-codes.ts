import { foursOf, matchesOf, readCodes } from './block-codes.ts';

/*
 * Counts of the codes of a column (`block-codes.ts`) within a mask. Loops skip four events at a
 * time if none of them matches.
 */

/** Counts the events of a mask by code, for a dictionary with this number of values. */
export function countCodes(mask: Uint8Array, packed: Uint8Array, values: number): Uint32Array {
  const counts = new Uint32Array(values + 1);
  const bits = packed[0]!;
  if (bits === 0) counts[values] = matchesOf(mask);
  else if (bits < 8) countSmall(counts, mask, packed.subarray(1), bits);
  else {
    const codes = readCodes(packed, mask.length, values);
    // One function per array type, so that V8 compiles each for its own type.
    if (codes instanceof Uint16Array) countShorts(counts, mask, codes);
    else if (codes instanceof Uint8Array) countBytes(counts, mask, codes);
    else countWide(counts, mask, codes);
  }
  return counts;
}

/**
 * Counts the events of a mask by code, those that are not marked and those that are.
 *
 * @param marks by event: 1 if it is marked, otherwise 0
 * @returns the counts of events without a mark by code, then those of marked events
 */
export function countMarked(
  mask: Uint8Array,
  marks: Uint8Array,
  packed: Uint8Array,
  values: number,
): Uint32Array {
  const counts = new Uint32Array(2 * (values + 1));
  const bits = packed[0]!;
  if (bits > 0 && bits < 8) {
    countMarkedSmall(counts, mask, marks, packed.subarray(1), bits);
    return counts;
  }
  const codes = readCodes(packed, mask.length, values);
  // One function per array type, so that V8 compiles each for its own type.
  if (codes instanceof Uint16Array) countMarkedShorts(counts, mask, marks, codes);
  else if (codes instanceof Uint8Array) countMarkedBytes(counts, mask, marks, codes);
  else countMarkedWide(counts, mask, marks, codes);
  return counts;
}

function countSmall(counts: Uint32Array, mask: Uint8Array, bytes: Uint8Array, bits: number): void {
  const fours = foursOf(mask);
  const lowest = (1 << bits) - 1;
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    let codes: number;
    if (bits === 2) codes = bytes[four]!;
    else if (bits === 4) codes = bytes[2 * four]! | (bytes[2 * four + 1]! << 8);
    else codes = bytes[four >> 1]! >> (4 * (four & 1));
    counts[codes & lowest]! += mask[at]!;
    counts[(codes >> bits) & lowest]! += mask[at + 1]!;
    counts[(codes >> (2 * bits)) & lowest]! += mask[at + 2]!;
    counts[(codes >> (3 * bits)) & lowest]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) {
    counts[(bytes[(at * bits) >> 3]! >> ((at * bits) & 7)) & lowest]! += mask[at]!;
  }
}

function countShorts(counts: Uint32Array, mask: Uint8Array, codes: Uint16Array): void {
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    counts[codes[at]!]! += mask[at]!;
    counts[codes[at + 1]!]! += mask[at + 1]!;
    counts[codes[at + 2]!]! += mask[at + 2]!;
    counts[codes[at + 3]!]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) counts[codes[at]!]! += mask[at]!;
}

function countBytes(counts: Uint32Array, mask: Uint8Array, codes: Uint8Array): void {
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    counts[codes[at]!]! += mask[at]!;
    counts[codes[at + 1]!]! += mask[at + 1]!;
    counts[codes[at + 2]!]! += mask[at + 2]!;
    counts[codes[at + 3]!]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) counts[codes[at]!]! += mask[at]!;
}

function countWide(counts: Uint32Array, mask: Uint8Array, codes: Uint32Array): void {
  for (let at = 0; at < mask.length; at += 1) counts[codes[at]!]! += mask[at]!;
}

function countMarkedSmall(
  counts: Uint32Array,
  mask: Uint8Array,
  marks: Uint8Array,
  bytes: Uint8Array,
  bits: number,
): void {
  const marked = counts.length >> 1;
  const fours = foursOf(mask);
  const lowest = (1 << bits) - 1;
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    let codes: number;
    if (bits === 2) codes = bytes[four]!;
    else if (bits === 4) codes = bytes[2 * four]! | (bytes[2 * four + 1]! << 8);
    else codes = bytes[four >> 1]! >> (4 * (four & 1));
    counts[(codes & lowest) + marked * marks[at]!]! += mask[at]!;
    counts[((codes >> bits) & lowest) + marked * marks[at + 1]!]! += mask[at + 1]!;
    counts[((codes >> (2 * bits)) & lowest) + marked * marks[at + 2]!]! += mask[at + 2]!;
    counts[((codes >> (3 * bits)) & lowest) + marked * marks[at + 3]!]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) {
    const code = (bytes[(at * bits) >> 3]! >> ((at * bits) & 7)) & lowest;
    counts[code + marked * marks[at]!]! += mask[at]!;
  }
}

function countMarkedShorts(
  counts: Uint32Array,
  mask: Uint8Array,
  marks: Uint8Array,
  codes: Uint16Array,
): void {
  const marked = counts.length >> 1;
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    counts[codes[at]! + marked * marks[at]!]! += mask[at]!;
    counts[codes[at + 1]! + marked * marks[at + 1]!]! += mask[at + 1]!;
    counts[codes[at + 2]! + marked * marks[at + 2]!]! += mask[at + 2]!;
    counts[codes[at + 3]! + marked * marks[at + 3]!]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) {
    counts[codes[at]! + marked * marks[at]!]! += mask[at]!;
  }
}

function countMarkedBytes(
  counts: Uint32Array,
  mask: Uint8Array,
  marks: Uint8Array,
  codes: Uint8Array,
): void {
  const marked = counts.length >> 1;
  const fours = foursOf(mask);
  for (let four = 0, at = 0; four < fours.length; four += 1, at += 4) {
    if (fours[four] === 0) continue;
    counts[codes[at]! + marked * marks[at]!]! += mask[at]!;
    counts[codes[at + 1]! + marked * marks[at + 1]!]! += mask[at + 1]!;
    counts[codes[at + 2]! + marked * marks[at + 2]!]! += mask[at + 2]!;
    counts[codes[at + 3]! + marked * marks[at + 3]!]! += mask[at + 3]!;
  }
  for (let at = 4 * fours.length; at < mask.length; at += 1) {
    counts[codes[at]! + marked * marks[at]!]! += mask[at]!;
  }
}

function countMarkedWide(
  counts: Uint32Array,
  mask: Uint8Array,
  marks: Uint8Array,
  codes: Uint32Array,
): void {
  const marked = counts.length >> 1;
  for (let at = 0; at < mask.length; at += 1) {
    counts[codes[at]! + marked * marks[at]!]! += mask[at]!;
  }
}

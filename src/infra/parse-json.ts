import { isUtf8 } from 'node:buffer';

/** Deepest nesting: more than any schema describes. */
const MOST_DEPTH = 32;
/** Most members of one array or object: as many as metadata of 10,000 characters can have. */
const MOST_MEMBERS = 5_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** A JSON text has more in it than is read; the message completes "… must not". */
export class TooMuchJson extends Error {}

/**
 * Parses JSON in UTF-8, of which the amounts have been counted first: a text of a few megabytes can hold a million
 * values, which take seconds to parse and to check.
 *
 * @param mostValues most values altogether
 * @param mostMembers most members of one array or object
 * @throws TooMuchJson, and SyntaxError for what is no JSON in UTF-8
 */
export function parseJson(
  bytes: Buffer,
  mostValues: number,
  mostMembers: number = MOST_MEMBERS,
): unknown {
  refuseTooMuch(bytes, mostValues, mostMembers);
  // Ten times as fast as a TextDecoder that refuses malformed UTF-8.
  if (!isUtf8(bytes)) throw new SyntaxError('not in UTF-8');
  return JSON.parse(bytes.toString());
}

/** One pass over the bytes. Where they are no JSON, what it counts means nothing, and the parser says so. */
function refuseTooMuch(bytes: Buffer, mostValues: number, mostMembers: number): void {
  /** Members of the arrays and objects around the current place, the innermost last. */
  const members: number[] = [];
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
      const inner = members.length - 1;
      members[inner] = (members[inner] ?? 1) + 1;
      if (members[inner] > mostMembers) {
        throw new TooMuchJson(`have more than ${mostMembers} members in one array or object`);
      }
    } else if (OPENING.has(byte)) {
      values += 1;
      members.push(1);
      if (members.length > MOST_DEPTH) {
        throw new TooMuchJson(`be nested deeper than ${MOST_DEPTH} levels`);
      }
    } else if (CLOSING.has(byte)) {
      members.pop();
    }
    if (values > mostValues) {
      throw new TooMuchJson(`have more than ${mostValues} values`);
    }
  }
}

/** Index of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1);
  while (end >= 0) {
    let before = end - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = bytes.indexOf(QUOTE, end + 1);
  }
  return bytes.length;
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { ipv4Number } from '../infra/ip.ts';
import { memoize } from '../infra/memoize.ts';

/*
 * Reads a database of places (MaxMind DB, format 2) from its file in blocks, each when it is first
 * needed. A city database has more than a hundred megabytes, of which an installation with few
 * visitors uses few.
 */

/**
 * Bytes that are read at once. A multiple of the sizes of nodes, which are 6, 7 and 8 bytes, so that
 * no node is in two blocks.
 */
const BLOCK = 4_032;
/** Maximum size of the metadata at the end of a file, in bytes. */
const DESCRIPTION_BYTES = 128 * 1_024;
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** Number of zero bytes between tree and data. */
const GAP = 16;
/** Value added to a pointer, by its size. */
const POINTER_BASE = [0, 2_048, 526_336, 0];
/** Value added to the one, two or three bytes after a length of 29, 30 or 31. */
const LENGTH_BASE = [29, 285, 65_821];

/** Reads bytes of a section from an offset. */
type Read = (offset: number, length: number) => Buffer;

/** A database that stays open until `close`. */
export class MmdbFile<Data> {
  readonly #fd: number;
  readonly #block: (index: number) => Buffer;
  readonly #nodes: number;
  readonly #nodeBytes: number;
  readonly #isIpv4: boolean;
  /** Node at which IPv4 addresses begin. */
  readonly #ipv4Node: number;
  readonly #data: Read;

  /**
   * @param maxBlocks number of blocks of 4 KB that stay in memory; absent: all that were read, which
   *   makes look-ups faster
   * @throws Error if it is not a database
   */
  constructor(path: string, maxBlocks?: number) {
    this.#fd = openSync(path, 'r');
    this.#block = memoize(
      (index) => this.#readBlock(index),
      maxBlocks === undefined
        ? new Map<number, Buffer>()
        : new LRUCache<number, Buffer>({ max: maxBlocks }),
    );
    try {
      const { size } = fstatSync(this.#fd);
      const end = Buffer.alloc(Math.min(size, DESCRIPTION_BYTES));
      readSync(this.#fd, end, 0, end.length, size - end.length);
      const at = end.lastIndexOf(MARK);
      if (at === -1) throw new Error(`${path} is not a database of places`);
      const description = end.subarray(at + MARK.length);
      const { value } = decode((from, length) => description.subarray(from, from + length), 0);
      const { node_count, record_size, ip_version } = value as Record<string, number>;
      this.#nodes = node_count ?? 0;
      this.#nodeBytes = (record_size ?? 0) / 4;
      this.#isIpv4 = ip_version === 4;
      // In an IPv6 tree, an IPv4 address is the last 32 bits.
      this.#ipv4Node = this.#isIpv4 ? 0 : this.#walk(0, new Uint8Array(12));
      const base = this.#nodes * this.#nodeBytes + GAP;
      this.#data = (offset, length) => this.#read(base + offset, length);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /**
   * Finds the record of an address. @returns its position, for {@link read}; `undefined` if there
   * is none
   *
   * @throws Error for an invalid address, or one of another IP version than the database
   */
  find(ip: string): number | undefined {
    const bytes = bytesOf(ip);
    if (this.#isIpv4 && bytes.length > 4) throw new Error('the database has no IPv6 addresses');
    const node = this.#walk(bytes.length === 4 ? this.#ipv4Node : 0, bytes);
    return node <= this.#nodes ? undefined : node - this.#nodes - GAP;
  }

  /** Reads the record at a position that {@link find} returned. */
  read(place: number): Data {
    return decode(this.#data, place).value as Data;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Returns the node or record that the bits of an address lead to. */
  #walk(from: number, bytes: ArrayLike<number>): number {
    let node = from;
    for (let bit = 0; bit < bytes.length * 8 && node < this.#nodes; bit += 1) {
      node = this.#child(node, (bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
    }
    return node;
  }

  #child(node: number, side: number): number {
    const from = node * this.#nodeBytes;
    const at = from % BLOCK;
    const bytes = this.#block((from - at) / BLOCK);
    if (this.#nodeBytes === 6) return bytes.readUIntBE(at + side * 3, 3);
    if (this.#nodeBytes === 8) return bytes.readUInt32BE(at + side * 4);
    // Two numbers of 28 bits: the middle byte holds the highest four bits of both.
    const middle = bytes.readUInt8(at + 3);
    return side === 0
      ? (middle >> 4) * 2 ** 24 + bytes.readUIntBE(at, 3)
      : (middle & 15) * 2 ** 24 + bytes.readUIntBE(at + 4, 3);
  }

  #read(offset: number, length: number): Buffer {
    const from = offset % BLOCK;
    const first = this.#block((offset - from) / BLOCK);
    if (from + length <= BLOCK) return first.subarray(from, from + length);
    const rest = this.#read(offset - from + BLOCK, from + length - BLOCK);
    return Buffer.concat([first.subarray(from), rest]);
  }

  #readBlock(index: number): Buffer {
    const block = Buffer.allocUnsafeSlow(BLOCK);
    const length = readSync(this.#fd, block, 0, BLOCK, index * BLOCK);
    if (length < BLOCK) block.fill(0, length);
    return block;
  }
}

/** Parses an address into bytes. @throws Error if it is invalid */
function bytesOf(ip: string): ArrayLike<number> {
  const ipv4 = ipv4Number(ip);
  if (ipv4 === undefined) return ipaddr.parse(ip).toByteArray();
  return [ipv4 >>> 24, (ipv4 >>> 16) & 255, (ipv4 >>> 8) & 255, ipv4 & 255];
}

/** Decodes the value at an offset. @returns the value and the offset after it */
function decode(read: Read, offset: number): { value: unknown; end: number } {
  const control = read(offset, 1).readUInt8();
  let type = control >> 5;
  let at = offset + 1;
  if (type === 1) {
    const size = ((control >> 3) & 3) + 1;
    const low = read(at, size).readUIntBE(0, size);
    const high = size === 4 ? 0 : (control & 7) * 2 ** (8 * size);
    return { value: decode(read, high + low + POINTER_BASE[size - 1]!).value, end: at + size };
  }
  if (type === 0) {
    type = read(at, 1).readUInt8() + 7;
    at += 1;
  }
  let length = control & 31;
  if (length >= 29) {
    const more = length - 28;
    length = read(at, more).readUIntBE(0, more) + LENGTH_BASE[more - 1]!;
    at += more;
  }
  if (type === 7) return decodeMap(read, at, length);
  if (type === 11) return decodeList(read, at, length);
  // A boolean has its value in its length.
  if (type === 14) return { value: length !== 0, end: at };
  return { value: decodeScalar(type, read(at, length)), end: at + length };
}

function decodeMap(read: Read, offset: number, count: number): { value: object; end: number } {
  const value: Record<string, unknown> = {};
  let end = offset;
  for (let index = 0; index < count; index += 1) {
    const key = decode(read, end);
    const entry = decode(read, key.end);
    value[String(key.value)] = entry.value;
    end = entry.end;
  }
  return { value, end };
}

function decodeList(read: Read, offset: number, count: number): { value: unknown[]; end: number } {
  const value: unknown[] = [];
  let end = offset;
  for (let index = 0; index < count; index += 1) {
    const item = decode(read, end);
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}

function decodeScalar(type: number, bytes: Buffer): unknown {
  switch (type) {
    case 2:
      return bytes.toString('utf8');
    case 3:
      return bytes.readDoubleBE();
    case 15:
      return bytes.readFloatBE();
    // Unsigned and signed integers; databases of places have none above 32 bits.
    case 5:
    case 6:
    case 8:
      return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length);
    default:
      return Buffer.from(bytes);
  }
}

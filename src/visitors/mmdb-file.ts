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

/** Types of values that are not a number of bytes long. */
const [MAP, LIST, BOOLEAN] = [7, 11, 14];

/** Number of first bits of an IPv4 address by which the nodes they lead to are remembered. */
const TOP_BITS = 16;

/** A database that stays open until `close`. */
export class MmdbFile<Data> {
  readonly #fd: number;
  readonly #block: (index: number) => Buffer;
  readonly #nodes: number;
  readonly #nodeBytes: number;
  readonly #isIpv4: boolean;
  /** Node at which IPv4 addresses begin. */
  readonly #ipv4Node: number;
  /** Nodes by the first bits of an IPv4 address; 0 until they are known. */
  readonly #topNodes = new Uint32Array(2 ** TOP_BITS);
  readonly #members: ReadonlySet<string> | undefined;
  readonly #data: Section;
  /** Part of the file that holds the records. */
  readonly #dataBytes: { from: number; to: number };

  /**
   * @param options.members names of the members of a record that are decoded; absent: all
   * @param options.maxBlocks number of blocks of 4 KB that stay in memory; absent: all that were
   *   read, which makes look-ups faster
   * @throws Error if it is not a database
   */
  constructor(
    path: string,
    {
      members,
      maxBlocks,
    }: { members?: readonly (keyof Data & string)[]; maxBlocks?: number | undefined } = {},
  ) {
    this.#members = members && new Set<string>(members);
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
      const description = new Section(() => end, at + MARK.length, end.length);
      const { value } = decode(description, 0);
      const { node_count, record_size, ip_version } = value as Record<string, number>;
      this.#nodes = node_count ?? 0;
      this.#nodeBytes = (record_size ?? 0) / 4;
      this.#isIpv4 = ip_version === 4;
      // In an IPv6 tree, an IPv4 address is the last 32 bits.
      this.#ipv4Node = this.#isIpv4 ? 0 : this.#walk(0, new Uint8Array(12));
      const from = this.#nodes * this.#nodeBytes + GAP;
      this.#data = new Section(this.#block, from, BLOCK);
      this.#dataBytes = { from, to: size - end.length + at };
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /**
   * Finds the record of an address. @returns its position, for {@link read}; `undefined` if there
   * is none, as for an IPv6 address in a database of IPv4 addresses
   *
   * @throws Error for an invalid address
   */
  find(ip: string): number | undefined {
    const ipv4 = ipv4Number(ip);
    const bytes = ipv4 === undefined ? ipaddr.parse(ip).toByteArray() : bytesOf(ipv4);
    if (this.#isIpv4 && bytes.length > 4) return undefined;
    const node =
      ipv4 === undefined
        ? this.#walk(0, bytes)
        : this.#walk(this.#topNode(ipv4 >>> TOP_BITS, bytes), bytes, TOP_BITS);
    return node <= this.#nodes ? undefined : node - this.#nodes - GAP;
  }

  /** Reads the record at a position that {@link find} returned. */
  read(place: number): Data {
    return decode(this.#data, place, this.#members).value as Data;
  }

  /**
   * Reads all records, without the tree: writers store one after the other. The records are in
   * memory until the end.
   */
  *records(): Generator<Data> {
    const { from, to } = this.#dataBytes;
    const bytes = Buffer.alloc(to - from);
    readSync(this.#fd, bytes, 0, bytes.length, from);
    const section = new Section(() => bytes, 0, bytes.length);
    for (let at = 0; at < bytes.length; ) {
      const { value, end } = decode(section, at, this.#members);
      at = end;
      yield value as Data;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Returns the node or record that the first bits of an IPv4 address lead to. */
  #topNode(top: number, bytes: readonly number[]): number {
    const known = this.#topNodes[top]!;
    if (known > 0) return known;
    const node = this.#walk(this.#ipv4Node, bytes.slice(0, TOP_BITS / 8));
    this.#topNodes[top] = node;
    return node;
  }

  /** Returns the node or record that the bits of an address lead to, from a bit on. */
  #walk(from: number, bytes: ArrayLike<number>, firstBit = 0): number {
    let node = from;
    for (let bit = firstBit; bit < bytes.length * 8 && node < this.#nodes; bit += 1) {
      node = this.#child(node, (bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
    }
    return node;
  }

  #child(node: number, side: number): number {
    const from = node * this.#nodeBytes;
    const at = from % BLOCK;
    const bytes = this.#block((from - at) / BLOCK);
    if (this.#nodeBytes === 6) return uint24(bytes, at + side * 3);
    if (this.#nodeBytes === 8) return bytes.readUInt32BE(at + side * 4);
    // Two numbers of 28 bits: the middle byte holds the highest four bits of both.
    const middle = bytes[at + 3]!;
    return side === 0
      ? (middle >> 4) * 2 ** 24 + uint24(bytes, at)
      : (middle & 15) * 2 ** 24 + uint24(bytes, at + 4);
  }

  #readBlock(index: number): Buffer {
    const block = Buffer.allocUnsafeSlow(BLOCK);
    const length = readSync(this.#fd, block, 0, BLOCK, index * BLOCK);
    if (length < BLOCK) block.fill(0, length);
    return block;
  }
}

/** Reads three bytes; `readUIntBE` checks its arguments for longer than it reads. */
const uint24 = (bytes: Buffer, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;

/** The bytes of an IPv4 address. */
const bytesOf = (ipv4: number): number[] => [
  ipv4 >>> 24,
  (ipv4 >>> 16) & 255,
  (ipv4 >>> 8) & 255,
  ipv4 & 255,
];

/** A part of a file, which is read in blocks. Offsets are from the beginning of the part. */
class Section {
  readonly #block: (index: number) => Buffer;
  readonly #base: number;
  readonly #size: number;
  /** Names of members by their offset: all records point to the same few. */
  readonly #names = new Map<number, string>();
  /** The block that was read last, which most often has the next byte as well. */
  #last: Buffer = Buffer.alloc(0);
  #lastIndex = -1;

  /** @param size number of bytes in a block */
  constructor(block: (index: number) => Buffer, base: number, size: number) {
    this.#block = block;
    this.#base = base;
    this.#size = size;
  }

  byte(offset: number): number {
    const at = this.#base + offset;
    const index = Math.floor(at / this.#size);
    if (index !== this.#lastIndex) {
      this.#last = this.#block(index);
      this.#lastIndex = index;
    }
    return this.#last[at - index * this.#size]!;
  }

  /** Reads an unsigned integer, of any number of bytes up to six, without making a buffer. */
  uint(offset: number, length: number): number {
    let value = 0;
    for (let at = offset; at < offset + length; at += 1) value = value * 256 + this.byte(at);
    return value;
  }

  /** Reads the name of a member that a record points to. */
  nameAt(offset: number): string {
    let name = this.#names.get(offset);
    if (name === undefined) {
      name = String(decode(this, offset).value);
      this.#names.set(offset, name);
    }
    return name;
  }

  text(offset: number, length: number): string {
    const from = (this.#base + offset) % this.#size;
    // Most texts are in one block.
    if (from + length > this.#size) return this.bytes(offset, length).toString();
    return this.#block(Math.floor((this.#base + offset) / this.#size)).toString(
      'utf8',
      from,
      from + length,
    );
  }

  bytes(offset: number, length: number): Buffer {
    const at = this.#base + offset;
    const index = Math.floor(at / this.#size);
    const from = at - index * this.#size;
    const first = this.#block(index).subarray(from, from + length);
    if (from + length <= this.#size) return first;
    return Buffer.concat([first, this.bytes(offset + first.length, length - first.length)]);
  }
}

/** The type and the length of a value, and the offset of its contents. */
interface Head {
  type: number;
  length: number;
  at: number;
}

function headAt(section: Section, offset: number): Head {
  const control = section.byte(offset);
  let type = control >> 5;
  let at = offset + 1;
  if (type === 0) {
    type = section.byte(at) + 7;
    at += 1;
  }
  let length = control & 31;
  if (length >= 29) {
    const more = length - 28;
    length = section.uint(at, more) + LENGTH_BASE[more - 1]!;
    at += more;
  }
  return { type, length, at };
}

/**
 * Decodes the value at an offset.
 *
 * @param members names of the members of a map that are decoded; absent: all
 * @returns the value and the offset after it
 */
function decode(
  section: Section,
  offset: number,
  members?: ReadonlySet<string>,
): { value: unknown; end: number } {
  const pointer = pointerAt(section, offset);
  if (pointer !== undefined) {
    return { value: decode(section, pointer.target, members).value, end: pointer.end };
  }
  const { type, length, at } = headAt(section, offset);
  if (type === MAP) return decodeMap(section, at, length, members);
  if (type === LIST) return decodeList(section, at, length);
  // A boolean has its value in its length.
  if (type === BOOLEAN) return { value: length !== 0, end: at };
  return { value: decodeScalar(type, section, at, length), end: at + length };
}

/** Returns the offset after the value at an offset. */
function skip(section: Section, offset: number): number {
  const pointer = pointerAt(section, offset);
  if (pointer !== undefined) return pointer.end;
  const { type, length, at } = headAt(section, offset);
  if (type === BOOLEAN) return at;
  if (type !== MAP && type !== LIST) return at + length;
  let end = at;
  const values = type === MAP ? 2 * length : length;
  for (let index = 0; index < values; index += 1) end = skip(section, end);
  return end;
}

/** Reads the pointer at an offset; `undefined` if there is another value. */
function pointerAt(section: Section, offset: number): { target: number; end: number } | undefined {
  const control = section.byte(offset);
  if (control >> 5 !== 1) return undefined;
  const size = ((control >> 3) & 3) + 1;
  const low = section.uint(offset + 1, size);
  const high = size === 4 ? 0 : (control & 7) * 2 ** (8 * size);
  return { target: high + low + POINTER_BASE[size - 1]!, end: offset + 1 + size };
}

/** Reads the name of a member, or the pointer to it. */
function nameFrom(section: Section, offset: number): { name: string; end: number } {
  const pointer = pointerAt(section, offset);
  if (pointer !== undefined) return { name: section.nameAt(pointer.target), end: pointer.end };
  const { value, end } = decode(section, offset);
  return { name: String(value), end };
}

function decodeMap(
  section: Section,
  offset: number,
  count: number,
  members?: ReadonlySet<string>,
): { value: object; end: number } {
  const value: Record<string, unknown> = {};
  let end = offset;
  for (let index = 0; index < count; index += 1) {
    const key = nameFrom(section, end);
    if (members?.has(key.name) === false) {
      end = skip(section, key.end);
      continue;
    }
    const entry = decode(section, key.end);
    value[key.name] = entry.value;
    end = entry.end;
  }
  return { value, end };
}

function decodeList(
  section: Section,
  offset: number,
  count: number,
): { value: unknown[]; end: number } {
  const value: unknown[] = [];
  let end = offset;
  for (let index = 0; index < count; index += 1) {
    const item = decode(section, end);
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}

function decodeScalar(type: number, section: Section, offset: number, length: number): unknown {
  switch (type) {
    case 2:
      return section.text(offset, length);
    case 3:
      return section.bytes(offset, length).readDoubleBE();
    case 15:
      return section.bytes(offset, length).readFloatBE();
    // Unsigned and signed integers; databases of places have none above 32 bits.
    case 5:
    case 6:
    case 8:
      return section.uint(offset, length);
    default:
      return Buffer.from(section.bytes(offset, length));
  }
}

import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A value of a record; numbers are unsigned and below 2^32. */
type Value = string | number | boolean | Value[] | { [name: string]: Value };

/** An address range and its record. */
export interface MmdbEntry {
  cidr: string;
  record: { [name: string]: Value };
}

type Node = [left: number | Node | undefined, right: number | Node | undefined];

const RECORD_BYTES = 3;

/**
 * Builds a small database in the MaxMind DB format 2.0 (search tree of 24-bit records over IPv6,
 * with IPv4 below ::/96).
 */
export function mmdb(entries: readonly MmdbEntry[]): Buffer {
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const { cidr, record } of entries) {
    insert(root, bitsOf(cidr), dataLength);
    const encoded = encodeMap(record);
    data.push(encoded);
    dataLength += encoded.length;
  }
  const nodes = number(root);
  const index = new Map(nodes.map((node, position) => [node, position]));
  const tree = Buffer.alloc(nodes.length * RECORD_BYTES * 2);
  for (const [position, node] of nodes.entries()) {
    for (const [side, child] of node.entries()) {
      const value =
        child === undefined
          ? nodes.length
          : typeof child === 'number'
            ? nodes.length + 16 + child
            : index.get(child)!;
      tree.writeUIntBE(value, (position * 2 + side) * RECORD_BYTES, RECORD_BYTES);
    }
  }
  const metadata = Buffer.concat([
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com', 'ascii'),
    encodeMetadata(nodes.length),
  ]);
  return Buffer.concat([tree, Buffer.alloc(16), ...data, metadata]);
}

/** Returns the bits of a range, as a path in the tree. */
function bitsOf(cidr: string): number[] {
  const [address = '', length = ''] = cidr.split('/');
  const bytes = isIPv4(address)
    ? [...Array<number>(12).fill(0), ...ipaddr.parse(address).toByteArray()]
    : ipaddr.parse(address).toByteArray();
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, n) => (byte >> (7 - n)) & 1));
  return bits.slice(0, Number(length) + (isIPv4(address) ? 96 : 0));
}

function insert(root: Node, bits: number[], dataOffset: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const child = node[bit as 0 | 1];
    if (typeof child === 'number') throw new Error('ranges overlap');
    const next: Node = child ?? [undefined, undefined];
    node[bit as 0 | 1] = next;
    node = next;
  }
  node[bits.at(-1) as 0 | 1] = dataOffset;
}

/** Lists all nodes, the root first. */
function number(root: Node): Node[] {
  const nodes = [root];
  for (const node of nodes) for (const child of node) if (Array.isArray(child)) nodes.push(child);
  return nodes;
}

const TYPES = { text: 2, uint16: 5, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 };

/** Encodes a type and a size below 65,821. */
function control(type: number, size: number): Buffer {
  const extended = type > 7;
  const length = size < 29 ? size : size < 285 ? 29 : 30;
  const rest = size < 29 ? [] : size < 285 ? [size - 29] : [(size - 285) >> 8, (size - 285) & 255];
  const first = ((extended ? 0 : type) << 5) | length;
  return Buffer.from([first, ...(extended ? [type - 7] : []), ...rest]);
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([control(TYPES.text, bytes.length), bytes]);
}

function encodeNumber(type: number, value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.concat([control(type, bytes.length), Buffer.from(bytes)]);
}

function encodeValue(value: Value): Buffer {
  if (typeof value === 'string') return encodeText(value);
  if (typeof value === 'number') return encodeNumber(TYPES.uint32, value);
  if (typeof value === 'boolean') return control(TYPES.boolean, value ? 1 : 0);
  if (!Array.isArray(value)) return encodeMap(value);
  return Buffer.concat([control(TYPES.array, value.length), ...value.map(encodeValue)]);
}

function encodeMap(map: { [name: string]: Value }): Buffer {
  const pairs = Object.entries(map).flatMap(([key, value]) => [
    encodeText(key),
    encodeValue(value),
  ]);
  return Buffer.concat([control(TYPES.map, pairs.length / 2), ...pairs]);
}

function encodeMetadata(nodeCount: number): Buffer {
  const fields: [string, Buffer][] = [
    ['node_count', encodeNumber(TYPES.uint32, nodeCount)],
    ['record_size', encodeNumber(TYPES.uint16, RECORD_BYTES * 8)],
    ['ip_version', encodeNumber(TYPES.uint16, 6)],
    ['database_type', encodeText('DBIP-City-Lite')],
    ['languages', Buffer.concat([control(TYPES.array, 1), encodeText('en')])],
    ['binary_format_major_version', encodeNumber(TYPES.uint16, 2)],
    ['binary_format_minor_version', encodeNumber(TYPES.uint16, 0)],
    ['build_epoch', encodeNumber(TYPES.uint64, 1_700_000_000)],
    ['description', encodeMap({ en: 'Places for tests' })],
  ];
  return Buffer.concat([
    control(TYPES.map, fields.length),
    ...fields.flatMap(([name, value]) => [encodeText(name), value]),
  ]);
}

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { ConfigError, config } from '../config.ts';
import { ipv4Number } from '../infra/ip.ts';
import { ROOT } from '../infra/root.ts';

/*
 * A table of networks and their owners, read from a text file:
 *
 *   # a comment
 *   [Amazon] https://ip-ranges.amazonaws.com/ip-ranges.json
 *   3.0.0.0/15
 *   2600:1f00::/24
 *
 * A look-up is a binary search among sorted ranges of numbers: 32 bits of IPv4, the first 64 of
 * IPv6.
 */

/** Networks of one owner. */
export interface NetworkSection {
  owner: string;
  /** URL of the published list; empty if there is none. */
  source: string;
  /** In CIDR notation. */
  networks: string[];
}

/** Reads the sections of a file. @throws Error for a line before the first section */
export function readSections(text: string): NetworkSection[] {
  const sections: NetworkSection[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, owner, source = ''] = /^\[([^\]]+)\] ?(\S*)$/.exec(line) ?? [];
    if (owner !== undefined) sections.push({ owner, source, networks: [] });
    else if (sections.length > 0) sections.at(-1)!.networks.push(line);
    else throw new Error(`line ${index + 1} must be [owner]: ${line.slice(0, 60)}`);
  }
  return sections;
}

/** First and last address of a network, each as two numbers of 32 bits. */
interface Range {
  version: 4 | 6;
  first: readonly [high: number, low: number];
  last: readonly [high: number, low: number];
}

/** Longest prefix of an IPv6 network: the last 64 bits are those of one host. */
const MAX_PREFIX_V6 = 64;

/** Parses a network; `undefined` for other texts, and for IPv6 networks smaller than /64. */
export function rangeOf(network: string): Range | undefined {
  const [, address = '', bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(network) ?? [];
  const prefix = Number(bits);
  const v4 = ipv4Number(address);
  if (v4 !== undefined) {
    if (prefix > 32) return undefined;
    const mask = maskOf(prefix);
    const first = (v4 & mask) >>> 0;
    return { version: 4, first: [first, 0], last: [(first | ~mask) >>> 0, 0] };
  }
  const v6 = isIP(address) === 6 ? ipv6Number(address) : undefined;
  if (v6 === undefined || prefix > MAX_PREFIX_V6) return undefined;
  const [high, low] = [maskOf(Math.min(prefix, 32)), maskOf(Math.max(prefix - 32, 0))];
  const first = [(v6[0] & high) >>> 0, (v6[1] & low) >>> 0] as const;
  return { version: 6, first, last: [(first[0] | ~high) >>> 0, (first[1] | ~low) >>> 0] };
}

/** Mask of a prefix. A shift by 32 bits does nothing in JavaScript. */
const maskOf = (prefix: number): number => (prefix === 0 ? 0 : -1 << (32 - prefix));

const COLON = 0x3a;

/**
 * Returns the first 64 bits of a valid IPv6 address; `undefined` for an IPv4 address and an empty
 * text. By character, since splitting the address takes a microsecond.
 */
function ipv6Number(text: string): readonly [high: number, low: number] | undefined {
  if (!text.includes(':')) return undefined;
  let high = 0;
  let low = 0;
  let group = 0;
  let groups = 0;
  for (let i = 0; groups < 4 && i <= text.length; i += 1) {
    const code = i < text.length ? text.charCodeAt(i) : COLON;
    if (code !== COLON) {
      group = (group << 4) | hexOf(code);
      continue;
    }
    if (groups < 2) high += group * (groups === 0 ? 0x10000 : 1);
    else low += group * (groups === 2 ? 0x10000 : 1);
    group = 0;
    groups += 1;
    if (text.charCodeAt(i + 1) === COLON) {
      groups = 8 - groupsAfter(text, i + 2);
      i += 1;
    }
  }
  return [high, low];
}

/** Value of a hexadecimal digit: a letter has the bit 0x40, and `a` the lower bits 1. */
const hexOf = (code: number): number => (code & 15) + (code & 0x40 ? 9 : 0);

/** Number of groups of an IPv6 address from a position on; an IPv4 address takes two. */
function groupsAfter(text: string, from: number): number {
  if (from >= text.length) return 0;
  let groups = text.includes('.') ? 2 : 1;
  for (let i = from; i < text.length; i += 1) if (text.charCodeAt(i) === COLON) groups += 1;
  return groups;
}

/** Sorted ranges of one version, without those inside others. */
interface Ranges {
  firstHigh: Uint32Array;
  firstLow: Uint32Array;
  lastHigh: Uint32Array;
  lastLow: Uint32Array;
  owners: Uint8Array;
}

type Owned = Range & { owner: number };

const isBefore = (a: Range['first'], b: Range['first']): boolean =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

function rangesOf(owned: readonly Owned[]): Ranges {
  const sorted = owned.toSorted((a, b) => {
    if (isBefore(a.first, b.first)) return -1;
    if (isBefore(b.first, a.first)) return 1;
    return isBefore(a.last, b.last) ? 1 : -1;
  });
  const outer: Owned[] = [];
  for (const range of sorted) {
    const before = outer.at(-1);
    if (before === undefined || isBefore(before.last, range.first)) outer.push(range);
  }
  return {
    firstHigh: Uint32Array.from(outer, ({ first }) => first[0]),
    firstLow: Uint32Array.from(outer, ({ first }) => first[1]),
    lastHigh: Uint32Array.from(outer, ({ last }) => last[0]),
    lastLow: Uint32Array.from(outer, ({ last }) => last[1]),
    owners: Uint8Array.from(outer, ({ owner }) => owner),
  };
}

/** Finds the owner of the range with an address; -1 if there is none. */
function find(ranges: Ranges, high: number, low: number): number {
  const { firstHigh, firstLow, lastHigh, lastLow, owners } = ranges;
  let from = 0;
  let to = owners.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const first = firstHigh[middle]!;
    if (first < high || (first === high && firstLow[middle]! <= low)) from = middle + 1;
    else to = middle;
  }
  const at = from - 1;
  if (at < 0) return -1;
  const last = lastHigh[at]!;
  return last > high || (last === high && lastLow[at]! >= low) ? owners[at]! : -1;
}

/** Networks by owner; see the top of the file. */
export class NetworkTable {
  readonly #owners: readonly string[];
  readonly #v4: Ranges;
  readonly #v6: Ranges;

  /** @throws Error for a text that is no network */
  constructor(sections: readonly NetworkSection[]) {
    this.#owners = sections.map(({ owner }) => owner);
    const all = sections.flatMap(({ networks }, owner) =>
      networks.map((network): Owned => {
        const range = rangeOf(network);
        if (range === undefined) throw new Error(`${network.slice(0, 60)} is not a network`);
        const { version, first, last } = range;
        return { version, first, last, owner };
      }),
    );
    this.#v4 = rangesOf(all.filter(({ version }) => version === 4));
    this.#v6 = rangesOf(all.filter(({ version }) => version === 6));
  }

  /** Returns the owner of an address; `undefined` if it is in none of the networks. */
  ownerOf(ip: string): string | undefined {
    const v4 = ipv4Number(ip);
    if (v4 !== undefined) return this.#owners[find(this.#v4, v4 >>> 0, 0)];
    const v6 = ipv6Number(ip);
    return v6 === undefined ? undefined : this.#owners[find(this.#v6, v6[0], v6[1])];
  }
}

/** Path of the file that is shipped with the service. */
export const SHIPPED_NETWORKS = path.join(ROOT, 'places', 'networks.txt');

/** Reads a file of networks. @throws Error if it cannot be read, or has another format */
export const readNetworks = (file: string): NetworkSection[] =>
  readSections(readFileSync(file, 'utf8'));

/** Loads the networks of NETWORKS_FILE, or else those that are shipped with the service. */
export function loadNetworks(): NetworkTable {
  const { NETWORKS_FILE } = config();
  try {
    return new NetworkTable(readNetworks(NETWORKS_FILE || SHIPPED_NETWORKS));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`NETWORKS_FILE: ${reason}`);
  }
}

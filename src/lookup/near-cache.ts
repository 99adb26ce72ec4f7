import {
  decodeDomain,
  decodeLink,
  decodeRecord,
  decodeSiteFiles,
  domainName,
  encodeRecord,
  linkName,
  siteFilesName,
} from './codec.ts';
import type { DomainEntry, LinkEntry, SiteFilesEntry } from './entry.ts';

/*
 * The entries that one redirect process remembers. Misses are never remembered.
 *
 * Number and age are bounded without a date per entry, by two generations. New entries go to the
 * young one. When it holds half of the allowed entries, or reaches half of the allowed age, it
 * becomes the old one, and the previous old one is dropped whole. A hit in the old generation stays
 * there, so no entry outlives two halves.
 *
 * Domains, workspaces and pages are few, and kept as objects. Links are kept as bytes outside V8's
 * heap: a million of them as strings take 300 MB and slow every major collection down. A link is a
 * record
 *
 *   u32 domain | u32 workspace | u32 length of text | text
 *
 * where `domain` and `workspace` are indexes in a table of names, and the text is that of
 * `encodeRecord` in UTF-8. Records are only appended; a hash table with open addressing maps domain
 * and key to the newest record. Space is freed only with the whole generation.
 */

/** Entries in memory. Times are in ms on a monotonic clock. */
export class NearCache {
  readonly #halfEntries: number;
  readonly #halfMs: number;
  #young = new Generation();
  #old = new Generation();
  #youngSince: number;

  constructor(limits: { entries: number; seconds: number }, now: number) {
    this.#halfEntries = limits.entries / 2;
    this.#halfMs = (limits.seconds * 1000) / 2;
    this.#youngSince = now;
  }

  /**
   * Number of links written to memory; a changed link counts again, since its old record keeps its
   * space.
   */
  get size(): number {
    return this.#young.links.written + this.#old.links.written;
  }

  domain(host: string): DomainEntry | undefined {
    return this.#young.domains.get(host) ?? this.#old.domains.get(host);
  }

  link(domainId: string, key: string): LinkEntry | undefined {
    return this.#young.links.get(domainId, key) ?? this.#old.links.get(domainId, key);
  }

  /** Returns a workspace or a page by its name. */
  other(name: string): object | undefined {
    return this.#young.others.get(name) ?? this.#old.others.get(name);
  }

  rememberOther(name: string, entry: object, now: number): void {
    this.#makeRoom(now);
    this.#young.others.set(copyOf(name), entry);
  }

  forgetOther(name: string): void {
    this.#young.others.delete(name);
    this.#old.others.delete(name);
  }

  rememberDomain(host: string, entry: DomainEntry, now: number): void {
    this.#makeRoom(now);
    this.#young.domains.set(copyOf(host), entry);
  }

  rememberLink(domainId: string, key: string, entry: LinkEntry, now: number): void {
    this.#makeRoom(now);
    const isRemembered = this.#young.links.set(domainId, key, entry);
    if (!isRemembered) this.forgetLink(domainId, key);
  }

  forgetDomain(host: string): void {
    this.#young.domains.delete(host);
    this.#old.domains.delete(host);
  }

  forgetLink(domainId: string, key: string): void {
    this.#young.links.forget(domainId, key);
    this.#old.links.forget(domainId, key);
  }

  /** Forgets the entry of a name, of whatever kind it is. */
  forget(name: string): void {
    const [kind, rest] = [name.slice(0, 3), name.slice(3)];
    if (kind === 'dm:') this.forgetDomain(rest);
    else if (kind !== 'lk:') this.forgetOther(name);
    else {
      const colon = rest.indexOf(':');
      this.forgetLink(rest.slice(0, colon), rest.slice(colon + 1));
    }
  }

  /** Drops what has become too old. Called regularly. */
  age(now: number): void {
    const ageMs = now - this.#youngSince;
    if (ageMs >= 2 * this.#halfMs) this.clear(now);
    else if (ageMs >= this.#halfMs) this.#turn(now);
  }

  /** Drops everything. */
  clear(now: number): void {
    this.#turn(now);
    this.#old = new Generation();
  }

  #makeRoom(now: number): void {
    this.age(now);
    if (this.#young.written >= this.#halfEntries || this.#young.links.isFull) this.#turn(now);
  }

  #turn(now: number): void {
    this.#old = this.#young;
    this.#young = new Generation();
    this.#youngSince = now;
  }
}

/** A name to look up, with all that differs between kinds of entries. */
export interface LookupTarget<Entry> {
  name: string;
  decode(text: string): Entry;
  recall(memory: NearCache): Entry | undefined;
  remember(memory: NearCache, entry: Entry, now: number): void;
  forget(memory: NearCache): void;
}

export const domainTarget = (host: string): LookupTarget<DomainEntry> => ({
  name: domainName(host),
  decode: decodeDomain,
  recall: (memory) => memory.domain(host),
  remember: (memory, entry, now) => memory.rememberDomain(host, entry, now),
  forget: (memory) => memory.forgetDomain(host),
});

export const linkTarget = (domainId: string, key: string): LookupTarget<LinkEntry> => ({
  name: linkName(domainId, key),
  decode: decodeLink,
  recall: (memory) => memory.link(domainId, key),
  remember: (memory, entry, now) => memory.rememberLink(domainId, key, entry, now),
  forget: (memory) => memory.forgetLink(domainId, key),
});

/** Files of a domain for apps, which are not remembered: they are large, and operating systems ask for them seldom. */
export const siteFilesTarget = (domainId: string): LookupTarget<SiteFilesEntry> => ({
  name: siteFilesName(domainId),
  decode: decodeSiteFiles,
  recall: () => undefined,
  remember() {},
  forget() {},
});

/** Workspaces, pages and the service. */
export const otherTarget = <Entry extends object>(
  name: string,
  decode: (text: string) => Entry,
): LookupTarget<Entry> => ({
  name,
  decode,
  // Entries are remembered under the name with which they are decoded.
  recall: (memory) => memory.other(name) as Entry | undefined,
  remember: (memory, entry, now) => memory.rememberOther(name, entry, now),
  forget: (memory) => memory.forgetOther(name),
});

/** Entries of one half of the allowed time or space. */
class Generation {
  readonly domains = new Map<string, DomainEntry>();
  /** Workspaces and pages by name; there are few of them. */
  readonly others = new Map<string, object>();
  readonly links = new Records();

  get written(): number {
    return this.domains.size + this.others.size + this.links.written;
  }
}

const HEADER = 12;
/**
 * Size of the chunks that hold records, in bytes; a link that does not fit into one is not
 * remembered.
 */
const CHUNK = 1 << 20;
/** Positions are 32-bit. */
const MAX_BYTES = 2 ** 32;
const MIN_SLOTS = 1024;
const LINE_FEED = 0x0a;

/** A slot that never held anything ends a search; a forgotten link's slot does not. */
const EMPTY = 0;
const FORGOTTEN = 1;
const FIRST_POSITION = 2;

/** Links as bytes; they are remembered until all are dropped together. */
class Records {
  /**
   * Number of records ever written, including forgotten and replaced ones, which keep their space.
   */
  written = 0;
  // Random by process, so that nobody can construct keys that all share a slot.
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #chunks: Buffer[] = [];
  #end = MAX_BYTES;
  #slots = new Uint32Array(MIN_SLOTS);
  #hashes = new Int32Array(MIN_SLOTS);
  #usedSlots = 0;
  /** The text that `#find` compared last, since reading it again costs as much as the search. */
  #lastText = '';

  /** True when positions run out. */
  get isFull(): boolean {
    return this.#chunks.length * CHUNK > MAX_BYTES - CHUNK;
  }

  get(domainId: string, key: string): LinkEntry | undefined {
    const domain = this.#numbers.get(domainId);
    if (domain === undefined) return undefined;
    const slot = this.#find(domain, key);
    return slot < 0 ? undefined : this.#entryAt(slot, key);
  }

  /** Stores a link. @returns false if it is longer than a chunk */
  set(domainId: string, key: string, entry: LinkEntry): boolean {
    const text = encodeRecord(key, entry);
    const length = HEADER + Buffer.byteLength(text);
    if (length > CHUNK) return false;
    const domain = this.#numberOf(domainId);
    const slot = this.#find(domain, key);
    // While invalidations are lost everything is looked up again and again, mostly unchanged.
    if (slot >= 0 && this.#lastText === text) return true;
    const position = this.#write(length, domain, this.#numberOf(entry.projectId), text);
    if (slot >= 0) this.#slots[slot] = position + FIRST_POSITION;
    else this.#enter(this.#hash(domain, key), position + FIRST_POSITION);
    return true;
  }

  forget(domainId: string, key: string): void {
    const domain = this.#numbers.get(domainId);
    if (domain === undefined) return;
    const slot = this.#find(domain, key);
    if (slot >= 0) this.#slots[slot] = FORGOTTEN;
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#names.length;
      const copy = copyOf(text);
      this.#names.push(copy);
      this.#numbers.set(copy, number);
    }
    return number;
  }

  #find(domain: number, key: string): number {
    const mask = this.#slots.length - 1;
    const hash = this.#hash(domain, key);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const value = this.#slots[slot]!;
      if (value === EMPTY) return -1;
      if (value !== FORGOTTEN && this.#hashes[slot] === hash) {
        if (this.#isAt(value - FIRST_POSITION, domain, key)) return slot;
      }
    }
  }

  #isAt(position: number, domain: number, key: string): boolean {
    const bytes = this.#chunkOf(position);
    const start = position % CHUNK;
    if (bytes.readUInt32LE(start) !== domain) return false;
    const end = start + HEADER + bytes.readUInt32LE(start + 8);
    this.#lastText = bytes.toString('utf8', start + HEADER, end);
    return this.#lastText.charCodeAt(key.length) === LINE_FEED && this.#lastText.startsWith(key);
  }

  #chunkOf(position: number): Buffer {
    return this.#chunks[Math.floor(position / CHUNK)]!;
  }

  /** Returns the entry in a slot that `#find` has just returned. */
  #entryAt(slot: number, key: string): LinkEntry {
    const position = this.#slots[slot]! - FIRST_POSITION;
    const project = this.#chunkOf(position).readUInt32LE((position % CHUNK) + 4);
    return decodeRecord(this.#lastText, key.length + 1, this.#names[project]!);
  }

  #write(length: number, domain: number, project: number, text: string): number {
    if (this.#end + length > CHUNK) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK));
      this.#end = 0;
    }
    const bytes = this.#chunks[this.#chunks.length - 1]!;
    const start = this.#end;
    bytes.writeUInt32LE(domain, start);
    bytes.writeUInt32LE(project, start + 4);
    bytes.writeUInt32LE(length - HEADER, start + 8);
    bytes.write(text, start + HEADER, 'utf8');
    this.#end += length;
    this.written += 1;
    return (this.#chunks.length - 1) * CHUNK + start;
  }

  #enter(hashed: number, value: number): void {
    if (this.#usedSlots * 2 >= this.#slots.length) this.#grow();
    const mask = this.#slots.length - 1;
    let slot = hashed & mask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#slots[slot] = value;
    this.#hashes[slot] = hashed;
    this.#usedSlots += 1;
  }

  #hash(domain: number, key: string): number {
    // FNV-1a, then mixed, since the low bits choose the slot.
    let value = this.#seed ^ domain;
    for (let i = 0; i < key.length; i += 1) {
      value = Math.imul(value ^ key.charCodeAt(i), 0x01000193);
    }
    value ^= value >>> 15;
    value = Math.imul(value, 0x2c1b3c6d);
    return value ^ (value >>> 12);
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Uint32Array(slots.length * 2);
    this.#hashes = new Int32Array(slots.length * 2);
    this.#usedSlots = 0;
    slots.forEach((value, slot) => {
      if (value >= FIRST_POSITION) this.#enter(hashes[slot]!, value);
    });
  }
}

/** Copies a text: a substring of a request or reply keeps all of it in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

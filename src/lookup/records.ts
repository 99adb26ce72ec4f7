import type { LinkEntry } from './entry.ts';

/*
 * Links as bytes outside V8's heap. A million of them as strings take 300 MB and make every major collection
 * slower; here a link is a record
 *
 *   u32 domain | u32 workspace | u16 length of key | u32 length of text | key | text
 *
 * where `domain` and `workspace` are places in a table of texts, the text is `id \n destination \n extras`, and
 * key and text are UTF-8. Records are only ever appended; a table with open addressing leads from the hash of
 * domain and key to the newest record. Nothing is given back but the whole.
 */

const HEADER = 14;
/** Room for records is taken in pieces of this many bytes; a link that is longer than one is not remembered. */
const CHUNK = 1 << 20;
/** Positions are 32-bit. */
const MOST_BYTES = 2 ** 32;
const FEWEST_SLOTS = 1024;

/** A slot that never held anything ends a search; one whose link was forgotten does not. */
const EMPTY = 0;
const FORGOTTEN = 1;
const FIRST_POSITION = 2;

/** Remembers links until it is dropped as a whole. */
export class Records {
  /** Records ever written: what is forgotten or replaced counts too, because it takes room. */
  written = 0;
  // Differs by process, so that nobody can make up keys that all share a slot.
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #chunks: Buffer[] = [];
  #end = MOST_BYTES;
  #slots = new Uint32Array(FEWEST_SLOTS);
  #hashes = new Int32Array(FEWEST_SLOTS);
  #usedSlots = 0;

  /** True when positions run out. */
  get isFull(): boolean {
    return this.#chunks.length * CHUNK > MOST_BYTES - CHUNK;
  }

  get(domainId: string, key: string): LinkEntry | undefined {
    const name = bytesOf(key);
    const domain = this.#numbers.get(domainId);
    if (domain === undefined) return undefined;
    const slot = this.#find(domain, name);
    return slot < 0 ? undefined : this.#read(this.#slots[slot]! - FIRST_POSITION);
  }

  /** Answers whether it is remembered; a link that is very long is not, and takes nobody's place. */
  set(domainId: string, key: string, entry: LinkEntry): boolean {
    const name = bytesOf(key);
    const text = pack(entry);
    const length = HEADER + name.length + Buffer.byteLength(text);
    if (length > CHUNK) return false;
    const domain = this.#numberOf(domainId);
    const found = this.#find(domain, name);
    // While invalidations are lost everything is asked for again and again; mostly nothing has changed.
    if (found >= 0 && this.#textAt(this.#slots[found]! - FIRST_POSITION) === text) return true;
    const position = this.#write(length, domain, this.#numberOf(entry.projectId), name, text);
    if (found >= 0) this.#slots[found] = position + FIRST_POSITION;
    else this.#enter(this.#hash(domain, name), position + FIRST_POSITION);
    return true;
  }

  forget(domainId: string, key: string): void {
    const name = bytesOf(key);
    const domain = this.#numbers.get(domainId);
    if (domain === undefined) return;
    const slot = this.#find(domain, name);
    if (slot >= 0) this.#slots[slot] = FORGOTTEN;
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.length;
      const own = copyOf(text);
      this.#texts.push(own);
      this.#numbers.set(own, number);
    }
    return number;
  }

  #find(domain: number, name: string): number {
    const mask = this.#slots.length - 1;
    const wanted = this.#hash(domain, name);
    for (let slot = wanted & mask; ; slot = (slot + 1) & mask) {
      const value = this.#slots[slot]!;
      if (value === EMPTY) return -1;
      if (value !== FORGOTTEN && this.#hashes[slot] === wanted) {
        if (this.#isAt(value - FIRST_POSITION, domain, name)) return slot;
      }
    }
  }

  #isAt(position: number, domain: number, name: string): boolean {
    const bytes = this.#chunks[Math.floor(position / CHUNK)]!;
    const start = position % CHUNK;
    if (bytes.readUInt32LE(start) !== domain) return false;
    if (bytes.readUInt16LE(start + 8) !== name.length) return false;
    for (let i = 0; i < name.length; i += 1) {
      if (bytes[start + HEADER + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  #textAt(position: number): string {
    const bytes = this.#chunks[Math.floor(position / CHUNK)]!;
    const start = position % CHUNK;
    const textStart = start + HEADER + bytes.readUInt16LE(start + 8);
    return bytes.toString('utf8', textStart, textStart + bytes.readUInt32LE(start + 10));
  }

  #read(position: number): LinkEntry {
    const bytes = this.#chunks[Math.floor(position / CHUNK)]!;
    const projectId = this.#texts[bytes.readUInt32LE((position % CHUNK) + 4)]!;
    return unpack(this.#textAt(position), projectId);
  }

  #write(length: number, domain: number, project: number, name: string, text: string): number {
    if (this.#end + length > CHUNK) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK));
      this.#end = 0;
    }
    const bytes = this.#chunks[this.#chunks.length - 1]!;
    const start = this.#end;
    bytes.writeUInt32LE(domain, start);
    bytes.writeUInt32LE(project, start + 4);
    bytes.writeUInt16LE(name.length, start + 8);
    bytes.writeUInt32LE(length - HEADER - name.length, start + 10);
    bytes.write(name, start + HEADER, 'latin1');
    bytes.write(text, start + HEADER + name.length, 'utf8');
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

  #hash(domain: number, name: string): number {
    // FNV-1a, then mixed: low bits choose the slot.
    let value = this.#seed ^ domain;
    for (let i = 0; i < name.length; i += 1) {
      value = Math.imul(value ^ name.charCodeAt(i), 0x01000193);
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

function pack({ id, projectId: _, destination, ...extras }: LinkEntry): string {
  const rest = JSON.stringify(extras);
  return `${id}\n${destination}\n${rest === '{}' ? '' : rest}`;
}

function unpack(text: string, projectId: string): LinkEntry {
  const first = text.indexOf('\n');
  const second = text.indexOf('\n', first + 1);
  const id = text.slice(0, first);
  const destination = text.slice(first + 1, second);
  if (second === text.length - 1) return { id, projectId, destination };
  return { id, projectId, destination, ...(JSON.parse(text.slice(second + 1)) as object) };
}

/** The text with one character per UTF-8 byte; an ASCII text is its own answer. */
function bytesOf(text: string): string {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 127) return Buffer.from(text).toString('latin1');
  }
  return text;
}

/** A text cut from a request or a reply holds all of it in memory; this one stands alone. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

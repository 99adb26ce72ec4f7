/*
 * Numbers as varints of seven bits per byte, lowest first (Protocol Buffers, Encoding). Signed
 * numbers are stored in zigzag: 0, -1, 1, -2 as 0, 1, 2, 3.
 */

/** A sum in US cents: a bigint if a number would not be exact. */
export type Amount = number | bigint;

/** Signed numbers of up to this many bytes are exact. */
const EXACT_BYTES = 7;
/** Zigzag numbers below this are exact, and take up to {@link EXACT_BYTES} bytes. */
const EXACT = 2 ** 48;

/** Decodes a zigzag number. */
export const decodeZigzag = (zigzag: number): number =>
  zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;

/** Writes numbers as varints, after a byte with their format. */
export class VarintWriter {
  #bytes: Buffer;
  #size = 1;

  constructor(format: number, entries: number) {
    this.#bytes = Buffer.allocUnsafe(4 * entries + 32);
    this.#bytes[0] = format;
  }

  add(value: number): void {
    this.#reserve();
    let rest = value;
    for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) this.#put((rest % 128) | 128);
    for (; rest >= 128; rest >>>= 7) this.#put((rest & 127) | 128);
    this.#put(rest);
  }

  addSigned(value: Amount): void {
    if (typeof value === 'number' && Math.abs(value) < EXACT / 2) {
      this.add(value < 0 ? -2 * value - 1 : 2 * value);
      return;
    }
    let rest = BigInt(value);
    rest = rest < 0n ? -2n * rest - 1n : 2n * rest;
    for (; rest >= 128n; rest >>= 7n) {
      this.#reserve();
      this.#put(Number(rest & 127n) | 128);
    }
    this.#put(Number(rest));
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #put(byte: number): void {
    this.#bytes[this.#size++] = byte;
  }

  /** Reserves space for a number of up to 2^53. */
  #reserve(): void {
    if (this.#size + 16 <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length);
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

/** Reads numbers as {@link VarintWriter} writes them. */
export class VarintReader {
  at = 1;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let byte = this.#bytes[this.at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = this.#bytes[this.at++]!;
      value += (byte & 127) * scale;
    }
    return value;
  }

  nextAmount(): Amount {
    let length = 1;
    while (this.#bytes[this.at + length - 1]! >= 128) length += 1;
    if (length <= EXACT_BYTES) return decodeZigzag(this.next());
    let value = 0n;
    for (let place = length - 1; place >= 0; place -= 1) {
      value = (value << 7n) | BigInt(this.#bytes[this.at + place]! & 127);
    }
    this.at += length;
    const amount = value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
    return Number.isSafeInteger(Number(amount)) ? Number(amount) : amount;
  }
}

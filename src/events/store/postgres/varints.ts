/*
 * Numbers as varints of seven bits a byte, the lowest first (Protocol Buffers, Encoding). Signed numbers are stored
 * zigzag: 0, -1, 1, -2 as 0, 1, 2, 3.
 */

/** A sum in US cents: a bigint where a number would not be exact. */
export type Amount = number | bigint;

/** Numbers of so many bytes are exact with their signs. */
const EXACT_BYTES = 7;
/** Zigzag numbers below are exact, and take up to that many bytes. */
const EXACT = 2 ** 48;

/** The number of a zigzag number. */
export const unsigned = (zigzag: number): number =>
  zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;

/** Writes numbers as varints, after a byte that names their format. */
export class VarintWriter {
  #bytes: Buffer;
  #size = 1;

  constructor(format: number, entries: number) {
    this.#bytes = Buffer.allocUnsafe(4 * entries + 32);
    this.#bytes[0] = format;
  }

  add(value: number): void {
    this.#reserve();
    let left = value;
    for (; left >= 2 ** 31; left = Math.floor(left / 128)) this.#put((left % 128) | 128);
    for (; left >= 128; left >>>= 7) this.#put((left & 127) | 128);
    this.#put(left);
  }

  addSigned(value: Amount): void {
    if (typeof value === 'number' && Math.abs(value) < EXACT / 2) {
      this.add(value < 0 ? -2 * value - 1 : 2 * value);
      return;
    }
    let left = BigInt(value);
    left = left < 0n ? -2n * left - 1n : 2n * left;
    for (; left >= 128n; left >>= 7n) {
      this.#reserve();
      this.#put(Number(left & 127n) | 128);
    }
    this.#put(Number(left));
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #put(byte: number): void {
    this.#bytes[this.#size++] = byte;
  }

  /** Makes room for a number of up to 2^53. */
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
    if (length <= EXACT_BYTES) return unsigned(this.next());
    let value = 0n;
    for (let place = length - 1; place >= 0; place -= 1) {
      value = (value << 7n) | BigInt(this.#bytes[this.at + place]! & 127);
    }
    this.at += length;
    const amount = value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
    return Number.isSafeInteger(Number(amount)) ? Number(amount) : amount;
  }
}

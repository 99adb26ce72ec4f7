/** Row filters of PNG (PNG, 9.2): none, differences to the px before, and to the px above. */
const FILTERS = { none: 0, before: 1, above: 2 };

/**
 * Px of four bytes: red, green, blue and opacity, in the order in which they lie in memory. Signed
 * numbers, as V8 computes with larger ones as fractions.
 */
interface Pixels {
  pixels: Int32Array;
  width: number;
  height: number;
}

/**
 * Writes the rows of a PNG of three bytes per px, each after the byte of its filter. A row that is
 * equal to the one above becomes differences of 0.
 *
 * @param isPhotograph true for differences to the px before, which make photographs smaller, and
 *   shapes larger
 * @returns `undefined` if a px has an opacity
 */
export function opaqueRows(
  { pixels, width, height }: Pixels,
  isPhotograph: boolean,
): Buffer | undefined {
  const stride = 1 + width * 3;
  const rows = Buffer.alloc(stride * height);
  // Four px become three numbers, which are written faster than single bytes.
  const row = new Int32Array(Math.ceil(width / 4) * 4).fill(-1);
  const packed = new Int32Array((row.length / 4) * 3);
  const bytes = new Uint8Array(packed.buffer, 0, width * 3);
  const all = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  for (let y = 0; y < height; y += 1) {
    if (isRepeated(all, y, width * 4)) {
      rows[y * stride] = FILTERS.above;
      continue;
    }
    row.set(pixels.subarray(y * width, (y + 1) * width));
    if (pack(row, packed, isPhotograph) >> 24 !== -1) return undefined;
    rows[y * stride] = isPhotograph ? FILTERS.before : FILTERS.none;
    rows.set(bytes, y * stride + 1);
  }
  return rows;
}

/** Writes the rows of a PNG of four bytes per px. */
export function translucentRows({ pixels, width, height }: Pixels): Buffer {
  const all = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const stride = 1 + width * 4;
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    if (isRepeated(all, y, width * 4)) rows[y * stride] = FILTERS.above;
    else all.copy(rows, y * stride + 1, y * width * 4, (y + 1) * width * 4);
  }
  return rows;
}

/** True if a row of bytes is equal to the one above. */
const isRepeated = (all: Buffer, y: number, length: number): boolean =>
  y > 0 && all.compare(all, (y - 1) * length, y * length, y * length, (y + 1) * length) === 0;

/** The highest bit of each byte, and the other bits. */
const HIGHEST = 0x80808080 | 0;
const OTHERS = ~HIGHEST;

/** Subtracts all four bytes of a px. */
const minus = (px: number, before: number): number =>
  ((px | HIGHEST) - (before & OTHERS)) ^ ((px ^ ~before) & HIGHEST);

/**
 * Leaves out the opacity of px.
 *
 * @returns the bits that all px have
 */
function pack(row: Int32Array, packed: Int32Array, isPhotograph: boolean): number {
  let all = -1;
  let before = 0;
  for (let at = 0, to = 0; at < row.length; at += 4, to += 3) {
    let first = row[at]!;
    let second = row[at + 1]!;
    let third = row[at + 2]!;
    let fourth = row[at + 3]!;
    all &= first & second & third & fourth;
    if (isPhotograph) {
      const last = fourth;
      fourth = minus(fourth, third);
      third = minus(third, second);
      second = minus(second, first);
      first = minus(first, before);
      before = last;
    }
    packed[to] = (first & 0xffffff) | (second << 24);
    packed[to + 1] = ((second >> 8) & 0xffff) | (third << 16);
    packed[to + 2] = ((third >> 16) & 0xff) | (fourth << 8);
  }
  return all;
}

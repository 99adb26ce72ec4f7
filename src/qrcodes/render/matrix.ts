import { correction, generate, mode } from 'lean-qr';
import { create } from 'qrcode';
import { Refusal } from '../../errors.ts';
import { byteLength } from '../../infra/byte-length.ts';
import { dataCodewordsOf } from './codewords.ts';
import { LEVELS, type Level } from './levels.ts';

/** The modules of a code, without its quiet zone. */
export interface Matrix {
  /** Modules per side: 21 for version 1, and four more per version. */
  size: number;
  /** 1 to 40. */
  version: number;
  level: Level;
  isDark(row: number, column: number): boolean;
  /**
   * True for modules of finder, timing or alignment patterns, and of format and version
   * information.
   */
  isFunction(row: number, column: number): boolean;
}

/**
 * Ranges of versions with an alignment pattern in the center (ISO/IEC 18004, annex E), each with
 * the next version without one there.
 */
const CENTER_PATTERNS = [
  { from: 7, next: 14 },
  { from: 21, next: 28 },
  { from: 35, next: undefined },
];
const RANGE = 7;

/** Options of a code; all are off where absent. */
export interface EncodeOptions {
  /**
   * Skips versions with an alignment pattern in the middle, for an image there: decoders search for
   * that pattern, and mistake parts of the image for it.
   */
  freeMiddle?: boolean | undefined;
  /** Least version. */
  minVersion?: number | undefined;
  /** Takes the highest level that fits the same version, so that the code has the same size. */
  raisesLevel?: boolean | undefined;
}

/** A code from one of the two encoders. */
interface Encoded extends Omit<Matrix, 'size' | 'level'> {
  level: Level;
}

/**
 * Encodes a text (ISO/IEC 18004) as UTF-8, in the smallest version that holds it at this level. A
 * text that is not ASCII names its character set with an ECI header, since readers otherwise guess
 * it, and take short texts for Big5 or Shift JIS.
 *
 * @param level minimum level
 * @throws Refusal `unprocessable_entity` if the text does not fit at this level
 */
export function encodeMatrix(
  payload: string,
  level: Level,
  { freeMiddle = false, raisesLevel = false, minVersion = 1 }: EncodeOptions = {},
): Matrix {
  const most = raisesLevel ? 'H' : level;
  let code = encode(payload, level, most);
  let least = Math.max(code.version, minVersion);
  const range = CENTER_PATTERNS.find(
    ({ from }) => freeMiddle && least >= from && least < from + RANGE,
  );
  if (range !== undefined) {
    if (range.next === undefined) {
      throw new Refusal(
        'unprocessable_entity',
        `The content of ${byteLength(payload)} bytes leaves no room for an image at level ${level}: ` +
          'shorten the content, or leave out src and logo',
      );
    }
    least = range.next;
  }
  if (least > code.version) code = encode(payload, level, most, least);
  return { ...code, size: sizeOf(code.version) };
}

/** Modules per side of a version. */
const sizeOf = (version: number): number => 17 + 4 * version;

function encode(payload: string, least: Level, most: Level, version?: number): Encoded {
  if (!isAscii(payload)) {
    const code = withCharacterSet(payload, least, most, version);
    if (code !== undefined) return code;
  }
  try {
    return withoutCharacterSet(payload, least, most, version);
  } catch {
    throw new Refusal(
      'unprocessable_entity',
      `The content of ${byteLength(payload)} bytes does not fit into a QR code of level ${least}: ` +
        'shorten the content, or lower level',
    );
  }
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** ECI designator of UTF-8 (AIM ECI assignments). */
const UTF_8 = 26;

/**
 * Encodes the bytes of a text after an ECI header. @returns `undefined` for a text that fits into no
 * version with it
 */
function withCharacterSet(
  payload: string,
  least: Level,
  most: Level,
  minVersion = 1,
): Encoded | undefined {
  const bytes = new TextEncoder().encode(payload);
  let code: ReturnType<typeof generate>;
  try {
    code = generate(mode.multi(mode.eci(UTF_8), mode.bytes(bytes)), {
      minCorrectionLevel: correction[least],
      maxCorrectionLevel: correction[most],
      minVersion,
    });
  } catch {
    return undefined;
  }
  const version = (code.size - 17) / 4;
  const isFunction = functionPatterns(version);
  const isDark = (row: number, column: number) => code.get(column, row);
  return { version, level: levelOf(isDark), isDark, isFunction };
}

/** Levels by their two bits in the format information (ISO/IEC 18004, table 12). */
const LEVEL_BITS = ['M', 'L', 'H', 'Q'] as const;

/** Reads the level from the format information, whose mask begins with `10`. */
function levelOf(isDark: Matrix['isDark']): Level {
  const bits = (isDark(8, 0) ? 0b10 : 0) | (isDark(8, 1) ? 0b01 : 0);
  return LEVEL_BITS[bits ^ 0b10]!;
}

/** Function patterns depend on the version only, so any text of it has them. */
function functionPatterns(version: number): Matrix['isFunction'] {
  const { size, reservedBit } = create('0', { version, maskPattern: 0 }).modules;
  return (row, column) => reservedBit[row * size + column] === 1;
}

function withoutCharacterSet(payload: string, least: Level, most: Level, from?: number): Encoded {
  const code = create(payload, { errorCorrectionLevel: least, version: from });
  const level = least === most ? least : highestLevel(code);
  if (level === undefined || level === least) return encodedOf(code, least);
  const { version } = code;
  return encodedOf(create(payload, { errorCorrectionLevel: level, version }), level);
}

/** Bits of the mode indicator of a segment. */
const MODE_BITS = 4;

type Generated = ReturnType<typeof create>;

/** The highest level at which the version of a code holds its segments. */
function highestLevel({ version, segments }: Generated): Level | undefined {
  const size = version < 10 ? 0 : version < 27 ? 1 : 2;
  const bits = segments
    .map((segment) => MODE_BITS + segment.mode.ccBits[size]! + segment.getBitsLength())
    .reduce((sum, length) => sum + length, 0);
  return LEVELS.findLast((level) => bits <= 8 * dataCodewordsOf(version, level));
}

function encodedOf({ version, modules }: Generated, level: Level): Encoded {
  const { size, data, reservedBit } = modules;
  return {
    version,
    level,
    isDark: (row, column) => data[row * size + column] === 1,
    isFunction: (row, column) => reservedBit[row * size + column] === 1,
  };
}

/** Returns the dark modules as an SVG path in modules, with a rectangle for each run of a row. */
export function plainPath({ size, isDark }: Matrix): string {
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!isDark(row, column)) continue;
      const start = column;
      while (column < size && isDark(row, column)) column += 1;
      path += `M${start} ${row}h${column - start}v1h-${column - start}z`;
    }
  }
  return path;
}

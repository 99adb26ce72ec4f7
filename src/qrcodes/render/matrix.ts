import { create } from 'qrcode';
import { Refusal } from '../../errors.ts';
import { byteLength } from '../../infra/byte-length.ts';

/** Error-correction levels, which recover about 7, 15, 25 and 30% of the codewords. */
export const LEVELS = ['L', 'M', 'Q', 'H'] as const;
export type Level = (typeof LEVELS)[number];

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

/**
 * Encodes a text (ISO/IEC 18004) as UTF-8, in the smallest version that holds it at this level.
 *
 * @param freeMiddle skips versions with an alignment pattern in the middle, for an image there:
 *   decoders search for that pattern, and mistake parts of the image for it
 * @throws Refusal `unprocessable_entity` if the text does not fit at this level
 */
export function encodeMatrix(payload: string, level: Level, freeMiddle = false): Matrix {
  let code = encode(payload, level);
  const range = CENTER_PATTERNS.find(
    ({ from }) => freeMiddle && code.version >= from && code.version < from + RANGE,
  );
  if (range !== undefined) {
    if (range.next === undefined) {
      throw new Refusal(
        'unprocessable_entity',
        `The content of ${byteLength(payload)} bytes leaves no room for an image at level ${level}: ` +
          'shorten the content, or leave out src and logo',
      );
    }
    code = encode(payload, level, range.next);
  }
  const { size, data, reservedBit } = code.modules;
  return {
    size,
    version: code.version,
    level,
    isDark: (row, column) => data[row * size + column] === 1,
    isFunction: (row, column) => reservedBit[row * size + column] === 1,
  };
}

function encode(payload: string, level: Level, version?: number): ReturnType<typeof create> {
  try {
    return create(payload, { errorCorrectionLevel: level, version });
  } catch {
    throw new Refusal(
      'unprocessable_entity',
      `The content of ${byteLength(payload)} bytes does not fit into a QR code of level ${level}: ` +
        'shorten the content, or lower level',
    );
  }
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

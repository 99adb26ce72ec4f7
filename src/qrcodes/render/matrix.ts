import { create } from 'qrcode';
import { Refusal } from '../../errors.ts';

/** Error-correction levels: they bear the loss of about 7, 15, 25 and 30 % of the codewords. */
export const LEVELS = ['L', 'M', 'Q', 'H'] as const;
export type Level = (typeof LEVELS)[number];

/** The modules of a code, without its quiet zone. */
export interface Matrix {
  /** Modules per side: 21 for version 1, four more for each further version. */
  size: number;
  /** 1 to 40. */
  version: number;
  level: Level;
  isDark(row: number, column: number): boolean;
  /** Belongs to finder, timing or alignment patterns, or to format and version information. */
  isFunction(row: number, column: number): boolean;
}

/**
 * Encodes a text (ISO/IEC 18004) as UTF-8, in the smallest version that holds it at this level.
 *
 * @throws Refusal `unprocessable_entity` when the text does not fit at this level
 */
export function encodeMatrix(payload: string, level: Level): Matrix {
  let code: ReturnType<typeof create>;
  try {
    code = create(payload, { errorCorrectionLevel: level });
  } catch {
    throw new Refusal(
      'unprocessable_entity',
      `The content of ${Buffer.byteLength(payload)} bytes does not fit into a QR code of level ${level}: ` +
        'shorten the content, or lower level',
    );
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

/** The dark modules as an SVG path in modules: one rectangle for each run of a row. */
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

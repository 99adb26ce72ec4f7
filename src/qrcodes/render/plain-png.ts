import { parseColor } from './color.ts';
import type { Design } from './design.ts';
import { matrixOf } from './design-matrix.ts';
import { layoutFrame } from './frames/index.ts';
import type { Matrix } from './matrix.ts';
import { type ModulePlace, placeModules } from './place.ts';
import { indexedPng } from './png.ts';

/*
 * Draws plain codes without SVG and sharp. Their image has two colors and few distinct rows, so one
 * bit per px and PNG's own row filter take a fraction of the time and size.
 */

/**
 * Row filter "Up" (PNG, 9.2), which stores the difference of each byte to the one above, mostly 0.
 */
const UP = 2;

/** True for a code of squares in two colors, which `plainPng` can draw. */
export function isPlain(design: Design): boolean {
  const { pattern, shape, frame, middle, fgColor, quietZoneColor } = design;
  const { fgGradient, bgGradient, eyeColor, eyeBallColor, eyeColors, eyeGradient } = design;
  const isColored = [
    quietZoneColor,
    fgGradient,
    bgGradient,
    eyeColor,
    eyeBallColor,
    eyeColors,
    eyeGradient,
  ].some(Boolean);
  return (
    pattern === 'squares' &&
    (shape === 'square' || shape === 'square/square') &&
    frame === 'none' &&
    middle === null &&
    !design.hasSwissCross &&
    design.background === undefined &&
    !isColored &&
    parseColor(fgColor).a === 1
  );
}

/**
 * Draws a plain code as an indexed PNG of one bit per px.
 *
 * @param design must pass `isPlain`
 * @param dpi resolution that the file states; absent: none
 * @throws Refusal `unprocessable_entity` if the payload fits into no code of the level
 */
export function plainPng(payload: string, design: Design, dpi?: number): Buffer {
  const matrix = matrixOf(payload, design);
  const place = placeModules(layoutFrame(design).code, matrix.size, design.margin);
  const rows = bitRows(matrix, place, design.size);
  const colors = [parseColor(design.bgColor), parseColor(design.fgColor)];
  const { size } = design;
  return indexedPng({ width: size, height: size, depth: 1, rows, colors, effort: 9 }, dpi);
}

/** The rows of the image, each after its filter byte; a set bit is a dark px. */
function bitRows(matrix: Matrix, { x0, y0, px }: ModulePlace, side: number): Buffer {
  const stride = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(stride * side);
  for (let y = 0; y < side; y += 1) rows[y * stride] = UP;
  let above = Buffer.alloc(stride);
  // Only the first row of px of a row of modules differs from the row above. The loop has one more
  // row for the quiet zone below.
  for (let row = 0; row <= matrix.size; row += 1) {
    const bits = Buffer.alloc(stride);
    for (let column = 0; row < matrix.size && column < matrix.size; column += 1) {
      if (matrix.isDark(row, column)) setBits(bits, x0 + column * px, px);
    }
    const start = (y0 + row * px) * stride;
    for (let at = 1; at < stride; at += 1) {
      rows[start + at] = (bits[at] ?? 0) - (above[at] ?? 0);
    }
    above = bits;
  }
  return rows;
}

function setBits(bits: Buffer, from: number, count: number): void {
  for (let x = from; x < from + count; x += 1) {
    // The first byte is the filter.
    const at = 1 + (x >> 3);
    bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
  }
}

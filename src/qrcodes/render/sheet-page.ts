import type { Vector } from '../../images/vector/types.ts';
import type { Drawing } from './drawing-types.ts';
import { pointsOf } from './output.ts';
import type { Page, Pixels, Placed } from './pdf.ts';
import { CAPTION_MM, cellOf, PAPERS, perPage, type SheetLayout } from './sheet-layout.ts';
import { missingCharacter, setLine, type TextStyles } from './text.ts';

/** Default font of the texts under codes. */
export const CAPTION_FONT: TextStyles = { family: 'Inter', weight: 500 };
/** Cap height of a caption, in mm. */
const CAPITALS_MM = 2.2;
const POINTS_PER_MM = pointsOf(1);

/** A code for a sheet, and the text under it. */
export interface SheetCode {
  drawing: Drawing;
  /** The image in the middle of the code. */
  pixels?: Pixels | undefined;
  /** The image in the middle, if it consists of shapes. */
  vector?: Vector | undefined;
  /** The pictures that its shapes cut out. */
  pictures?: Placed['pictures'];
  /** Used only if the layout has captions. */
  caption: string;
  /** Font of the caption; absent: the default. */
  font?: TextStyles | undefined;
}

/** A page without its drawings, in points. */
export function emptyPage({ paper }: SheetLayout): Page & { drawings: Placed[] } {
  const [width, height] = PAPERS[paper];
  return { width: width * POINTS_PER_MM, height: height * POINTS_PER_MM, drawings: [] };
}

/**
 * Places a code on its page as vector graphics in the exact size of the layout.
 *
 * @param index number of the code on all pages, from 0
 */
export function placeOnSheet(layout: SheetLayout, index: number, code: SheetCode): Placed[] {
  const { drawing, pixels, vector, pictures, caption, font } = code;
  const cell = cellOf(layout);
  const at = index % perPage(layout);
  const left = cell.left(at % layout.columns) * POINTS_PER_MM;
  const top = cell.top(Math.floor(at / layout.columns)) * POINTS_PER_MM;
  const width = cell.width * POINTS_PER_MM;
  const scale = Math.min(width / drawing.width, (cell.room * POINTS_PER_MM) / drawing.height);
  const x = left + (width - drawing.width * scale) / 2;
  const placed: Placed[] = [{ drawing, pixels, vector, pictures, x, y: top, scale }];
  if (!layout.hasCaptions) return placed;
  const y = top + drawing.height * scale;
  return [...placed, { drawing: captionDrawing(caption, width, font), x: left, y, scale: 1 }];
}

/** Returns the font of a caption: the default for a text with letters that the font lacks. */
export const fontOfCaption = (text: string, font: TextStyles): TextStyles =>
  missingCharacter(text, font) === undefined ? font : CAPTION_FONT;

/** Draws a centered text within a width in points, smaller if it would not fit. */
function captionDrawing(text: string, width: number, font = CAPTION_FONT): Drawing {
  const height = CAPTION_MM * POINTS_PER_MM;
  const line = setLine(text, font);
  const size = Math.min(
    (CAPITALS_MM * POINTS_PER_MM) / line.capHeight,
    width / Math.max(line.width, 0.1),
  );
  const path = line.path((width - line.width * size) / 2, height * 0.65, size);
  const box = { x: 0, y: 0, width, height };
  return {
    width,
    height,
    ground: null,
    shapes: [{ path, fill: '#000000' }],
    image: null,
    code: box,
    modulePx: 0,
  };
}

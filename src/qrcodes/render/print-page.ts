import type { Paint } from '../../images/vector/types.ts';
import type { Drawing, Shape } from './drawing-types.ts';
import { rectangle } from './geometry.ts';
import { type Output, pointsOf } from './output.ts';

/** Length of a crop mark, and its distance from the bleed, in points. */
const MARK_LENGTH = 12;
const MARK_GAP = 3;
const MARK_WIDTH = 0.25;
const BLACK = '#000000';

/** A box of a page from its upper left corner, in points. */
export type PageBox = readonly [x: number, y: number, width: number, height: number];

/** A page around one drawing; lengths in points. */
export interface PrintPage {
  width: number;
  height: number;
  /** Position and points per px of the drawing. */
  x: number;
  y: number;
  scale: number;
  /** Shapes behind the drawing in points: the bleed and crop marks. */
  shapes: Shape[];
  trim: PageBox;
  bleed: PageBox;
}

/**
 * Lays out the page of a drawing. The bleed has the color of a background that fills the picture;
 * a picture with a transparent or rounded edge has none.
 */
export function printPage(drawing: Drawing, output: Output): PrintPage {
  const { bleedMm = 0, cropMarks = false } = output;
  const scale = widthInPoints(drawing, output) / drawing.width;
  const [width, height] = [drawing.width * scale, drawing.height * scale];
  const bleed = pointsOf(bleedMm);
  const edge = bleed + (cropMarks ? MARK_GAP + MARK_LENGTH : 0);
  const trim: PageBox = [edge, edge, width, height];
  const bleedBox: PageBox = [edge - bleed, edge - bleed, width + 2 * bleed, height + 2 * bleed];
  const { ground } = drawing;
  const isFull = ground?.path === rectangle(0, 0, drawing.width, drawing.height);
  return {
    width: width + 2 * edge,
    height: height + 2 * edge,
    x: edge,
    y: edge,
    scale,
    shapes: [
      ...(bleed > 0 && ground !== null && isFull
        ? [{ path: rectangle(...bleedBox), fill: placed(ground.fill, edge, scale) }]
        : []),
      ...(cropMarks ? [{ path: marks(trim, bleed + MARK_GAP), fill: BLACK }] : []),
    ],
    trim,
    bleed: bleedBox,
  };
}

/** Converts a gradient from px of the drawing to points of the page. */
function placed(fill: Paint, edge: number, scale: number): Paint {
  if (typeof fill === 'string') return fill;
  const at = (px: number) => edge + px * scale;
  if (fill.kind === 'linear') {
    return { ...fill, x1: at(fill.x1), y1: at(fill.y1), x2: at(fill.x2), y2: at(fill.y2) };
  }
  return { ...fill, cx: at(fill.cx), cy: at(fill.cy), r: fill.r * scale };
}

function widthInPoints({ width }: Drawing, { width: asked }: Output): number {
  if (asked === undefined) return width;
  return asked.unit === 'mm' ? pointsOf(asked.value) : asked.value;
}

/** Two marks at each corner of a box, as path data. */
function marks([x, y, width, height]: PageBox, distance: number): string {
  const half = MARK_WIDTH / 2;
  const outside = (from: number, length: number) => [
    from - distance - MARK_LENGTH,
    from + length + distance,
  ];
  return [
    ...outside(y, height).flatMap((top) =>
      [x, x + width].map((left) => rectangle(left - half, top, MARK_WIDTH, MARK_LENGTH)),
    ),
    ...outside(x, width).flatMap((left) =>
      [y, y + height].map((top) => rectangle(left, top - half, MARK_LENGTH, MARK_WIDTH)),
    ),
  ].join('');
}

/** A stop of a gradient. */
export interface Stop {
  /** Position from 0 to 1. Stops are in ascending order; the first is at 0, the last at 1. */
  at: number;
  /** `#RRGGBB`. */
  color: string;
}

/** A gradient in the coordinates of the shape that it fills; its end colors continue outside. */
export type Gradient =
  | { kind: 'linear'; x1: number; y1: number; x2: number; y2: number; stops: Stop[] }
  | { kind: 'radial'; cx: number; cy: number; r: number; stops: Stop[] };

/** A color, `#RRGGBB` or `#RRGGBBAA`, or a gradient. */
export type Paint = string | Gradient;

/** A line along a path. */
export interface Stroke {
  /** `#RRGGBB` or `#RRGGBBAA`. */
  color: string;
  width: number;
  cap: 'butt' | 'round' | 'square';
  join: 'miter' | 'round' | 'bevel';
  miterLimit: number;
  /** Lengths of dashes and gaps, in turn; empty for a solid line. */
  dashes: number[];
}

/** A shape of a vector image, filled before its stroke is drawn. */
export interface VectorShape {
  /** SVG path data, limited to absolute `M`, `L`, `C`, `Z`. */
  path: string;
  fill?: Paint | undefined;
  evenOdd?: true | undefined;
  stroke?: Stroke | undefined;
}

/** An image as shapes, clipped to its size. */
export interface Vector {
  width: number;
  height: number;
  shapes: VectorShape[];
}

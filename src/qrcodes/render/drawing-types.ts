import type { Paint } from '../../images/vector/types.ts';

/** A filled area of a drawing. */
export interface Shape {
  /**
   * SVG path data in px of the picture, limited to absolute `M`, `L`, `C`, `Z`, which PDF and EPS
   * support too.
   */
  path: string;
  fill: Paint;
  /** Cuts holes where the path overlaps itself (even-odd rule). */
  evenOdd?: true;
}

/** A square picture without opacity, three bytes a pixel. */
export interface SquarePixels {
  /** Pixels of a side. */
  side: number;
  rgb: Uint8Array;
}

/** A part of a picture, cut out along a path. */
export interface PictureShape {
  path: string;
  /** The square that the whole picture covers. */
  picture: SquarePixels & { box: Box };
}

/** A rectangle in px of the picture. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A code as shapes, independent of the image format. */
export interface Drawing {
  /** In px. */
  width: number;
  height: number;
  /**
   * The background of the code; `null` for a transparent one. Only the frame is drawn outside it.
   */
  ground: Shape | null;
  /** Opaque shapes, in drawing order. */
  shapes: (Shape | PictureShape)[];
  /** Box of the image in the middle; `null` without one. */
  image: Box | null;
  /** Color of the plate behind it; absent without one. */
  plate?: string | undefined;
  /** Square of the code with its quiet zone, which frames leave free. */
  code: Box;
  /** Whole px per module. */
  modulePx: number;
}

/** The layout of a frame. */
export interface FrameLayout {
  /** Square of the QR code with its quiet zone. */
  code: Box;
  /** Height of the whole picture in px; its width is the design's `size`. */
  height: number;
  /**
   * Area of the background, as path data: the picture outside rounded corners and notches stays
   * transparent.
   */
  ground: string;
  /** Shapes under the code, in drawing order. */
  shapes: Shape[];
  /** Area around the code that is filled with modules without a meaning. */
  disc?: Disc | undefined;
}

/** A circle, by its center in px of the picture. */
export interface Disc {
  x: number;
  y: number;
  radius: number;
}

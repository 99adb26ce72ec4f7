/** A filled area of a drawing. */
export interface Shape {
  /** SVG path data in px of the picture; absolute `M`, `L`, `C`, `Z` only, so that PDF and EPS can hold it too. */
  path: string;
  /** `#RRGGBB` or `#RRGGBBAA`. */
  fill: string;
  /** Overlaps cut holes (even-odd rule). */
  evenOdd?: true;
}

/** A rectangle in px of the picture. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A code as shapes, before it becomes a picture of any format. */
export interface Drawing {
  /** In px. */
  width: number;
  height: number;
  /** The ground of the code; `null` for a transparent one. Nothing is drawn outside it but the frame. */
  ground: Shape | null;
  /** In order; all of them are opaque. */
  shapes: Shape[];
  /** Box of the image in the center; `null` without one. */
  image: Box | null;
  /** Square of the code with its quiet zone, where nothing of a frame may be. */
  code: Box;
  /** Whole px per module. */
  modulePx: number;
}

/** The layout of a frame: its size and its shapes. */
export interface FrameLayout {
  /** Square of the QR code with its quiet zone. */
  code: Box;
  /** Height of the whole picture in px; its width is the design's `size`. */
  height: number;
  /** Area of the ground, as path data: the picture outside round corners and notches stays transparent. */
  ground: string;
  /** Drawn under the code, in order. */
  shapes: Shape[];
}

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
  /** `#RRGGBB`, `#RRGGBBAA`, or `null` for a transparent ground. */
  background: string | null;
  shapes: Shape[];
  /** Where the image in the middle goes; `null` without one. */
  image: Box | null;
  /** Square of the code with its quiet zone, where nothing of a frame may be. */
  code: Box;
  /** Whole px per module. */
  modulePx: number;
}

/** What a frame does to a picture: how much room it takes, and what it draws. */
export interface FrameLayout {
  /** Where the code with its quiet zone goes: a square. */
  code: Box;
  /** Height of the whole picture in px; its width is the design's `size`. */
  height: number;
  /** Drawn under the code, in order. */
  shapes: Shape[];
}

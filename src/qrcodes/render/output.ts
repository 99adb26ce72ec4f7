import type { Inks } from './ink.ts';

/** Properties of an image file that do not change its drawing; absent ones have defaults. */
export interface Output {
  /**
   * Width of the picture in PDF, EPS and SVG; absent: the size of the design, whose px are points
   * in PDF and EPS.
   */
  width?: { value: number; unit: 'mm' | 'px' } | undefined;
  /** Leaves out width and height of an SVG. */
  hasNoSize?: boolean | undefined;
  /** Resolution that PNG and JPEG files state. */
  dpi?: number | undefined;
  /** Title of PDF, EPS and SVG files. */
  title?: string | undefined;
  /** Inks of PDF and EPS; absent: colors of screens (RGB), and black ink for greys. */
  inks?: Inks | undefined;
  /** Width in mm by which the background of a PDF or EPS exceeds the trimmed page. */
  bleedMm?: number | undefined;
  /** Draws marks outside a PDF or EPS where it is trimmed. */
  cropMarks?: boolean | undefined;
}

/** Title of a file without a title of its own. */
export const DEFAULT_TITLE = 'QR code';

const POINTS_PER_INCH = 72;
const MM_PER_INCH = 25.4;

/** Converts mm to points. */
export const pointsOf = (mm: number): number => (mm * POINTS_PER_INCH) / MM_PER_INCH;

/** Converts a width in print to px. */
export const pxOf = (mm: number, dpi: number): number => Math.round((mm / MM_PER_INCH) * dpi);

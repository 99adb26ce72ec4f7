import type { Vector } from '../../images/vector/types.ts';

/** The stored image for the middle of a code. */
export interface MiddleImage {
  png: Buffer;
  /** Its own size in px. It is scaled to fit its box, with its proportions. */
  width: number;
  height: number;
  /** The shapes of an image that has been an SVG, for formats with shapes. */
  vector?: Vector | undefined;
}

/** The data URI of the image, for an `<image>` in an SVG. */
export const sourceOf = ({ png }: MiddleImage): string =>
  `data:image/png;base64,${png.toString('base64')}`;

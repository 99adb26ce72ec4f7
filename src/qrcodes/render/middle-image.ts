/** The stored image for the middle of a code. */
export interface MiddleImage {
  png: Buffer;
  /** Its own size in px. It is scaled to fit its box, with its proportions. */
  width: number;
  height: number;
}

/** The data URI of the image, for an `<image>` in an SVG. */
export const sourceOf = ({ png }: MiddleImage): string =>
  `data:image/png;base64,${png.toString('base64')}`;

/** The image drawn in the middle, as it was kept. */
export interface MiddleImage {
  png: Buffer;
  /** Its own size in px; it is scaled to fit its place, keeping its proportions. */
  width: number;
  height: number;
}

/** The image as the address of an `<image>` in an SVG. */
export const sourceOf = ({ png }: MiddleImage): string =>
  `data:image/png;base64,${png.toString('base64')}`;

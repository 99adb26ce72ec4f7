import { vectorIn } from '../../images/vector/stored.ts';
import { paperOf } from './background.ts';
import type { Design, Format } from './design.ts';
import { draw } from './drawing.ts';
import type { Drawing } from './drawing-types.ts';
import { toEps } from './eps.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import type { Output } from './output.ts';
import { isPlain, plainPng } from './plain-png.ts';
import { toPdf } from './print.ts';
import { toRaster } from './raster.ts';
import { embeddedPictures, MOST_SIDE, squarePixels } from './square-pixels.ts';
import { toSvg } from './svg.ts';

type Encoder = (
  drawing: Drawing,
  image: MiddleImage | undefined,
  output: Output,
) => Buffer | Promise<Buffer>;

const ENCODERS: Record<Format, Encoder> = {
  svg: async (drawing, image, { title, width, hasNoSize }) => {
    const vector = image?.vector;
    const source = image && vector === undefined ? sourceOf(image) : undefined;
    const pictures = await embeddedPictures(drawing);
    const options = { image: source, vector, pictures, title, width, hasNoSize };
    return Buffer.from(toSvg(drawing, options));
  },
  png: (drawing, image, output) => toRaster(drawing, 'png', image, output),
  jpeg: (drawing, image, output) => toRaster(drawing, 'jpeg', image, output),
  webp: (drawing, image, output) => toRaster(drawing, 'webp', image, output),
  pdf: toPdf,
  eps: toEps,
};

/** Formats in which an image in the middle can be shapes. */
const SHAPED: ReadonlySet<Format> = new Set(['svg', 'pdf', 'eps']);

/**
 * Draws the image of a code in the fastest way that its design allows.
 *
 * @param payload text for readers of the code
 * @param image for the middle, if the design has room for one
 * @param output width in print, resolution, title and inks
 * @param background the picture of the background, if the design has one
 * @throws Refusal `unprocessable_entity` if the payload fits into no code of the level, or the code
 *   into no image of the size
 */
export async function drawPicture(
  payload: string,
  design: Design,
  format: Format,
  image?: MiddleImage,
  output: Output = {},
  background?: MiddleImage,
): Promise<Buffer> {
  if (format === 'png' && isPlain(design)) return plainPng(payload, design, output.dpi);
  const vector = image && SHAPED.has(format) ? vectorIn(image.png) : undefined;
  // Files without px can be printed in any size.
  const most = SHAPED.has(format) ? MOST_SIDE : Math.min(MOST_SIDE, design.size);
  const picture = background && (await squarePixels(background, paperOf(design), most));
  const drawing = draw(payload, design, undefined, picture);
  return ENCODERS[format](drawing, image && { ...image, vector }, output);
}

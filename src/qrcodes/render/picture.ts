import type { Design, Format } from './design.ts';
import { draw } from './drawing.ts';
import type { Drawing } from './drawing-types.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import { isPlain, plainPng } from './plain-png.ts';
import { toEps, toPdf } from './print.ts';
import { toRaster } from './raster.ts';
import { toSvg } from './svg.ts';

type Encoder = (drawing: Drawing, image?: MiddleImage) => Buffer | Promise<Buffer>;

const ENCODERS: Record<Format, Encoder> = {
  svg: (drawing, image) => Buffer.from(toSvg(drawing, image && sourceOf(image))),
  png: (drawing, image) => toRaster(drawing, 'png', image),
  jpeg: (drawing, image) => toRaster(drawing, 'jpeg', image),
  webp: (drawing, image) => toRaster(drawing, 'webp', image),
  pdf: toPdf,
  eps: toEps,
};

/**
 * Draws the image of a code in the fastest way that its design allows.
 *
 * @param payload text for readers of the code
 * @param image for the middle, if the design has room for one
 * @throws Refusal `unprocessable_entity` if the payload fits into no code of the level, or the code
 *   into no image of the size
 */
export async function drawPicture(
  payload: string,
  design: Design,
  format: Format,
  image?: MiddleImage,
): Promise<Buffer> {
  if (format === 'png' && isPlain(design)) return plainPng(payload, design);
  return ENCODERS[format](draw(payload, design), image);
}

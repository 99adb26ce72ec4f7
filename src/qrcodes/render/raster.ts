import type { Sharp } from 'sharp';
import type { Drawing } from './drawing-types.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import { toSvg } from './svg.ts';

/** Densest SVG that librsvg is let read: a code of the largest version with an image of 1,024 px inside. */
const MOST_PIXELS = 64_000_000;

type RasterFormat = 'png' | 'jpeg' | 'webp';

const ENCODERS: Record<RasterFormat, (picture: Sharp) => Sharp> = {
  // Flat colors: filters cost time and save nothing.
  png: (picture) => picture.png({ compressionLevel: 4, adaptiveFiltering: false }),
  jpeg: (picture) =>
    picture.flatten({ background: '#FFFFFF' }).jpeg({ quality: 90, chromaSubsampling: '4:4:4' }),
  webp: (picture) => picture.webp({ lossless: true, effort: 1 }),
};

/** A drawing as pixels. JPEG has no opacity: there it lies on white. */
export async function toRaster(
  drawing: Drawing,
  format: RasterFormat,
  image?: MiddleImage,
): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  // The image may be larger than what librsvg takes in one attribute.
  const picture = sharp(Buffer.from(toSvg(drawing, image && sourceOf(image))), {
    limitInputPixels: MOST_PIXELS,
    unlimited: true,
  });
  return ENCODERS[format](picture).toBuffer();
}

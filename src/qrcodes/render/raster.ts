import type { Sharp } from 'sharp';
import type { Drawing } from './drawing-types.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import { toSvg } from './svg.ts';

/**
 * Maximum number of px that librsvg may read: a code of the largest version with an image of 1,024
 * px inside.
 */
const MAX_PIXELS = 64_000_000;

type RasterFormat = 'png' | 'jpeg' | 'webp';

const ENCODERS: Record<RasterFormat, (picture: Sharp) => Sharp> = {
  // Colors are flat, so adaptive filters cost time and save nothing.
  png: (picture) => picture.png({ compressionLevel: 4, adaptiveFiltering: false }),
  jpeg: (picture) =>
    picture.flatten({ background: '#FFFFFF' }).jpeg({ quality: 90, chromaSubsampling: '4:4:4' }),
  webp: (picture) => picture.webp({ lossless: true, effort: 1 }),
};

/** Rasterizes a drawing. JPEG has no opacity, so its background is white. */
export async function toRaster(
  drawing: Drawing,
  format: RasterFormat,
  image?: MiddleImage,
): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  // The image may exceed librsvg's limit for an attribute.
  const picture = sharp(Buffer.from(toSvg(drawing, image && sourceOf(image))), {
    limitInputPixels: MAX_PIXELS,
    unlimited: true,
  });
  return ENCODERS[format](picture).toBuffer();
}

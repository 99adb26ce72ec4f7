import type { Sharp, SharpOptions } from 'sharp';
import { Semaphore } from '../../infra/semaphore.ts';
import type { Drawing } from './drawing-types.ts';
import { type FlatPicture, flatPicture, rgbaOf } from './flat-picture.ts';
import { indexedPng } from './indexed-png.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import type { Output } from './output.ts';
import { withJpegResolution, withPngResolution } from './resolution.ts';
import { embeddedPictures } from './square-pixels.ts';
import { type SvgOptions, toSvg } from './svg.ts';

/**
 * Maximum number of px that librsvg may read: a picture of 8,192 px with a label.
 */
const MAX_PIXELS = 100_000_000;

/**
 * Number of px that are drawn at once, because each takes memory: one of the largest pictures, or
 * many of usual sizes.
 */
const rendering = new Semaphore(MAX_PIXELS);

type RasterFormat = 'png' | 'jpeg' | 'webp';

/**
 * Number of px above which the Huffman tables of a JPEG are not optimized: libvips would hold all
 * coefficients, about a gigabyte at 8,192 px.
 */
const LARGE_JPEG = 17_000_000;

const ENCODERS: Record<RasterFormat, (picture: Sharp, pixels: number) => Sharp> = {
  // Colors are flat, so adaptive filters cost time and save nothing.
  png: (picture) => picture.png({ compressionLevel: 4, adaptiveFiltering: false }),
  jpeg: (picture, pixels) =>
    picture.flatten({ background: '#FFFFFF' }).jpeg({
      quality: 90,
      chromaSubsampling: '4:4:4',
      optimizeCoding: pixels < LARGE_JPEG,
    }),
  webp: (picture) => picture.webp({ lossless: true, effort: 1 }),
};

/** Level of the compression of flat pictures, whose repeated rows any level finds. */
const EFFORT = 3;

/** Rasterizes a drawing. JPEG has no opacity, so its background is white. */
export async function toRaster(
  drawing: Drawing,
  format: RasterFormat,
  image?: MiddleImage,
  { dpi }: Output = {},
): Promise<Buffer> {
  const flat = image === undefined ? flatPicture(drawing) : undefined;
  if (flat !== undefined && format === 'png') {
    return indexedPng({ ...flat, depth: 8, effort: EFFORT }, dpi);
  }
  const { default: sharp } = await import('sharp');
  const pictures = await embeddedPictures(drawing);
  const units = drawing.width * drawing.height;
  const bytes = await rendering.run(
    () => {
      const [input, options] =
        flat === undefined ? svgOf(drawing, image, pictures) : pixelsOf(flat);
      const picture = sharp(input, options);
      return ENCODERS[format](picture, units).toBuffer();
    },
    { units },
  );
  if (dpi === undefined || format === 'webp') return bytes;
  return format === 'png' ? withPngResolution(bytes, dpi) : withJpegResolution(bytes, dpi);
}

type Input = [bytes: Buffer, options: SharpOptions];

function svgOf(
  drawing: Drawing,
  image: MiddleImage | undefined,
  pictures: SvgOptions['pictures'],
): Input {
  const svg = Buffer.from(toSvg(drawing, { image: image && sourceOf(image), pictures }));
  // The image may exceed librsvg's limit for an attribute.
  return [svg, { limitInputPixels: MAX_PIXELS, unlimited: true }];
}

const pixelsOf = (flat: FlatPicture): Input => [
  rgbaOf(flat),
  { raw: { width: flat.width, height: flat.height, channels: 4 } },
];

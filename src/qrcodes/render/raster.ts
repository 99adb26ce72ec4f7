import type { Sharp, SharpOptions } from 'sharp';
import { Semaphore } from '../../infra/semaphore.ts';
import type { Drawing } from './drawing-types.ts';
import { flatPicture } from './flat-picture.ts';
import { keptPixels } from './kept-pixels.ts';
import { type MiddleImage, sourceOf } from './middle-image.ts';
import type { Output } from './output.ts';
import { MOST_PX, type PaintedPicture, paintedPicture } from './painted-picture.ts';
import { indexedPng, truecolorPng } from './png.ts';
import { withJpegResolution, withPngResolution } from './resolution.ts';
import { embeddedPictures } from './square-pixels.ts';
import { toSvg } from './svg.ts';

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

/** Level of the compression of indexed PNG files, whose repeated rows any level finds. */
const EFFORT = 3;

/** Rasterizes a drawing. JPEG has no opacity, so its background is white. */
export async function toRaster(
  drawing: Drawing,
  format: RasterFormat,
  image?: MiddleImage,
  { dpi }: Output = {},
): Promise<Buffer> {
  const flat = image === undefined && format === 'png' ? flatPicture(drawing) : undefined;
  if (flat !== undefined) return indexedPng({ ...flat, depth: 8, effort: EFFORT }, dpi);
  const units = drawing.width * drawing.height;
  // librsvg scales the image of a large picture.
  const isInset = image !== undefined && units <= MOST_PX;
  const painted = paintedPicture(drawing, isInset ? await insetOf(drawing, image) : undefined);
  if (painted !== undefined && format === 'png') return truecolorPng(painted, dpi);
  const { default: sharp } = await import('sharp');
  const bytes = await rendering.run(
    async () => {
      const [input, options] =
        painted === undefined ? await svgOf(drawing, image) : pixelsOf(painted);
      const picture = sharp(input, options);
      return ENCODERS[format](picture, units).toBuffer();
    },
    { units },
  );
  if (dpi === undefined || format === 'webp') return bytes;
  return format === 'png' ? withPngResolution(bytes, dpi) : withJpegResolution(bytes, dpi);
}

type Input = [bytes: Buffer | Uint8Array, options: SharpOptions];

async function svgOf(drawing: Drawing, image: MiddleImage | undefined): Promise<Input> {
  const pictures = await embeddedPictures(drawing);
  const svg = Buffer.from(toSvg(drawing, { image: image && sourceOf(image), pictures }));
  // The image may exceed librsvg's limit for an attribute.
  return [svg, { limitInputPixels: MAX_PIXELS, unlimited: true }];
}

const pixelsOf = ({ rgba, width, height }: PaintedPicture): Input => [
  rgba,
  { raw: { width, height, channels: 4 } },
];

/** Scales the image in the middle into its box, with its proportions. */
async function insetOf({ image: box }: Drawing, { png }: MiddleImage) {
  if (box === null) return undefined;
  const [width, height] = [Math.round(box.width), Math.round(box.height)];
  const rgba = await keptPixels(png, `${width}x${height}`, async () => {
    const { default: sharp } = await import('sharp');
    return sharp(png)
      .resize({ width, height, fit: 'contain', background: '#00000000' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer();
  });
  return { box: { x: Math.round(box.x), y: Math.round(box.y), width, height }, rgba };
}

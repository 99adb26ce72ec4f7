import sharp from 'sharp';
import type { Design, Format } from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import type { MiddleImage } from '../../src/qrcodes/render/middle-image.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { minPx, minSize } from '../../src/qrcodes/render/scannability.ts';
import { type Pixels, printed, toPixels } from '../support/decoders.ts';

/**
 * Inputs of a rendering: the payload of a code, and the design, format and image of its picture.
 */
export interface Scene {
  payload: string;
  design: Design;
  format: Format;
  image: MiddleImage | undefined;
  /** The picture behind the code. */
  background?: MiddleImage | undefined;
}

const WHITE = '#FFFFFF';
const SMALL_PX = 4;
/**
 * Resolution of pages. Ghostscript paints each px that a shape touches, which at 72 dpi makes small
 * modules a px wider; no printer has less than 300 dpi.
 */
const PAGE_DPI = 144;

const flat = (made: Buffer) => sharp(made, { unlimited: true }).flatten({ background: WHITE });

const PICTURES = {
  'as made': (_scene, made) => made,
  '4 px a module': small,
  'rotated 7°': (_scene, made) => flat(made).rotate(7, { background: WHITE }).png().toBuffer(),
  blurred: ({ payload, design, format }, made) =>
    flat(made)
      .blur(Math.max(0.3, (draw(payload, design).modulePx * pxPerUnit(format)) / 4))
      .png()
      .toBuffer(),
  'JPEG 60': (_scene, made) => flat(made).jpeg({ quality: 60 }).toBuffer(),
} satisfies Record<string, (scene: Scene, made: Buffer) => Buffer | Promise<Buffer>>;

/** Number of px of a rendering per unit of its drawing, which is a point of a page. */
const pxPerUnit = (format: Format): number =>
  format === 'pdf' || format === 'eps' ? PAGE_DPI / 72 : 1;

export type Rendering = keyof typeof PICTURES;

/** Names of the renderings, in the order in which they are tried. */
export const RENDERINGS = Object.keys(PICTURES) as Rendering[];

/** Renders a scene to pixels in one of the renderings. */
export async function render(scene: Scene, made: Buffer, rendering: Rendering): Promise<Pixels> {
  return toPixels(await PICTURES[rendering](scene, made));
}

/** Renders the picture as a caller gets it, as pixels. */
export async function make(scene: Scene): Promise<Buffer> {
  const { payload, design, format, image, background } = scene;
  const picture = await drawPicture(payload, design, format, image, {}, background);
  return printed(picture, format, { dpi: PAGE_DPI, device: 'png16m' });
}

/** Draws the same code with four px per module, and scales its px values down accordingly. */
async function small({ payload, design, format, image, background }: Scene): Promise<Buffer> {
  // A halftone is not drawn smaller than its cells allow.
  const px = design.background?.style === 'halftone' ? minPx(design) : SMALL_PX;
  const size = minSize(matrixOf(payload, design), design, px);
  const before = draw(payload, design).modulePx;
  const shrunk = (value: number) => Math.max(1, Math.round((value * px) / before));
  const { middle } = design;
  const smaller: Design = {
    ...design,
    size,
    middle: middle && { ...middle, width: shrunk(middle.width), height: shrunk(middle.height) },
  };
  const raster = format === 'jpeg' || format === 'webp' ? format : 'png';
  return drawPicture(payload, smaller, raster, image, {}, background);
}

import sharp from 'sharp';
import type { Design, Format } from '../../src/qrcodes/render/design.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { encodeMatrix } from '../../src/qrcodes/render/matrix.ts';
import type { MiddleImage } from '../../src/qrcodes/render/middle-image.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { minSize } from '../../src/qrcodes/render/scannability.ts';
import { type Pixels, printed, toPixels } from '../support/decoders.ts';

/** A code as it is scanned: its picture, and what happens to pictures on their way to a scanner. */
export interface Scene {
  payload: string;
  design: Design;
  format: Format;
  image: MiddleImage | undefined;
}

const WHITE = '#FFFFFF';
const SMALL_PX = 4;

const flat = (made: Buffer) => sharp(made, { unlimited: true }).flatten({ background: WHITE });

const PICTURES = {
  'as made': (_scene, made) => made,
  '4 px a module': small,
  'rotated 7°': (_scene, made) => flat(made).rotate(7, { background: WHITE }).png().toBuffer(),
  blurred: ({ payload, design }, made) =>
    flat(made)
      .blur(Math.max(0.3, draw(payload, design).modulePx / 4))
      .png()
      .toBuffer(),
  'JPEG 60': (_scene, made) => flat(made).jpeg({ quality: 60 }).toBuffer(),
} satisfies Record<string, (scene: Scene, made: Buffer) => Buffer | Promise<Buffer>>;

export type Rendering = keyof typeof PICTURES;

/** The names of the renderings, in the order in which they are tried. */
export const RENDERINGS = Object.keys(PICTURES) as Rendering[];

/** The pixels of a scene in one of its renderings. */
export async function render(scene: Scene, made: Buffer, rendering: Rendering): Promise<Pixels> {
  return toPixels(await PICTURES[rendering](scene, made));
}

/** The picture as a caller gets it, in pixels. */
export async function make({ payload, design, format, image }: Scene): Promise<Buffer> {
  return printed(await drawPicture(payload, design, format, image), format);
}

/** The same code drawn with four px a module; what is measured in px shrinks with it. */
async function small({ payload, design, format, image }: Scene): Promise<Buffer> {
  const size = minSize(
    encodeMatrix(payload, design.level, design.middle !== null),
    design,
    SMALL_PX,
  );
  const before = draw(payload, design).modulePx;
  const shrunk = (value: number) => Math.max(1, Math.round((value * SMALL_PX) / before));
  const { middle } = design;
  const smaller: Design = {
    ...design,
    size,
    middle: middle && { ...middle, width: shrunk(middle.width), height: shrunk(middle.height) },
  };
  const raster = format === 'jpeg' || format === 'webp' ? format : 'png';
  return drawPicture(payload, smaller, raster, image);
}

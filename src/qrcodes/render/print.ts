import { deflateSync } from 'node:zlib';
import type { Drawing, PictureShape } from './drawing-types.ts';
import { cmykOf, type Inks } from './ink.ts';
import type { MiddleImage } from './middle-image.ts';
import { DEFAULT_TITLE, type Output } from './output.ts';
import { type Pixels, pdfOf, picturesIn } from './pdf.ts';
import { printPage } from './print-page.ts';

/* PDF files. A px of the design is a point here unless the output has a width. */

/** Decodes an image. @param most maximum of its sides in px */
export async function pixelsOf({ png }: MiddleImage, most?: number): Promise<Pixels> {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(png)
    .resize({ width: most, height: most, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const count = info.width * info.height;
  const rgb = Buffer.alloc(count * 3);
  const alpha = Buffer.alloc(count);
  for (let index = 0; index < count; index += 1) {
    data.copy(rgb, index * 3, index * 4, index * 4 + 3);
    alpha[index] = data[index * 4 + 3]!;
  }
  return { width: info.width, height: info.height, rgb, alpha };
}

/** Returns the pictures of a drawing with the inks of a file. */
export function inkedPictures(drawing: Drawing, inks: Inks | undefined): Map<PictureShape, Pixels> {
  const pictures = picturesIn(drawing);
  if (inks === undefined) return pictures;
  return new Map([...pictures].map(([shape, pixels]) => [shape, withInks(pixels)]));
}

/** Adds the inks of pixels, for files without RGB. */
export function withInks(pixels: Pixels): Pixels {
  const { rgb, width, height } = pixels;
  const cmyk = Buffer.alloc(width * height * 4);
  for (let index = 0; index < width * height; index += 1) {
    const [r, g, b] = [rgb[index * 3]!, rgb[index * 3 + 1]!, rgb[index * 3 + 2]!];
    cmyk.set(
      cmykOf({ r, g, b, a: 1 }).map((ink) => Math.round(ink * 255)),
      index * 4,
    );
  }
  return { ...pixels, cmyk };
}

/** A drawing as a PDF of one page. */
export async function toPdf(
  drawing: Drawing,
  image?: MiddleImage,
  output: Output = {},
): Promise<Buffer> {
  const { inks, title = DEFAULT_TITLE } = output;
  const vector = image?.vector;
  const isPixels = drawing.image !== null && image !== undefined && vector === undefined;
  const rgb = isPixels ? await pixelsOf(image) : undefined;
  const pixels = rgb === undefined || inks === undefined ? rgb : withInks(rgb);
  const pictures = inkedPictures(drawing, inks);
  const { x, y, scale, ...page } = printPage(drawing, output);
  return Buffer.from(
    await pdfOf(
      [{ ...page, drawings: [{ drawing, pixels, vector, pictures, x, y, scale }] }],
      async (bytes) => deflateSync(bytes),
      { title, inks },
    ),
  );
}

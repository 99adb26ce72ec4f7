import type { Sharp } from 'sharp';
import type { Drawing, PictureShape, SquarePixels } from './drawing-types.ts';
import { keptPixels } from './kept-pixels.ts';
import type { MiddleImage } from './middle-image.ts';

/** Maximum side of a picture behind a code in px: 300 dpi for 60 mm. */
export const MOST_SIDE = 720;

/**
 * Decodes a picture and cuts the largest square out of its middle.
 *
 * @param paper color under its transparent parts, `#RRGGBB`
 * @param most maximum side in px
 */
export async function squarePixels(
  { png, width, height }: MiddleImage,
  paper: string,
  most = MOST_SIDE,
): Promise<SquarePixels> {
  const side = Math.min(width, height, most);
  return keptPixels(png, `${side} ${paper}`, async () => {
    const { default: sharp } = await import('sharp');
    const rgb = await sharp(png)
      .resize({ width: side, height: side, fit: 'cover' })
      .flatten({ background: paper })
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    return { side, rgb };
  });
}

const QUALITY = 88;

/** Encodes the pictures that the shapes of a drawing cut out, as `data:` URIs. */
export async function embeddedPictures({
  shapes,
}: Drawing): Promise<Map<PictureShape, string> | undefined> {
  const pictures = shapes.filter((shape) => 'picture' in shape);
  if (pictures.length === 0) return undefined;
  const { default: sharp } = await import('sharp');
  const encode = (picture: Sharp) =>
    picture.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }).toBuffer();
  return new Map(
    await Promise.all(
      pictures.map(async (shape): Promise<[PictureShape, string]> => {
        const { side, rgb } = shape.picture;
        const jpeg = await encode(sharp(rgb, { raw: { width: side, height: side, channels: 3 } }));
        return [shape, `data:image/jpeg;base64,${jpeg.toString('base64')}`];
      }),
    ),
  );
}

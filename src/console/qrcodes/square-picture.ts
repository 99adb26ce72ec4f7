import type { Drawing, PictureShape, SquarePixels } from '../../qrcodes/render/drawing-types.ts';
import { elementOf, type LoadedImage } from './image.ts';

/** Maximum side of a picture behind a code in previews and on sheets, in px. */
const MOST_SIDE = 400;
const QUALITY = 0.88;

function contextOf(side: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  return canvas.getContext('2d')!;
}

/**
 * Returns the pixels of the largest square in the middle of an image.
 *
 * @param paper color under its transparent parts
 */
export async function squarePicture(
  { href, width, height }: LoadedImage,
  paper: string,
): Promise<SquarePixels> {
  const from = Math.min(width, height);
  const side = Math.max(1, Math.min(from, MOST_SIDE));
  const context = contextOf(side);
  context.fillStyle = paper;
  context.fillRect(0, 0, side, side);
  const [left, top] = [(width - from) / 2, (height - from) / 2];
  context.drawImage(await elementOf(href), left, top, from, from, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  const rgb = new Uint8Array(side * side * 3);
  for (let index = 0; index < side * side; index += 1) {
    rgb.set(data.subarray(index * 4, index * 4 + 3), index * 3);
  }
  return { side, rgb };
}

/** Encodes the pictures that the shapes of a drawing cut out, as `data:` URIs. */
export function embeddedPictures({ shapes }: Drawing): Map<PictureShape, string> | undefined {
  const pictures = shapes.filter((shape) => 'picture' in shape);
  if (pictures.length === 0) return undefined;
  return new Map(pictures.map((shape) => [shape, addressOfPixels(shape.picture)]));
}

function addressOfPixels({ side, rgb }: SquarePixels): string {
  const context = contextOf(side);
  const image = context.createImageData(side, side);
  for (let index = 0; index < side * side; index += 1) {
    image.data.set(rgb.subarray(index * 3, index * 3 + 3), index * 4);
    image.data[index * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return context.canvas.toDataURL('image/jpeg', QUALITY);
}

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Total size of the pixels of images that are kept, in bytes: about ten pictures behind codes. */
const MOST_BYTES = 12_000_000;

/** Bytes of pixels, or an object with them. */
type Pixels = Uint8Array | { readonly rgb: Uint8Array };

/** Pixels of images by their content and scale, as a brand's codes show the same image. */
const kept = new LRUCache<string, Pixels>({
  maxSize: MOST_BYTES,
  sizeCalculation: (pixels) => ('rgb' in pixels ? pixels.rgb : pixels).length,
});

/**
 * Returns the pixels of an image, which callers do not change.
 *
 * @param scale names everything else that the pixels depend on
 * @param decode decodes and scales the image, if its pixels are not kept
 */
export async function keptPixels<T extends Pixels>(
  png: Buffer,
  scale: string,
  decode: () => Promise<T>,
): Promise<T> {
  const name = `${createHash('sha256').update(png).digest('base64')} ${scale}`;
  const existing = kept.get(name) as T | undefined;
  if (existing !== undefined) return existing;
  const pixels = await decode();
  kept.set(name, pixels);
  return pixels;
}

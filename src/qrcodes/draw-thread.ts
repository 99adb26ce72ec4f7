import { Refusal, type RefusalData } from '../errors.ts';
import { drawPicture } from './render/picture.ts';

/* The thread of `drawInThread`. */

/** Output of the thread: an error of a class of ours would lose its class on the way. */
export type Drawn = { bytes: Uint8Array } | { refused: RefusalData };

/** Draws a picture. */
export default async function run(args: Parameters<typeof drawPicture>): Promise<Drawn> {
  const [payload, design, format, image, output, background] = args;
  // A Buffer arrives as a plain array of bytes.
  const restored = (one: typeof image) => one && { ...one, png: Buffer.from(one.png) };
  try {
    return {
      bytes: await drawPicture(
        payload,
        design,
        format,
        restored(image),
        output,
        restored(background),
      ),
    };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.toJSON() };
    throw error;
  }
}

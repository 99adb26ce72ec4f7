import { readPreviewImage } from '../images/read.ts';
import { keep } from './commands.ts';
import { imageName, type PreviewImage } from './reads.ts';

/** Reads an image for a preview into the cache, unless it is there. */
export async function keepPreviewImage({ url }: { url: string }): Promise<undefined> {
  await keep<PreviewImage>(imageName(url), async () => {
    const webp = await readPreviewImage(url);
    return { webp: webp.toString('base64') };
  });
  return undefined;
}

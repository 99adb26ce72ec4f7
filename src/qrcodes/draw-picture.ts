import { keptImage } from '../images/keep.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/queue.ts';
import { findPicture, keepPicture, type Picture } from './pictures.ts';
import type { drawPicture } from './render/picture.ts';

/**
 * The handler that draws a picture and keeps it under its name, the id of its job; one that is there already is left alone.
 *
 * @param draw in this thread, or in another
 */
export const pictureRenderer =
  (draw: typeof drawPicture) =>
  async (picture: Picture, { jobId }: JobContext): Promise<undefined> => {
    if ((await findPicture(cacheRedis(), jobId)) !== null) return undefined;
    const { payload, design, format, image } = picture;
    const middle =
      image === null
        ? undefined
        : {
            png: await keptImage(image.projectId, image.id),
            width: image.width,
            height: image.height,
          };
    await keepPicture(cacheRedis(), jobId, await draw(payload, design, format, middle));
    return undefined;
  };

import { keptImage } from '../images/keep.ts';
import type { HandedOver } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/definition.ts';
import { findPicture, keepPicture, type Picture } from './pictures.ts';
import type { drawPicture } from './render/picture.ts';

/**
 * The handler that draws a picture and keeps it under its name, the id of its job, or hands it over; one that is there
 * already is left alone.
 *
 * @param draw in this thread, or in another
 */
export const pictureRenderer =
  (draw: typeof drawPicture) =>
  async (picture: Picture, { jobId, projectId }: JobContext): Promise<HandedOver | undefined> => {
    if ((await findPicture(cacheRedis(), jobId)) !== null) return undefined;
    const { payload, design, format, image } = picture;
    const middle =
      image === null
        ? undefined
        : {
            png: await keptImage(image),
            width: image.width,
            height: image.height,
          };
    const bytes = await draw(payload, design, format, middle);
    const budget = projectId === '' ? 'strangers' : 'workspaces';
    return keepPicture(cacheRedis(), jobId, bytes, budget);
  };

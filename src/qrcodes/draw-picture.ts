import { keptImage } from '../images/keep.ts';
import type { HandedOver } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers, type JobHandler } from '../queues/job.ts';
import { DrawThread } from './draw-apart.ts';
import { pictureJobs } from './jobs.ts';
import { findPicture, keepPicture, type Picture } from './pictures.ts';
import type { drawPicture } from './render/picture.ts';

/**
 * Makes the handler that draws a picture and keeps it under its name, the id of its job, or hands it over; one that is there
 * already is left alone.
 *
 * @param draw in this thread, or in another
 */
const pictureRenderer =
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

/** @param isShared true where other queues share the event loop: pictures are then drawn in another thread */
export function pictureHandlers(isShared: boolean): JobHandler[] {
  if (isShared) {
    const thread = new DrawThread();
    return handlers(pictureJobs, {
      'qr.render': pictureRenderer((...args) => thread.draw(...args)),
    });
  }
  const loading = import('./render/picture.ts');
  const draw: typeof drawPicture = async (...args) => (await loading).drawPicture(...args);
  return handlers(pictureJobs, { 'qr.render': pictureRenderer(draw) });
}

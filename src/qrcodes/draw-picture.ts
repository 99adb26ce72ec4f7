import { keptImage } from '../images/keep.ts';
import type { HandedOver } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers, type JobHandler } from '../queues/job.ts';
import { pictureJobs } from './jobs.ts';
import { drawInThread } from './picture-pool.ts';
import { findPicture, type Picture, storePicture } from './pictures.ts';
import type { MiddleImage } from './render/middle-image.ts';
import type { drawPicture } from './render/picture.ts';

async function readImage(image: Picture['image'] | undefined): Promise<MiddleImage | undefined> {
  if (!image) return undefined;
  return { png: await keptImage(image), width: image.width, height: image.height };
}

/**
 * Builds the handler that draws an image and caches it under its name, which is the id of the job,
 * or hands it over. An image that is cached already is left alone.
 *
 * @param draw draws in this thread or in another one
 */
const pictureRenderer =
  (draw: typeof drawPicture) =>
  async (picture: Picture, { jobId, projectId }: JobContext): Promise<HandedOver | undefined> => {
    if ((await findPicture(cacheRedis(), jobId)) !== null) return undefined;
    const { payload, design, format, image, output, background } = picture;
    const [middle, behind] = await Promise.all([readImage(image), readImage(background)]);
    const bytes = await draw(payload, design, format, middle, output, behind);
    const budget = projectId === '' ? 'strangers' : 'workspaces';
    return storePicture(cacheRedis(), jobId, bytes, budget);
  };

/**
 * @param isShared true if other queues share the event loop; images are then drawn in another
 *   thread
 */
export function pictureHandlers(isShared: boolean): JobHandler[] {
  if (isShared) return handlers(pictureJobs, { 'qr.render': pictureRenderer(drawInThread()) });
  const loading = import('./render/picture.ts');
  const draw: typeof drawPicture = async (...args) => (await loading).drawPicture(...args);
  return handlers(pictureJobs, { 'qr.render': pictureRenderer(draw) });
}

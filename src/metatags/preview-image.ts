import { readPreviewImage } from '../images/read.ts';
import { cacheRedis } from '../infra/redis.ts';
import { handlers } from '../queues/job.ts';
import { cacheResult } from './commands.ts';
import { previewImageJobs } from './jobs.ts';
import { handOverRead, imageName, type PreviewImage } from './reads.ts';

export const previewImageHandlers = handlers(previewImageJobs, {
  /**
   * Reads an image for a preview into the cache, unless it is cached, or hands it over to the
   * waiting request.
   */
  async 'image.preview'({ url }) {
    const cached = await cacheResult<PreviewImage>(imageName(url), 'workspaces', async () => {
      const webp = await readPreviewImage(url);
      return { webp: webp.toString('base64') };
    });
    return handOverRead(cacheRedis(), cached, 'workspaces');
  },
});

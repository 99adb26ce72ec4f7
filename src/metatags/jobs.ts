import type { HandedOver } from '../infra/kept.ts';
import { images, metatags } from '../queues/index.ts';
import { job, jobsOf } from '../queues/job.ts';

export const metatagJobs = jobsOf(metatags, {
  /** Reads the metadata of a page into the cache. */
  'page.read': job<{ url: string }, HandedOver | undefined>(),
});

export const previewImageJobs = jobsOf(images, {
  /** Reads an image into the cache, at the size of a preview. */
  'image.preview': job<{ url: string }, HandedOver | undefined>(),
});

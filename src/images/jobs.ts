import { images, maintenance } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { MadeImage } from './name.ts';

export const imageJobs = jobsOf(images, {
  /** Keeps an image for a workspace or, without one, for minutes. */
  'image.keep': job<{ source: string }, MadeImage>(),
});

export const imageMaintenanceJobs = jobsOf(maintenance, {
  'images.prune': scheduled({ everyMs: HOUR_MS }),
});

import { images, maintenance } from '../queues/index.ts';
import { HOUR_MS, job, jobsOf, scheduled } from '../queues/job.ts';
import type { FileRef, MadeImage } from './name.ts';

export const imageJobs = jobsOf(images, {
  /** Stores an image for a workspace or, without one, for some minutes. */
  'image.keep': job<{ source: string }, MadeImage>(),
  /** Stores a file for a workspace. */
  'file.keep': job<{ source: string }, FileRef>(),
});

export const imageMaintenanceJobs = jobsOf(maintenance, {
  'images.prune': scheduled({ everyMs: HOUR_MS }),
});

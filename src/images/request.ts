import { Refusal } from '../errors.ts';
import type { Requester } from '../http/route.ts';
import { runJob } from '../jobs/run-job.ts';
import { imageJobs } from './jobs.ts';
import type { FileRef, MadeImage } from './name.ts';

/**
 * Queues a job that fetches an image and stores it for the workspace.
 *
 * @throws Refusal whose message completes "<field> …"
 */
export const requestImage = (request: Requester, source: string): Promise<MadeImage> =>
  runJob(request, imageJobs['image.keep'], { source });

/**
 * Queues a job that fetches a file and stores it for the workspace.
 *
 * @throws Refusal whose message completes "<field> …"
 */
export const requestFile = (request: Requester, source: string): Promise<FileRef> =>
  runJob(request, imageJobs['file.keep'], { source });

/**
 * Waits for an image, and adds the field name to its refusal.
 *
 * @throws Refusal
 */
export async function namingField<Image>(field: string, fetching: Promise<Image>): Promise<Image> {
  try {
    return await fetching;
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'unprocessable_entity') throw thrown;
    throw new Refusal(thrown.code, `${field} ${thrown.message}`);
  }
}

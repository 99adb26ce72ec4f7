import { Refusal } from '../errors.ts';
import { type Requester, runJob } from '../jobs/run-job.ts';
import { imageJobs } from './jobs.ts';
import type { MadeImage } from './name.ts';

/** Has a worker fetch an image and keep it for the workspace. @throws Refusal whose message completes "<field> …" */
export const askImage = (request: Requester, source: string): Promise<MadeImage> =>
  runJob(request, imageJobs['image.keep'], { source });

/** An image that is being fetched; its refusal names the field. @throws Refusal */
export async function namingField<Image>(field: string, fetching: Promise<Image>): Promise<Image> {
  try {
    return await fetching;
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'unprocessable_entity') throw thrown;
    throw new Refusal(thrown.code, `${field} ${thrown.message}`);
  }
}

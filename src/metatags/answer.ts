import { createHash } from 'node:crypto';
import { isAmong } from '../http/etag.ts';
import type { Answer, ApiRequest } from '../http/route.ts';
import { namingField } from '../images/request.ts';
import { type Requester, runJobOnce } from '../jobs/run-job.ts';
import { metatagJobs, previewImageJobs } from './jobs.ts';
import {
  findRead,
  foundIn,
  imageName,
  type PreviewImage,
  pageName,
  parseRead,
  type Read,
} from './reads.ts';
import type { Metatags } from './record.ts';

/**
 * Answers with what a page says about itself: from the cache where it has been read lately, else read by a worker.
 *
 * @throws Refusal when the page can't be read, or when more are asked for than can be
 */
export async function answerMetatags(request: Requester, url: string): Promise<Answer> {
  const jobId = pageName(url);
  const job = {
    job: metatagJobs['page.read'],
    data: { url },
    jobId,
    isLowPriority: true,
  };
  const read = await runJobOnce(request, job, {
    find: () => findRead<Metatags>(request.queues.cache, jobId),
    read: (bytes) => parseRead<Metatags>(bytes),
  });
  return {
    status: 200,
    body: foundIn(read),
    headers: { 'Cache-Control': `public, max-age=${secondsLeft(read)}` },
  };
}

/**
 * Answers with an image of another host, redrawn and as small as a preview needs it: from the cache, else read by a
 * worker. 304 where the client has it.
 *
 * @throws Refusal when there is no image to be read, or when more are asked for than can be
 */
export async function answerImage(
  request: Requester & Pick<ApiRequest, 'ifNoneMatch'>,
  url: string,
): Promise<Answer> {
  const jobId = imageName(url);
  const job = {
    job: previewImageJobs['image.preview'],
    data: { url },
    jobId,
    isLowPriority: true,
  };
  const read = await runJobOnce(request, job, {
    find: () => findRead<PreviewImage>(request.queues.cache, jobId),
    read: (bytes) => parseRead<PreviewImage>(bytes),
  });
  const { webp } = await namingField('url', Promise.resolve(read).then(foundIn));
  const body = Buffer.from(webp, 'base64');
  const headers = {
    ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    'Cache-Control': `private, max-age=${secondsLeft(read)}`,
    'Content-Type': 'image/webp',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  };
  if (isAmong(request.ifNoneMatch, headers.ETag)) return { status: 304, body: undefined, headers };
  return { status: 200, body, headers };
}

/** Time for which an outcome stays, in s. */
const secondsLeft = ({ until }: Read<object>): number =>
  Math.max(0, Math.floor((until - Date.now()) / 1_000));

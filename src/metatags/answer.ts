import { createHash } from 'node:crypto';
import { isAmong } from '../http/etag.ts';
import type { Answer, ApiRequest, Requester } from '../http/route.ts';
import { namingField } from '../images/request.ts';
import { runJobOnce } from '../jobs/run-job.ts';
import { metatagJobs, previewImageJobs } from './jobs.ts';
import {
  findRead,
  imageName,
  type PreviewImage,
  pageName,
  parseRead,
  type Read,
  resultOf,
} from './reads.ts';
import type { Metatags } from './record.ts';

/**
 * Answers with the metadata of a page, from the cache or read by a worker.
 *
 * @throws Refusal if the page cannot be read, or if too many requests wait
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
    body: resultOf(read),
    headers: { 'Cache-Control': `public, max-age=${secondsLeft(read)}` },
  };
}

/**
 * Answers with an image of another host, redrawn in the size of a preview, from the cache or read
 * by a worker. 304 if the client has it.
 *
 * @throws Refusal if there is no readable image, or if too many requests wait
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
  const { webp } = await namingField('url', Promise.resolve(read).then(resultOf));
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

/** Time until an outcome expires, in seconds. */
const secondsLeft = ({ until }: Read<object>): number =>
  Math.max(0, Math.floor((until - Date.now()) / 1_000));

import anyAscii from 'any-ascii';
import { isAmong } from '../http/etag.ts';
import type { Answer, ApiRequest } from '../http/route.ts';
import { type Requester, runJobOnce } from '../jobs/run-job.ts';
import { pictureJobs } from './jobs.ts';
import { findPicture, type Picture, pictureName } from './pictures.ts';
import { FILE_ENDINGS, MEDIA_TYPES } from './render/design.ts';

/**
 * Answers with a picture: 304 where the client has it, from the cache where it has been drawn, else drawn by a
 * worker. Requests for the same picture at the same time wait for one drawing, in whichever processes they are.
 *
 * @param file name of the file without its ending, for those who save it
 * @param cacheControl how long the address stands for this picture
 */
export async function answerPicture(
  request: Requester & Pick<ApiRequest, 'ifNoneMatch'>,
  picture: Picture,
  file: string,
  cacheControl: string,
): Promise<Answer> {
  const name = pictureName(picture);
  const headers = {
    ETag: `"${name}"`,
    'Cache-Control': cacheControl,
    'Content-Type': MEDIA_TYPES[picture.format],
    // Browsers take the ending from the type otherwise, and make .ps of an .eps.
    'Content-Disposition': `inline; filename="${fileName(file)}.${FILE_ENDINGS[picture.format]}"`,
    // An SVG that is opened by itself is a document: it shall run and load nothing.
    'Content-Security-Policy':
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (isAmong(request.ifNoneMatch, headers.ETag)) return { status: 304, body: undefined, headers };
  return { status: 200, body: await obtain(request, name, picture), headers };
}

/** A name that every system takes: the key `menu/café` is `menu-cafe`. */
const fileName = (name: string): string =>
  anyAscii(name)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80) || 'qr-code';

function obtain(request: Requester, name: string, picture: Picture): Promise<Buffer> {
  const job = { job: pictureJobs['qr.render'], data: picture, jobId: name };
  return runJobOnce(request, job, {
    find: () => findPicture(request.queues.cache, name),
    read: (bytes) => bytes,
  });
}

import { findPicture, type Picture, pictureName } from '../qrcodes/pictures.ts';
import { MEDIA_TYPES } from '../qrcodes/render/design.ts';
import { qr } from '../queues/qr.ts';
import { type Asker, askOnce } from './answer.ts';
import type { Answer, ApiRequest } from './route.ts';

/**
 * Answers with a picture: 304 where the client has it, from the cache where it has been drawn, else drawn by a
 * worker. Requests for the same picture at the same time wait for one drawing, in whichever processes they are.
 *
 * @param cacheControl how long the address stands for this picture
 */
export async function answerPicture(
  request: Asker & Pick<ApiRequest, 'ifNoneMatch'>,
  picture: Picture,
  cacheControl: string,
): Promise<Answer> {
  const name = pictureName(picture);
  const headers = {
    ETag: `"${name}"`,
    'Cache-Control': cacheControl,
    'Content-Type': MEDIA_TYPES[picture.format],
    // An SVG that is opened by itself is a document: it shall run and load nothing.
    'Content-Security-Policy':
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (isAmong(request.ifNoneMatch, name)) return { status: 304, body: undefined, headers };
  return { status: 200, body: await obtain(request, name, picture), headers };
}

/** Whether an `If-None-Match` header names a picture (RFC 9110, 13.1.2: compared weakly). */
function isAmong(header: string | undefined, name: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(`"${name}"`);
}

function obtain(request: Asker, name: string, picture: Picture): Promise<Buffer> {
  const job = { queue: qr, name: 'qr.render', data: picture, jobId: name } as const;
  return askOnce(request, job, () => findPicture(request.queues.cache, name));
}

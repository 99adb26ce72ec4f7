import type { Redis } from '../infra/redis.ts';
import { findPicture, type Picture, pictureName } from '../qrcodes/pictures.ts';
import { MEDIA_TYPES } from '../qrcodes/render/design.ts';
import { qr } from '../queues/qr.ts';
import { type Asker, askWorker } from './answer.ts';
import type { Answer, ApiRequest } from './route.ts';

/** Drawings under way that this process waits for. */
const flights = new Map<string, Promise<Buffer>>();

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

async function obtain(request: Asker, name: string, picture: Picture): Promise<Buffer> {
  const { cache } = request.queues;
  const drawn = await findPicture(cache, name);
  if (drawn !== null) return drawn;
  let flight = flights.get(name);
  if (flight === undefined) {
    flight = draw(request, cache, name, picture).finally(() => flights.delete(name));
    flights.set(name, flight);
  }
  return flight;
}

async function draw(request: Asker, cache: Redis, name: string, picture: Picture): Promise<Buffer> {
  await askWorker(request, qr, 'qr.render', picture, name);
  const drawn = await findPicture(cache, name);
  if (drawn === null) throw new Error('the picture was drawn, and is not in the cache');
  return drawn;
}

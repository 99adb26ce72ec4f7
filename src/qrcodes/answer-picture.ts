import anyAscii from 'any-ascii';
import { isAmong } from '../http/etag.ts';
import type { Answer, ApiRequest, Requester } from '../http/route.ts';
import { runJobOnce } from '../jobs/run-job.ts';
import { pictureJobs } from './jobs.ts';
import { findPicture, type Picture, pictureName } from './pictures.ts';
import { FILE_ENDINGS, MEDIA_TYPES } from './render/design.ts';
import { savedName } from './render/file-name.ts';

/**
 * Answers with an image: 304 if the client has it, otherwise from the cache or drawn by a worker.
 * Concurrent requests for an image, in any process, wait for one drawing.
 *
 * @param file name for saving the image
 * @param cacheControl how long the URL stands for this image
 */
export async function answerPicture(
  request: Requester & Pick<ApiRequest, 'ifNoneMatch'>,
  picture: Picture,
  file: PictureFile,
  cacheControl: string,
): Promise<Answer> {
  const name = pictureName(picture);
  const headers = {
    ETag: `"${name}"`,
    'Cache-Control': cacheControl,
    'Content-Type': MEDIA_TYPES[picture.format],
    // Otherwise browsers derive the extension from the type, and save an .eps as .ps.
    'Content-Disposition': disposition(file, FILE_ENDINGS[picture.format]),
    // An SVG opened on its own is a document, so it must not run scripts or load anything.
    'Content-Security-Policy':
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (isAmong(request.ifNoneMatch, headers.ETag)) return { status: 304, body: undefined, headers };
  return { status: 200, body: await obtain(request, name, picture), headers };
}

/** Name of an image file. */
export interface PictureFile {
  /** Title or key, without an extension. */
  name: string;
  /** Name if the first one has no usable character. */
  fallback?: string;
  /** True if browsers save the file instead of showing it. */
  isDownload: boolean;
}

/** Builds a `Content-Disposition` with a name in ASCII and, if it differs, the name (RFC 6266). */
function disposition({ name, fallback = 'qr-code', isDownload }: PictureFile, ending: string) {
  const exact = (savedName(name) || savedName(fallback) || 'qr-code') + `.${ending}`;
  const plain = `${fileName(savedName(name) === '' ? fallback : name)}.${ending}`;
  const encoded = encodeURIComponent(exact).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const names = `filename="${plain}"${exact === plain ? '' : `; filename*=UTF-8''${encoded}`}`;
  return `${isDownload ? 'attachment' : 'inline'}; ${names}`;
}

/** Transliterates a name for every file system: the key `menu/café` becomes `menu-cafe`. */
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

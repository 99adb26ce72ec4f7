import { createHash } from 'node:crypto';
import type { Sharp } from 'sharp';
import { Refusal } from '../errors.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { isSmallMachine } from '../infra/machine.ts';
import { Semaphore } from '../infra/semaphore.ts';
import { drawSvg } from './draw-svg.ts';
import { busy, MAX_PIXELS, refuse, refuseUnreadable, WAIT_MS } from './refusals.ts';
import { svgRoot } from './svg-root.ts';

const MAX_BYTES = 2 * 1024 * 1024;
/** Of an image for a preview, in bytes: pages have photographs there. */
const MAX_PREVIEW_BYTES = 5 * 1024 * 1024;
/** Size of a preview at most, in px: that of the card of messengers and networks, 1.91 to 1. */
const PREVIEW = { width: 800, height: 420 };
const TIMEOUT_MS = 5_000;
/** Most bytes of pixels that a process decodes at once, 4 for each pixel: of one of the largest images, or of four. */
const DECODED_BYTES = 4 * MAX_PIXELS * (isSmallMachine() ? 1 : 4);
/** Longer side of what is kept, in px: no code draws an image larger. */
const MAX_SIDE = 1_024;

/** An image as it is kept: always a PNG, with nothing in it but pixels. */
export interface ReadImage {
  /** SHA-256 of the PNG, hexadecimal. */
  id: string;
  png: Buffer;
  width: number;
  height: number;
}

/** Who asks for an image. */
export interface Asking {
  /** No workspace does. */
  isOfNobody: boolean;
}

/**
 * Fetches and redraws an image. Whatever came, an SVG with scripts or a picture with a place in its EXIF, only its
 * pixels are kept.
 *
 * @param source an http(s) address, or a `data:` URI
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"; `service_unavailable` when it cannot be
 *   redrawn now
 */
export const readImage = (source: string, asking: Asking): Promise<ReadImage> =>
  redrawn(source, asking, MAX_BYTES, redraw);

/**
 * Fetches and redraws an image as `readImage` does, as a WebP that is small enough for a preview.
 *
 * @throws Refusal as `readImage` does
 */
export const readPreviewImage = (url: string): Promise<Buffer> =>
  redrawn(url, { isOfNobody: false }, MAX_PREVIEW_BYTES, (image) =>
    image
      .rotate()
      .resize({ ...PREVIEW, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .webp()
      .toBuffer(),
  );

async function redrawn<Result>(
  source: string,
  { isOfNobody }: Asking,
  maxBytes: number,
  draw: (image: Sharp) => Promise<Result>,
): Promise<Result> {
  const bytes = /^data:/i.test(source) ? readDataUri(source) : await download(source, maxBytes);
  const root = isRaster(bytes) ? undefined : svgRoot(bytes.toString('utf8'));
  if (root === undefined && !isRaster(bytes)) {
    throw refuse('must be an image (PNG, JPEG, WebP, GIF, AVIF or SVG)');
  }
  if (root === 'declares') throw refuse('must not be an SVG with entities');
  const raster = root === undefined ? bytes : await drawSvg(root.svg, isOfNobody);
  try {
    return await decode(raster, draw);
  } catch (error) {
    throw error instanceof Refusal ? error : refuseUnreadable(String(error));
  }
}

const decoding = new Semaphore(DECODED_BYTES);

/** Does something with the pixels of an image, once the memory for them is free. */
async function decode<Result>(
  bytes: Buffer,
  act: (image: Sharp) => Promise<Result>,
): Promise<Result> {
  const image = await open(bytes, MAX_PIXELS);
  const { width, height, depth } = await image.metadata();
  const units = width * height * (depth === 'uchar' ? 4 : 8);
  return decoding.run(() => act(image), { units, timeout: { ms: WAIT_MS, error: busy } });
}

async function download(url: string, maxBytes: number): Promise<Buffer> {
  try {
    const { status, body } = await guardedFetch(url, {
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      headers: { accept: 'image/*' },
    });
    if (status === 200) return body;
    throw refuse(FETCH_RULES.status('200', status));
  } catch (error) {
    if (error instanceof FetchRefused) throw refuse(error.message);
    throw error;
  }
}

/** RFC 2397. */
function readDataUri(uri: string): Buffer {
  const comma = uri.indexOf(',');
  const data = uri.slice(comma + 1);
  if (/%(?![0-9a-f]{2})/i.test(data)) {
    throw refuse('must be a data URI with valid percent-encoding');
  }
  // Base64 may be escaped as well: its +, / and = often are.
  const decoded = percentDecoded(data);
  const isBase64 = /;base64$/i.test(uri.slice(0, comma));
  const bytes = isBase64 ? Buffer.from(decoded.toString('latin1'), 'base64') : decoded;
  if (bytes.length > MAX_BYTES) throw refuse(FETCH_RULES.size(MAX_BYTES));
  return bytes;
}

/** The bytes of a text with escapes: they need not be UTF-8. */
function percentDecoded(text: string): Buffer {
  const latin1 = Buffer.from(text)
    .toString('latin1')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  return Buffer.from(latin1, 'latin1');
}

/** True when a file is an image of pixels, by its first bytes: headers say what their sender likes. */
function isRaster(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 16).toString('latin1');
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    /^GIF8[79]a/.test(head) ||
    /^RIFF.{4}WEBP/s.test(head) ||
    /^.{4}ftyp(avif|avis|mif1)/s.test(head)
  );
}

async function open(bytes: Buffer, limitInputPixels: number): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  return sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 });
}

/** True for a PNG of this size that can be drawn: it was kept before, by another installation. */
export async function isDrawable(
  png: Buffer,
  size: Pick<ReadImage, 'width' | 'height'>,
): Promise<boolean> {
  if (!png.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return false;
  try {
    // Kept images have few pixels: this one waits for no other.
    const image = await open(png, MAX_SIDE * MAX_SIDE);
    const { info } = await image.raw().toBuffer({ resolveWithObject: true });
    return info.width === size.width && info.height === size.height;
  } catch {
    return false;
  }
}

async function redraw(image: Sharp): Promise<ReadImage> {
  const { data: png, info } = await image
    .rotate()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  const id = createHash('sha256').update(png).digest('hex');
  return { id, png, width: info.width, height: info.height };
}

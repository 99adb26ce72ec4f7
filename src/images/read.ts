import { createHash } from 'node:crypto';
import type { Sharp } from 'sharp';
import { Refusal } from '../errors.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { isSmallMachine } from '../infra/machine.ts';
import { Semaphore } from '../infra/semaphore.ts';
import { drawSvg } from './draw-svg.ts';
import { typeOfHead } from './file-source.ts';
import { imageInIco, isIco } from './ico.ts';
import { busy, MAX_PIXELS, refuse, refuseUnreadable, WAIT_MS } from './refusals.ts';
import { svgRoot } from './svg-root.ts';
import { vectorIn, withVector } from './vector/stored.ts';
import type { Vector } from './vector/types.ts';

const MAX_BYTES = 2 * 1024 * 1024;
/** Maximum size of an image for a preview, in bytes; pages use photographs there. */
const MAX_PREVIEW_BYTES = 5 * 1024 * 1024;
/** Maximum size of a preview in px: the card of messengers and social networks, 1.91 to 1. */
const PREVIEW = { width: 800, height: 420 };
const TIMEOUT_MS = 5_000;
/**
 * Maximum size of pixels that a process decodes at once, in bytes, 4 per pixel: one of the largest
 * images, or four.
 */
const DECODED_BYTES = 4 * MAX_PIXELS * (isSmallMachine() ? 1 : 4);
/** Longer side of stored images, in px; no code draws an image larger. */
const MAX_SIDE = 1_024;

/** An image as it is stored: always a PNG; that of an SVG may have its shapes too. */
export interface ReadImage {
  /** SHA-256 of the PNG, in hexadecimal. */
  id: string;
  png: Buffer;
  width: number;
  height: number;
}

/** Origin of the request for an image. */
export interface RequestOrigin {
  /** True if no workspace requests it. */
  isOfNobody: boolean;
}

/**
 * Fetches and re-encodes an image. Only its pixels are kept, without scripts of an SVG or a
 * location in EXIF, and the shapes of an SVG that consists of shapes.
 *
 * @param source an http(s) address, or a `data:` URI
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …";
 * `service_unavailable` when it cannot be processed now
 */
export const readImage = (source: string, origin: RequestOrigin): Promise<ReadImage> =>
  redrawn(source, origin, { maxBytes: MAX_BYTES }, redraw);

/**
 * Fetches and re-encodes an image like `readImage`, as a WebP that is small enough for a preview.
 *
 * @throws Refusal as `readImage` does
 */
export const readPreviewImage = (url: string): Promise<Buffer> =>
  redrawn(url, { isOfNobody: false }, { maxBytes: MAX_PREVIEW_BYTES }, (image) =>
    image
      .rotate()
      .resize({ ...PREVIEW, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .webp()
      .toBuffer(),
  );

/** Maximum size of an icon, in bytes. */
const MAX_ICON_BYTES = 512 * 1024;
/** Longer side of icons, in px: twice the largest that the console shows, for dense screens. */
const ICON_SIDE = 64;

/**
 * Fetches and re-encodes the icon of a site, which may be an ICO, as a small PNG.
 *
 * @param timeoutMs time limit for fetching it
 * @throws Refusal as `readImage` does
 */
export const readIcon = (url: string, timeoutMs: number): Promise<Buffer> =>
  redrawn(
    url,
    // Icons are drawn after the images that somebody waits for.
    { isOfNobody: true },
    { maxBytes: MAX_ICON_BYTES, timeoutMs },
    (image) =>
      image
        .rotate()
        .resize({ width: ICON_SIDE, height: ICON_SIDE, fit: 'inside', withoutEnlargement: true })
        .toColourspace('srgb')
        .png({ compressionLevel: 9 })
        .toBuffer(),
    unpackIco,
  );

/** Takes the image that suits icons best out of an ICO; other files stay as they are. */
async function unpackIco(file: Buffer): Promise<Buffer> {
  if (!isIco(file)) return file;
  const image = imageInIco(file, ICON_SIDE);
  if (image === undefined) throw refuseUnreadable('ICO');
  if (Buffer.isBuffer(image)) return image;
  const { rgba, width, height } = image;
  const { default: sharp } = await import('sharp');
  return sharp(rgba, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

/** Limits of a file that is fetched. */
interface FileLimits {
  maxBytes: number;
  timeoutMs?: number;
}

async function redrawn<Result>(
  source: string,
  { isOfNobody }: RequestOrigin,
  limits: FileLimits,
  draw: (image: Sharp, vector: Vector | undefined) => Promise<Result>,
  unpack?: (file: Buffer) => Promise<Buffer>,
): Promise<Result> {
  const file = await bytesOf(source, limits, 'image/*');
  const bytes = unpack === undefined ? file : await unpack(file);
  const root = isRaster(bytes) ? undefined : svgRoot(bytes.toString('utf8'));
  if (root === undefined && !isRaster(bytes)) {
    throw refuse('must be an image (PNG, JPEG, WebP, GIF, AVIF or SVG)');
  }
  if (root === 'declares') throw refuse('must not be an SVG with entities');
  const raster = root === undefined ? bytes : await drawSvg(root.svg, isOfNobody);
  try {
    const vector = root === undefined ? undefined : vectorIn(raster);
    return await decode(raster, (image) => draw(image, vector));
  } catch (error) {
    throw error instanceof Refusal ? error : refuseUnreadable(String(error));
  }
}

const decoding = new Semaphore(DECODED_BYTES);

/** Processes the pixels of an image once enough memory is free. */
async function decode<Result>(
  bytes: Buffer,
  act: (image: Sharp) => Promise<Result>,
): Promise<Result> {
  const image = await open(bytes, MAX_PIXELS);
  const { width, height, depth } = await image.metadata();
  const units = width * height * (depth === 'uchar' ? 4 : 8);
  return decoding.run(() => act(image), { units, timeout: { ms: WAIT_MS, error: busy } });
}

/**
 * Reads the bytes of a `data:` URI or a web address.
 *
 * @param accept media types that the server is asked for
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …"
 */
export const bytesOf = async (
  source: string,
  limits: FileLimits,
  accept: string,
): Promise<Buffer> =>
  /^data:/i.test(source) ? readDataUri(source, limits.maxBytes) : download(source, limits, accept);

async function download(
  url: string,
  { maxBytes, timeoutMs = TIMEOUT_MS }: FileLimits,
  accept: string,
): Promise<Buffer> {
  try {
    const { status, body } = await guardedFetch(url, {
      maxBytes,
      timeoutMs,
      headers: { accept },
    });
    if (status === 200) return body;
    throw refuse(FETCH_RULES.status('200', status));
  } catch (error) {
    if (error instanceof FetchRefused) throw refuse(error.message);
    throw error;
  }
}

/** Parses a `data:` URI (RFC 2397). */
function readDataUri(uri: string, maxBytes: number): Buffer {
  const comma = uri.indexOf(',');
  const data = uri.slice(comma + 1);
  if (/%(?![0-9a-f]{2})/i.test(data)) {
    throw refuse('must be a data URI with valid percent-encoding');
  }
  // Base64 may be escaped as well; its +, / and = often are.
  const decoded = percentDecoded(data);
  const isBase64 = /;base64$/i.test(uri.slice(0, comma));
  const bytes = isBase64 ? Buffer.from(decoded.toString('latin1'), 'base64') : decoded;
  // The bytes are part of the request, whose size is limited too.
  const limit = Math.min(maxBytes, MAX_BYTES);
  if (bytes.length > limit) throw refuse(FETCH_RULES.size(limit));
  return bytes;
}

/** Decodes the bytes of a percent-encoded text, which need not be UTF-8. */
function percentDecoded(text: string): Buffer {
  const latin1 = Buffer.from(text)
    .toString('latin1')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  return Buffer.from(latin1, 'latin1');
}

/** The beginning of an AVIF, which is read but not stored as a file. */
const AVIF = /^.{4}ftyp(avif|avis|mif1)/s;

/**
 * Returns true if the first bytes of a file are those of a raster image; headers cannot be trusted.
 */
function isRaster(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 16).toString('latin1');
  const type = typeOfHead(head);
  return type === undefined ? AVIF.test(head) : type !== 'application/pdf';
}

async function open(bytes: Buffer, limitInputPixels: number): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  return sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 });
}

/**
 * Resolves to true for a PNG of this size that can be drawn, such as one that another installation
 * has stored.
 */
export async function isDrawable(
  png: Buffer,
  size: Pick<ReadImage, 'width' | 'height'>,
): Promise<boolean> {
  if (!png.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return false;
  try {
    // Stored images are small, so this one does not wait for others.
    const image = await open(png, MAX_SIDE * MAX_SIDE);
    const { info } = await image.raw().toBuffer({ resolveWithObject: true });
    return info.width === size.width && info.height === size.height;
  } catch {
    return false;
  }
}

async function redraw(image: Sharp, vector: Vector | undefined): Promise<ReadImage> {
  const { data, info } = await image
    .rotate()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  const png = vector === undefined ? data : withVector(data, vector);
  const id = createHash('sha256').update(png).digest('hex');
  return { id, png, width: info.width, height: info.height };
}

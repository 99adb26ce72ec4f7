import { createHash } from 'node:crypto';
import type { MadeImage } from '../images/name.ts';
import { type HandedOver, keepOrHandOver } from '../infra/kept.ts';
import type { Redis } from '../infra/redis.ts';
import type { Design, Format } from './render/design.ts';
import type { Output } from './render/output.ts';

/*
 * Images of QR codes are drawn by worker_qr and cached in Redis under a hash of everything that
 * they depend on. The hash is also the id of the drawing job, and the image's ETag.
 */

/** Part of every hash. A changed drawing needs a new version. */
const DRAWING_VERSION = '11';

/** Everything that an image depends on. */
export interface Picture {
  payload: string;
  design: Design;
  format: Format;
  output: Output;
  /** The stored image in the middle. */
  image: (MadeImage & { projectId: string }) | null;
  /** The stored picture behind the code; absent without one. */
  background?: (MadeImage & { projectId: string }) | undefined;
}

/** Name of an image, a hash of everything that it depends on. */
export function pictureName(picture: Picture): string {
  const { payload, design, format, output, image, background } = picture;
  const parts = [DRAWING_VERSION, payload, design, format, output, image?.id ?? null];
  if (background !== undefined) parts.push(background.id);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Name of a picture in the cache. */
const cacheName = (name: string) => `pic:${name}`;

/** Reads an image; `null` if it has not been drawn, or not recently. */
export function findPicture(cache: Redis, name: string): Promise<Buffer | null> {
  return cache.getBuffer(cacheName(name));
}

/** Time to live of an image, in seconds. */
const KEEP_SECONDS = { strangers: 300, workspaces: 86_400 };

/** Caches a drawn image, or hands it over. @throws Refusal as `handOver` does */
export function storePicture(
  cache: Redis,
  name: string,
  bytes: Buffer,
  budget: keyof typeof KEEP_SECONDS,
): Promise<HandedOver | undefined> {
  return keepOrHandOver(cache, cacheName(name), bytes, { budget, seconds: KEEP_SECONDS[budget] });
}

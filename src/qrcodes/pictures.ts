import { createHash } from 'node:crypto';
import type { MadeImage } from '../images/name.ts';
import { type HandedOver, keepOrHandOver } from '../infra/kept.ts';
import type { Redis } from '../infra/redis.ts';
import type { Design, Format } from './render/design.ts';

/*
 * Pictures are drawn by worker_qr and kept in Redis under a hash of everything that they depend on. The hash is
 * also the id of the job that draws one, and its ETag.
 */

/** Part of every hash: a new way of drawing makes new pictures. */
const DRAWING_VERSION = '2';

/** Everything that a picture depends on. */
export interface Picture {
  payload: string;
  design: Design;
  format: Format;
  /** The image in the middle, as it was kept. */
  image: (MadeImage & { projectId: string }) | null;
}

/** The name of a picture: the same for the same picture, wherever and whenever it is asked for. */
export function pictureName({ payload, design, format, image }: Picture): string {
  const parts = [DRAWING_VERSION, payload, design, format, image?.id ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Name of a picture in the cache. */
const cacheName = (name: string) => `pic:${name}`;

/** A picture that has been drawn; `null` when it has not, or not lately. */
export function findPicture(cache: Redis, name: string): Promise<Buffer | null> {
  return cache.getBuffer(cacheName(name));
}

/** Time to live of a picture, where there is room for it, in s. */
const KEEP_SECONDS = { strangers: 300, workspaces: 86_400 };

/** Keeps a picture that was drawn, or hands it over. @throws Refusal as `handOver` does */
export function keepPicture(
  cache: Redis,
  name: string,
  bytes: Buffer,
  budget: keyof typeof KEEP_SECONDS,
): Promise<HandedOver | undefined> {
  return keepOrHandOver(cache, cacheName(name), bytes, { budget, seconds: KEEP_SECONDS[budget] });
}

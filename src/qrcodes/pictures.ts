import { createHash } from 'node:crypto';
import type { Redis } from '../infra/redis.ts';
import type { Design, Format } from './render/design.ts';

/*
 * Pictures are drawn by worker_qr and kept in Redis under a hash of everything that they depend on. The hash is
 * also the id of the job that draws one, and its ETag.
 */

/** Part of every hash: a new way of drawing makes new pictures. */
const DRAWING_VERSION = '2';
/** Time to live of a rendered image, in s. */
const KEEP_SECONDS = 7 * 86_400;

/** Everything that a picture depends on. */
export interface Picture {
  payload: string;
  design: Design;
  format: Format;
  /** The image in the middle, as it was kept. */
  image: { projectId: string; id: string; width: number; height: number } | null;
}

/** The name of a picture: the same for the same picture, wherever and whenever it is asked for. */
export function pictureName({ payload, design, format, image }: Picture): string {
  const parts = [DRAWING_VERSION, payload, design, format, image?.id ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const cacheName = (name: string) => `pic:${name}`;

/** A picture that has been drawn; `null` when it has not, or not lately. */
export function findPicture(cache: Redis, name: string): Promise<Buffer | null> {
  return cache.getBuffer(cacheName(name));
}

/** Keeps a picture that was drawn. */
export async function keepPicture(cache: Redis, name: string, bytes: Buffer): Promise<void> {
  await cache.set(cacheName(name), bytes, 'EX', KEEP_SECONDS);
}

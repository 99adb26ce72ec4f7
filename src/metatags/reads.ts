import { createHash } from 'node:crypto';
import { Refusal, type RefusalData } from '../errors.ts';
import { type Budget, type HandedOver, handOver, keep } from '../infra/kept.ts';
import type { Redis } from '../infra/redis.ts';

/*
 * Metadata of pages, and images for previews, are cached in Redis under a hash of the URL, which is also the id of the job
 * that reads them. Errors are cached too, for a shorter time, so that repeated requests do not reach the host each time.
 */

/** Time for which a success is cached, in s. */
const KEEP_SECONDS = 3_600;
/** Time for which an error is cached, in s. */
const KEEP_REFUSED_SECONDS = 60;

/** The outcome of reading a page or an image. */
export interface Read<Found extends object> {
  outcome: Found | { refused: RefusalData };
  /** Until when this is kept, milliseconds since 1970. */
  until: number;
}

/** An image as it is cached. */
export interface PreviewImage {
  /** In base64. */
  webp: string;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Name of a page in cache and queue, derived from its URL alone. */
export const pageName = (url: string): string => hash(url);

/** Name of an image in cache and queue; the same URL may be asked for as a page. */
export const imageName = (url: string): string => hash(`image ${url}`);

const cacheName = (name: string) => `meta:${name}`;

/** The cached outcome under a name; `null` without one. */
export async function findRead<Found extends object>(
  cache: Redis,
  name: string,
): Promise<Read<Found> | null> {
  return JSON.parse((await cache.get(cacheName(name))) ?? 'null') as Read<Found> | null;
}

/** An outcome, and whether it is cached. */
export interface KeptRead<Found extends object> {
  read: Read<Found>;
  isKept: boolean;
}

/** Caches an outcome, where there is room for it. */
export async function keepRead<Found extends object>(
  cache: Redis,
  name: string,
  outcome: Read<Found>['outcome'],
  budget: Budget,
): Promise<KeptRead<Found>> {
  const seconds = 'refused' in outcome ? KEEP_REFUSED_SECONDS : KEEP_SECONDS;
  const read: Read<Found> = { outcome, until: Date.now() + seconds * 1_000 };
  const isKept = await keep(cache, cacheName(name), JSON.stringify(read), { budget, seconds });
  return { read, isKept };
}

/** Hands an outcome over to whoever asked for it, where it could not be cached. @throws Refusal as `handOver` does */
export async function handOverRead(
  cache: Redis,
  { read, isKept }: KeptRead<object>,
  budget: Budget,
): Promise<HandedOver | undefined> {
  return isKept ? undefined : handOver(cache, JSON.stringify(read), budget);
}

/** The outcome that was handed over. */
export const parseRead = <Found extends object>(bytes: Buffer): Read<Found> =>
  JSON.parse(bytes.toString()) as Read<Found>;

/** What has been read. @throws Refusal if it cannot be read */
export function foundIn<Found extends object>({ outcome }: Read<Found>): Found {
  if ('refused' in outcome) throw new Refusal(outcome.refused.code, outcome.refused.message);
  return outcome;
}

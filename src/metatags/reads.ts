import { createHash } from 'node:crypto';
import { Refusal, type RefusalData } from '../errors.ts';
import { type Budget, type HandedOver, handOver, keep } from '../infra/kept.ts';
import type { Redis } from '../infra/redis.ts';

/*
 * Metadata of pages and images for previews are cached in Redis under a hash of the URL, which is
 * also the id of the job that reads them. Errors are cached too, for a shorter time, so that
 * repeated requests do not all reach the host.
 */

/** Time for which a success is cached, in seconds. */
const KEEP_SECONDS = 3_600;
/** Time for which an error is cached, in seconds. */
const KEEP_REFUSED_SECONDS = 60;

/** The outcome of reading a page or an image. */
export interface Read<Result extends object> {
  outcome: Result | { refused: RefusalData };
  /** Time of expiry, in ms since 1970. */
  until: number;
}

/** A cached image. */
export interface PreviewImage {
  /** WebP in base64. */
  webp: string;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Name of a page in cache and queue, derived from its URL alone. */
export const pageName = (url: string): string => hash(url);

/** Name of an image in cache and queue, distinct from that of a page with the same URL. */
export const imageName = (url: string): string => hash(`image ${url}`);

const cacheName = (name: string) => `meta:${name}`;

/** Reads the cached outcome under a name; `null` if there is none. */
export async function findRead<Result extends object>(
  cache: Redis,
  name: string,
): Promise<Read<Result> | null> {
  return JSON.parse((await cache.get(cacheName(name))) ?? 'null') as Read<Result> | null;
}

/** An outcome, and whether it is cached. */
export interface CachedRead<Result extends object> {
  read: Read<Result>;
  isCached: boolean;
}

/** Caches an outcome, if there is room for it. */
export async function cacheRead<Result extends object>(
  cache: Redis,
  name: string,
  outcome: Read<Result>['outcome'],
  budget: Budget,
): Promise<CachedRead<Result>> {
  const seconds = 'refused' in outcome ? KEEP_REFUSED_SECONDS : KEEP_SECONDS;
  const read: Read<Result> = { outcome, until: Date.now() + seconds * 1_000 };
  const isCached = await keep(cache, cacheName(name), JSON.stringify(read), { budget, seconds });
  return { read, isCached };
}

/**
 * Hands an outcome that was not cached over to the waiting request. @throws Refusal as `handOver`
 * does
 */
export async function handOverRead(
  cache: Redis,
  { read, isCached }: CachedRead<object>,
  budget: Budget,
): Promise<HandedOver | undefined> {
  return isCached ? undefined : handOver(cache, JSON.stringify(read), budget);
}

/** Parses an outcome that was handed over. */
export const parseRead = <Result extends object>(bytes: Buffer): Read<Result> =>
  JSON.parse(bytes.toString()) as Read<Result>;

/** Returns the result of a read. @throws Refusal if the read was refused */
export function resultOf<Result extends object>({ outcome }: Read<Result>): Result {
  if ('refused' in outcome) throw new Refusal(outcome.refused.code, outcome.refused.message);
  return outcome;
}

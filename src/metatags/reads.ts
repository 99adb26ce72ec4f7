import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Refusal, type RefusalData } from '../errors.ts';
import type { Metatags } from './record.ts';

/*
 * Metadata is cached in Redis under a hash of the URL, which is also the id of the job that reads the page. Errors are cached
 * too, for a shorter time, so that repeated requests do not reach the host each time.
 */

/** Time for which metadata is cached, in s. */
const KEEP_SECONDS = 3_600;
/** Time for which an error is cached, in s. */
const KEEP_REFUSED_SECONDS = 60;

/** The outcome of reading a page. */
export interface PageRead {
  outcome: Metatags | { refused: RefusalData };
  /** Until when this is kept, milliseconds since 1970. */
  until: number;
}

/** Name of a page in cache and queue, derived from its URL alone. */
export function pageName(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}

const cacheName = (name: string) => `meta:${name}`;

/** The cached outcome of reading a page; `null` without one. */
export async function findRead(cache: Redis, name: string): Promise<PageRead | null> {
  return JSON.parse((await cache.get(cacheName(name))) ?? 'null') as PageRead | null;
}

/** Caches the outcome of reading a page. */
export async function keepRead(
  cache: Redis,
  name: string,
  outcome: PageRead['outcome'],
): Promise<PageRead> {
  const seconds = 'refused' in outcome ? KEEP_REFUSED_SECONDS : KEEP_SECONDS;
  const read: PageRead = { outcome, until: Date.now() + seconds * 1_000 };
  await cache.set(cacheName(name), JSON.stringify(read), 'EX', seconds);
  return read;
}

/** The metadata of a page. @throws Refusal if it cannot be read */
export function metatagsOf({ outcome }: PageRead): Metatags {
  if ('refused' in outcome) throw new Refusal(outcome.refused.code, outcome.refused.message);
  return outcome;
}

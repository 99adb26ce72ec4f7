import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Refusal, type RefusalData } from '../errors.ts';
import type { Metatags } from './record.ts';

/*
 * What pages say is kept in Redis under a hash of their address, which is also the id of the job that reads one. That a
 * page can't be read is kept too, not as long: who asks a hundred times asks its host once.
 */

/** How long what a page says is kept, in s. */
const KEEP_SECONDS = 3_600;
/** How long it is kept that a page can't be read, in s. */
const KEEP_REFUSED_SECONDS = 60;

/** What came of reading a page. */
export interface PageRead {
  outcome: Metatags | { refused: RefusalData };
  /** Until when this is kept, milliseconds since 1970. */
  until: number;
}

/** The name of a page: the same for the same address, whoever asks. */
export function pageName(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}

const cacheName = (name: string) => `meta:${name}`;

/** What came of reading a page lately; `null` when it has not been read. */
export async function findRead(cache: Redis, name: string): Promise<PageRead | null> {
  return JSON.parse((await cache.get(cacheName(name))) ?? 'null') as PageRead | null;
}

/** Keeps what came of reading a page. */
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

/** What a page says about itself. @throws Refusal why it could not be read */
export function metatagsOf({ outcome }: PageRead): Metatags {
  if ('refused' in outcome) throw new Refusal(outcome.refused.code, outcome.refused.message);
  return outcome;
}

import { Refusal } from '../errors.ts';
import type { Budget } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { metatagJobs } from './jobs.ts';
import { readPage } from './read-page.ts';
import {
  type CachedRead,
  cacheRead,
  findRead,
  handOverRead,
  pageName,
  type Read,
} from './reads.ts';
import type { Metatags } from './record.ts';

/** Reads a page and caches the outcome, unless one is cached. */
export const cachePage = (
  { url }: { url: string },
  { projectId }: Pick<JobContext, 'projectId'>,
): Promise<CachedRead<Metatags>> =>
  cacheResult(pageName(url), projectId === '' ? 'strangers' : 'workspaces', () => readPage(url));

/** Caches the result or the refusal of a function, unless the name is cached. */
export async function cacheResult<Result extends object>(
  name: string,
  budget: Budget,
  read: () => Promise<Result>,
): Promise<CachedRead<Result>> {
  const cache = cacheRedis();
  const cached = await findRead<Result>(cache, name);
  if (cached !== null) return { read: cached, isCached: true };
  return cacheRead(cache, name, await outcomeOf(read), budget);
}

async function outcomeOf<Result extends object>(
  read: () => Promise<Result>,
): Promise<Read<Result>['outcome']> {
  try {
    return await read();
  } catch (thrown) {
    // A refusal for lack of capacity is not cached, so that the page is read again.
    if (!(thrown instanceof Refusal) || thrown.code === 'service_unavailable') throw thrown;
    return { refused: thrown.toJSON() };
  }
}

export const metatagHandlers = handlers(metatagJobs, {
  /** Reads a page for a waiting request. */
  async 'page.read'(page, context) {
    const budget = context.projectId === '' ? 'strangers' : 'workspaces';
    return handOverRead(cacheRedis(), await cachePage(page, context), budget);
  },
});

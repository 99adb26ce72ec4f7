import { Refusal } from '../errors.ts';
import type { Budget, HandedOver } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { metatagJobs } from './jobs.ts';
import { readPage } from './read-page.ts';
import { findRead, handOverRead, type KeptRead, keepRead, pageName, type Read } from './reads.ts';
import type { Metatags } from './record.ts';

/** Reads a page and caches the outcome, unless one is cached. */
export const keepPage = (
  { url }: { url: string },
  { projectId }: Pick<JobContext, 'projectId'>,
): Promise<KeptRead<Metatags>> =>
  keepFound(pageName(url), projectId === '' ? 'strangers' : 'workspaces', () => readPage(url));

/** Reads a page for whoever waits for it. */
export async function readAskedPage(
  page: { url: string },
  context: JobContext,
): Promise<HandedOver | undefined> {
  const budget = context.projectId === '' ? 'strangers' : 'workspaces';
  return handOverRead(cacheRedis(), await keepPage(page, context), budget);
}

/** Caches what a function finds, or that it refuses, unless something is cached under the name. */
export async function keepFound<Found extends object>(
  name: string,
  budget: Budget,
  read: () => Promise<Found>,
): Promise<KeptRead<Found>> {
  const cache = cacheRedis();
  const cached = await findRead<Found>(cache, name);
  if (cached !== null) return { read: cached, isKept: true };
  return keepRead(cache, name, await outcomeOf(read), budget);
}

async function outcomeOf<Found extends object>(
  read: () => Promise<Found>,
): Promise<Read<Found>['outcome']> {
  try {
    return await read();
  } catch (thrown) {
    // A refusal for want of capacity is not remembered: the page is read again.
    if (!(thrown instanceof Refusal) || thrown.code === 'service_unavailable') throw thrown;
    return { refused: thrown.toJSON() };
  }
}

export const metatagHandlers = handlers(metatagJobs, {
  'page.read': readAskedPage,
});

import { Refusal } from '../errors.ts';
import { cacheRedis } from '../infra/redis.ts';
import { readPage } from './read-page.ts';
import { findRead, keepRead, type PageRead, pageName, type Read } from './reads.ts';

/** Reads a page and caches the outcome, unless one is cached. */
export const keepPage = ({ url }: { url: string }): Promise<PageRead> =>
  keep(pageName(url), () => readPage(url));

/** Caches what a function finds, or that it refuses, unless something is cached under the name. */
export async function keep<Found extends object>(
  name: string,
  read: () => Promise<Found>,
): Promise<Read<Found>> {
  const cache = cacheRedis();
  return (await findRead<Found>(cache, name)) ?? keepRead(cache, name, await outcomeOf(read));
}

async function outcomeOf<Found extends object>(
  read: () => Promise<Found>,
): Promise<Read<Found>['outcome']> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof Refusal) return { refused: thrown.toJSON() };
    throw thrown;
  }
}

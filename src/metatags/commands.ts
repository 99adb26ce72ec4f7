import { Refusal } from '../errors.ts';
import { cacheRedis } from '../infra/redis.ts';
import { readPage } from './read-page.ts';
import { findRead, keepRead, type PageRead, pageName } from './reads.ts';

/** Reads a page and caches the outcome, unless one is cached. */
export async function keepPage({ url }: { url: string }): Promise<PageRead> {
  const cache = cacheRedis();
  const name = pageName(url);
  return (await findRead(cache, name)) ?? keepRead(cache, name, await outcomeOf(url));
}

async function outcomeOf(url: string): Promise<PageRead['outcome']> {
  try {
    return await readPage(url);
  } catch (thrown) {
    if (thrown instanceof Refusal) return { refused: thrown.toJSON() };
    throw thrown;
  }
}

import type { SingleRedis } from '../../src/infra/redis.ts';

/**
 * Returns the keys of one Redis server that match a glob pattern. The service's account may not use
 * KEYS.
 */
export async function keysOf(server: SingleRedis, pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of server.scanStream({ match: pattern, count: 1000 })) {
    keys.push(...(batch as string[]));
  }
  return keys;
}

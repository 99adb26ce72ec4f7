import type { SingleRedis } from '../../src/infra/redis.ts';

/** The keys of one server of Redis that match a glob pattern. KEYS is not allowed to the account of the service. */
export async function keysOf(server: SingleRedis, pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const found of server.scanStream({ match: pattern, count: 1000 })) {
    keys.push(...(found as string[]));
  }
  return keys;
}

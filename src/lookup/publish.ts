import type { Redis } from 'ioredis';

/*
 * How a committed change reaches every redirect process. In Redis a name (`lk:…`, `dm:…`, `ws:…`, `pg:…`) holds
 *
 *   version | entry      the entry is empty where nothing is there
 *
 * Two workers may publish in another order than they committed; the higher version wins, whichever comes
 * last. After an update or a deletion, the name is announced on CHANGED so that every redirect process
 * forgets it. A creation needs no announcement: processes do not remember misses.
 */

/** Channel on which names of changed entries are announced, several joined by a line feed. */
export const CHANGED = 'lookup:changed';

/** Copies in Redis expire, so that whatever went wrong is gone after a day. */
const KEEP_SECONDS = 86_400;
/** Long enough for every put that was under way when its record was deleted. */
const GONE_SECONDS = 10;

/** Name under which the entry of a link or QR code is kept. */
export const linkName = (domainId: string, key: string): string => `lk:${domainId}:${key}`;
/** Name under which the entry of a domain is kept. */
export const domainName = (host: string): string => `dm:${host}`;

/** Name under which the entry of a workspace is kept. */
export const workspaceName = (projectId: string): string => `ws:${projectId}`;
/** Name under which the entry of a page before destinations is kept. */
export const pageName = (projectId: string, id: string): string => `pg:${projectId}:${id}`;

/** A change of what a name stands for. */
export interface LookupChange {
  name: string;
  /** Version of the row; for a deletion, that of the row that was deleted. */
  version: number;
  /** `null`: nothing stands under this name any more. */
  entry: string | null;
  /** True for an update or deletion: what processes remember must be forgotten. */
  announce: boolean;
}

/*
 * KEYS[1] name   ARGV[1] version   ARGV[2] entry or ''   ARGV[3] seconds to keep
 * Answers 1 when stored, 0 when something at least as new was there. An empty entry also replaces its own
 * version: it is the deletion of exactly that row.
 */
const PUT = `
local there = redis.call('GET', KEYS[1])
if there then
  local version = tonumber(string.match(there, '^%d+'))
  local new = tonumber(ARGV[1])
  if version > new or (version == new and ARGV[2] ~= '') then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1] .. '|' .. ARGV[2], 'EX', ARGV[3])
return 1`;

interface WithPut {
  putLookup(name: string, version: number, entry: string, seconds: number): Promise<number>;
}

/**
 * Brings the cache in step with what was committed, and makes redirect processes forget what they know.
 * Resolves when Redis has acknowledged everything: from then on no process that asks gets the old answer.
 */
export async function publish(redis: Redis, changes: readonly LookupChange[]): Promise<void> {
  if (changes.length === 0) return;
  if (!('putLookup' in redis)) redis.defineCommand('putLookup', { numberOfKeys: 1, lua: PUT });
  const commands = redis as unknown as WithPut;
  const puts = changes.map(({ name, version, entry }) =>
    commands.putLookup(name, version, entry ?? '', entry === null ? GONE_SECONDS : KEEP_SECONDS),
  );
  await Promise.all(puts);
  const announced = changes.filter((change) => change.announce).map((change) => change.name);
  if (announced.length > 0) await redis.publish(CHANGED, announced.join('\n'));
}

/** What Redis holds under a name: the entry, `null` for "nothing there", `undefined` for "not known". */
export function readStored(stored: string | null): string | null | undefined {
  if (stored === null) return undefined;
  const entry = stored.slice(stored.indexOf('|') + 1);
  return entry === '' ? null : entry;
}

/**
 * Keeps what Postgres said, unless a worker has published something meanwhile (then that is newer).
 *
 * @param missSeconds how long "nothing there" is kept
 */
export async function fill(
  redis: Redis,
  name: string,
  found: { version: number; entry: string } | null,
  missSeconds = 30,
): Promise<void> {
  if (found === null) await redis.set(name, '0|', 'EX', missSeconds, 'NX');
  else await redis.set(name, `${found.version}|${found.entry}`, 'EX', KEEP_SECONDS, 'NX');
}

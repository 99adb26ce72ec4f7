import type { Redis } from '../infra/redis.ts';
import { publish as announce } from '../infra/redis-channels.ts';
import { RedisCluster } from '../infra/redis-cluster.ts';
import { CHANGED } from './codec.ts';
import type { Row } from './rows.ts';
import { PostgresSource } from './source.ts';
import { Epoch } from './validity.ts';

/*
 * Publishes committed changes to all redirect processes. `codec.ts` defines names and values in Redis.
 *
 * Two workers may publish in another order than they committed; the higher version wins, whichever comes
 * last. Entries of another epoch (`validity.ts`) are passed over: Redis may have lost what replaced them. After an update
 * or a deletion, the name is announced on CHANGED so that every redirect process forgets it. A creation needs no
 * announcement: processes do not remember misses.
 */

/** Copies in Redis expire, so that an error in one lasts a day at most. */
const KEEP_SECONDS = 86_400;
/** Time to live of a miss. */
const MISS_SECONDS = 30;
/**
 * Time to live of the tombstone of a deletion: longer than any put can be under way, also in a process that was suspended,
 * or on a connection that hung.
 */
export const GONE_SECONDS = 1_800;

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
 * KEYS names   ARGV[1] epoch   then for each name: version, entry or '', seconds to keep
 * Where something at least as new is there, it stays. An empty entry also replaces its own version: it is the deletion of
 * exactly that row. So does an entry where the other is of another epoch.
 */
const PUT = `
for i, name in ipairs(KEYS) do
  local new, entry, seconds = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local there = redis.call('GET', name)
  local stays = false
  if there then
    local version, epoch = string.match(there, '^(%d+)@?([^|]*)')
    version = tonumber(version)
    stays = version > tonumber(new) or (version == tonumber(new) and entry ~= '' and epoch == ARGV[1])
  end
  if not stays then
    redis.call('SET', name, new .. '@' .. ARGV[1] .. '|' .. entry, 'EX', seconds)
  end
end`;
/** Most names of one call: Redis serves nobody else meanwhile, about 0.3 ms. */
const PUT_AT_ONCE = 100;

/*
 * KEYS[1] name   ARGV[1] the value that was read   ARGV[2] the value to put in its place   ARGV[3] seconds to keep
 * Answers 1 when replaced, 0 when another value was there.
 */
const REPLACE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1`;

interface WithScripts {
  putLookups(count: number, ...namesAndArguments: (string | number)[]): Promise<null>;
  replaceLookup(name: string, read: string, value: string, seconds: number): Promise<number>;
}

function withScripts(redis: Redis): WithScripts {
  if (!('putLookups' in redis)) {
    redis.defineCommand('putLookups', { lua: PUT });
    redis.defineCommand('replaceLookup', { numberOfKeys: 1, lua: REPLACE });
  }
  return redis as Redis & WithScripts;
}

const epochs = new WeakMap<Redis, Epoch>();

/** The epoch of the Redis behind a connection that is shared by a whole process. */
export function epochOf(redis: Redis): Epoch {
  const epoch = epochs.get(redis) ?? new Epoch(redis);
  epochs.set(redis, epoch);
  return epoch;
}

/**
 * Stores committed changes in the cache, and makes redirect processes forget the entries before them.
 * Resolves when Redis has acknowledged everything: from then on no process that asks gets the old answer.
 */
export async function publish(redis: Redis, changes: readonly LookupChange[]): Promise<void> {
  if (changes.length === 0) return;
  const epochOfRedis = epochOf(redis);
  const epoch = epochOfRedis.known ?? (await epochOfRedis.ask());
  const commands = withScripts(redis);
  // On a cluster, any two names may be on different nodes.
  const atOnce = redis instanceof RedisCluster ? 1 : PUT_AT_ONCE;
  const puts: Promise<null>[] = [];
  for (let first = 0; first < changes.length; first += atOnce) {
    const some = changes.slice(first, first + atOnce);
    const values = some.flatMap(({ version, entry }) => [
      version,
      entry ?? '',
      entry === null ? GONE_SECONDS : KEEP_SECONDS,
    ]);
    puts.push(commands.putLookups(some.length, ...some.map(({ name }) => name), epoch, ...values));
  }
  await Promise.all(puts);
  const announced = changes.filter((change) => change.announce).map((change) => change.name);
  if (announced.length > 0) await announce(redis, CHANGED, announced.join('\n'));
}

/** A name that a job changed, and the version that it gave it. */
export type ChangedName = Pick<LookupChange, 'name' | 'version'>;

/**
 * Up to here it is certain that the mark of a deletion that came meanwhile is still there, and keeps an older entry
 * from being put over it, in ms.
 */
const CERTAIN_MS = (GONE_SECONDS * 1000) / 2;

/**
 * Publishes what has just been committed. Where that took so long that it may have been overtaken, what is true now is
 * published.
 */
export async function publishCommitted(
  redis: Redis,
  changes: readonly LookupChange[],
): Promise<void> {
  const began = performance.now();
  await publish(redis, changes);
  if (performance.now() - began > CERTAIN_MS) await publishPresent(redis, changes);
}

/**
 * Publishes what is true of some names at this moment: what a job committed earlier may have been changed or deleted
 * since, and the cache may have forgotten that it was.
 */
export async function publishPresent(redis: Redis, names: readonly ChangedName[]): Promise<void> {
  if (names.length === 0) return;
  for (;;) {
    const began = performance.now();
    const source = new PostgresSource();
    const rows = await Promise.all(names.map(({ name }) => source.read(name)));
    const changes = names.map(({ name, version }, at): LookupChange => {
      const row = rows[at] ?? null;
      // Whatever came later has a higher version than the job's own, also where it is on its way.
      return row === null
        ? { name, version, entry: null, announce: true }
        : { name, ...row, announce: true };
    });
    await publish(redis, changes);
    if (performance.now() - began <= CERTAIN_MS) return;
  }
}

/**
 * Keeps what Postgres said, unless a worker has published something meanwhile (then that is newer).
 *
 * @param read what Redis held before Postgres was asked
 */
export async function fill(
  redis: Redis,
  name: string,
  { read, found, epoch }: { read: string | null; found: Row | null; epoch: string },
): Promise<void> {
  // An entry that is gone keeps the version that was read, so that a late put of it still finds something newer.
  const version = found?.version ?? (Number.parseInt(read ?? '', 10) || 0);
  const value = `${version}@${epoch}|${found?.entry ?? ''}`;
  const seconds = found === null ? (version === 0 ? MISS_SECONDS : GONE_SECONDS) : KEEP_SECONDS;
  if (read === null) await redis.set(name, value, 'EX', seconds, 'NX');
  else await withScripts(redis).replaceLookup(name, read, value, seconds);
}

/** Misses that are stored in Redis in a second. Each takes room for 30 s, and a client can make up thousands. */
const MISSES_KEPT_PER_SECOND = 500;

/** Limits how many misses one process stores in Redis. */
export class KeptMisses {
  #kept = 0;
  #since = 0;

  /** Takes the place of one miss; false where this second has none left. */
  mayKeep(): boolean {
    const now = performance.now();
    if (now - this.#since >= 1_000) {
      this.#since = now;
      this.#kept = 0;
    }
    this.#kept += 1;
    return this.#kept <= MISSES_KEPT_PER_SECOND;
  }
}

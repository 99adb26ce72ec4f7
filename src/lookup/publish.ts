import { type Db, execute } from '../infra/db.ts';
import { memoize } from '../infra/memoize.ts';
import type { Redis } from '../infra/redis.ts';
import { publish as announce } from '../infra/redis-channels.ts';
import { RedisCluster } from '../infra/redis-cluster.ts';
import { CHANGED, SERVICE_NAME } from './codec.ts';
import { type Row, readService } from './rows.ts';
import { PostgresSource } from './source.ts';
import { Epoch } from './validity.ts';

/*
 * Publishes committed changes to all redirect processes. `codec.ts` defines names and values in
 * Redis.
 *
 * Two workers may publish in another order than they committed; the higher version wins, whichever
 * comes last. Entries of another epoch (`validity.ts`) do not win, since Redis may have lost what
 * replaced them. After an update or deletion, the name is announced on CHANGED so that every
 * redirect process forgets it. A creation needs no announcement: processes do not remember misses.
 */

/** Time to live of an entry in Redis, in seconds, so that a wrong one lasts a day at most. */
const KEEP_SECONDS = 86_400;
/** Time to live of a miss, in seconds. */
const MISS_SECONDS = 30;
/**
 * Time to live of a deletion's tombstone, in seconds: longer than any put can take, even by a
 * suspended process or on a hanging connection.
 */
export const GONE_SECONDS = 1_800;

/** A change of what a name stands for. */
export interface LookupChange {
  name: string;
  /** Version of the row; for a deletion, the version of the deleted row. */
  version: number;
  /** `null` if the name stands for nothing any more. */
  entry: string | null;
  /** True for an update or deletion, which makes processes forget the name. */
  announce: boolean;
}

/*
 * KEYS names   ARGV[1] epoch   then for each name: version, entry or '', TTL in seconds
 * A value that is at least as new stays. An empty entry also replaces its own version, since it is
 * the deletion of that row. So does an entry if the stored one is of another epoch.
 */
const PUT = `
for i, name in ipairs(KEYS) do
  local new, entry, seconds = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local value = new .. '@' .. ARGV[1] .. '|' .. entry
  -- Most names are new.
  if not redis.call('SET', name, value, 'NX', 'EX', seconds) then
    local version, epoch = string.match(redis.call('GET', name), '^(%d+)@?([^|]*)')
    version = tonumber(version)
    local isSame = version == tonumber(new) and entry ~= '' and epoch == ARGV[1]
    if not (version > tonumber(new) or isSame) then
      redis.call('SET', name, value, 'EX', seconds)
    end
  end
end`;
/** Maximum number of names per call, since Redis serves nobody else meanwhile, about 0.3 ms. */
const NAMES_PER_CALL = 100;

/*
 * KEYS[1] name   ARGV[1] expected value   ARGV[2] new value   ARGV[3] TTL in seconds
 * Returns 1 if replaced, 0 if Redis held another value.
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

/** Returns the epoch of the Redis behind a connection that the whole process shares. */
export const epochOf = memoize((redis: Redis) => new Epoch(redis), new WeakMap());

/**
 * Stores committed changes in the cache, and makes redirect processes forget the previous entries.
 * Resolves once Redis has acknowledged everything: from then on no process returns an old answer.
 */
export async function publish(redis: Redis, changes: readonly LookupChange[]): Promise<void> {
  if (changes.length === 0) return;
  const epochOfRedis = epochOf(redis);
  const epoch = epochOfRedis.known ?? (await epochOfRedis.ask());
  const commands = withScripts(redis);
  // On a cluster, two names may be on different nodes.
  const atOnce = redis instanceof RedisCluster ? 1 : NAMES_PER_CALL;
  const puts: Promise<null>[] = [];
  for (let first = 0; first < changes.length; first += atOnce) {
    const chunk = changes.slice(first, first + atOnce);
    const values = chunk.flatMap(({ version, entry }) => [
      version,
      entry ?? '',
      entry === null ? GONE_SECONDS : KEEP_SECONDS,
    ]);
    puts.push(
      commands.putLookups(chunk.length, ...chunk.map(({ name }) => name), epoch, ...values),
    );
  }
  await Promise.all(puts);
  const announced = changes.filter((change) => change.announce).map((change) => change.name);
  if (announced.length > 0) await announce(redis, CHANGED, announced.join('\n'));
}

/**
 * Creates a new version of the service's entry, within the transaction that changed what the entry
 * has.
 */
export async function serviceChange(trx: Db): Promise<LookupChange> {
  await execute(trx, "UPDATE host_blocklist SET version = nextval('lookup_version')");
  return presentService(trx);
}

/** Returns the present entry of the service. */
export const presentService = async (trx: Db): Promise<LookupChange> => ({
  name: SERVICE_NAME,
  announce: true,
  ...(await readService(trx)),
});

/** A name that a job changed, with the version that the change gave it. */
export type ChangedName = Pick<LookupChange, 'name' | 'version'>;

/**
 * Time for which the tombstone of a concurrent deletion is sure to be there still, so that no older
 * entry can replace it, in ms.
 */
const CERTAIN_MS = (GONE_SECONDS * 1000) / 2;

/**
 * Publishes what has just been committed. If that took so long that a later change may have
 * overtaken it, publishes the present state too.
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
 * Publishes the present state of names: what a job committed earlier may have been changed or
 * deleted since, and the cache may have forgotten that.
 */
export async function publishPresent(redis: Redis, names: readonly ChangedName[]): Promise<void> {
  if (names.length === 0) return;
  for (;;) {
    const began = performance.now();
    const source = new PostgresSource();
    const rows = await Promise.all(names.map(({ name }) => source.read(name)));
    const changes = names.map(({ name, version }, at): LookupChange => {
      const row = rows[at] ?? null;
      // A later change has a higher version than the job's own, even if it is still on its way.
      return row === null
        ? { name, version, entry: null, announce: true }
        : { name, ...row, announce: true };
    });
    await publish(redis, changes);
    if (performance.now() - began <= CERTAIN_MS) return;
  }
}

/**
 * Stores a row from Postgres, unless a worker has published something newer meanwhile.
 *
 * @param value what Redis held before Postgres was asked
 */
export async function fill(
  redis: Redis,
  name: string,
  { value, row, epoch }: { value: string | null; row: Row | null; epoch: string },
): Promise<void> {
  // A missing entry keeps the version that was read, so that a late put of it still finds something
  // newer.
  const version = row?.version ?? (Number.parseInt(value ?? '', 10) || 0);
  const next = `${version}@${epoch}|${row?.entry ?? ''}`;
  const seconds = row === null ? (version === 0 ? MISS_SECONDS : GONE_SECONDS) : KEEP_SECONDS;
  if (value === null) await redis.set(name, next, 'EX', seconds, 'NX');
  else await withScripts(redis).replaceLookup(name, value, next, seconds);
}

/**
 * Maximum number of misses stored in Redis per second. Each takes memory for 30 s, and a client can
 * invent thousands.
 */
const MAX_MISSES_PER_SECOND = 500;

/** Limits the misses that a process stores in Redis. */
export class MissLimit {
  #taken = 0;
  #since = 0;

  /** Reserves the place of a miss; false if this second has none left. */
  tryTake(): boolean {
    const now = performance.now();
    if (now - this.#since >= 1_000) {
      this.#since = now;
      this.#taken = 0;
    }
    this.#taken += 1;
    return this.#taken <= MAX_MISSES_PER_SECOND;
  }
}

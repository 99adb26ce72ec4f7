import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { memoize } from './memoize.ts';
import { primariesOf, type Redis, type SingleRedis } from './redis.ts';

/*
 * Values that callers can create in any number, such as images, share a limited number of bytes in
 * Redis.
 *
 *   reserve ──space left──▶ stored under its name until it expires
 *      └─no space─▶ handed over: stored under a name of its own for the one reader that waits
 *                   for it and deletes it
 *
 * A budget is a hash of bytes by the time at which their values expire. Expiry therefore needs no
 * bookkeeping, and bytes whose writer or reader died become free at that time. Half of a budget is
 * reserved for values that are handed over.
 */

/**
 * Groups of values with separate budgets, so that callers without a workspace never use the bytes
 * of workspaces.
 */
export type Budget = 'strangers' | 'workspaces' | 'uploads';

/** A value for a single reader. */
export interface HandedOver {
  name: string;
  place: Place;
}

/** A reservation of bytes. */
export interface Place {
  budget: Budget;
  /** Time at which the bytes become free again, in s since 1970. */
  until: number;
  bytes: number;
}

const MIB = 2 ** 20;
/** Maximum share of `maxmemory` for each budget. */
const SHARE_OF_MEMORY = { strangers: 1 / 8, workspaces: 1 / 8, uploads: 1 / 4 };
/** Memory that Redis needs for a key in addition to name and value, in bytes. */
const KEY_BYTES = 100;
/** Time for which a value waits for its reader, in s. */
const HANDED_OVER_SECONDS = 60;
const RETRY_S = 10;

const budgetName = (budget: Budget) => `kept:${budget}`;

/*
 * KEYS[1] the budget   ARGV[1] bytes   ARGV[2] limit   ARGV[3] seconds
 * ARGV[4] time at which they become free, or 0
 *
 * Returns the time at which the bytes become free; 0 if there is no space. Times are rounded up to
 * a tenth of the seconds, so that the hash stays small.
 */
const RESERVE = `
local now = tonumber(redis.call('TIME')[1])
local sum = 0
local fields = redis.call('HGETALL', KEYS[1])
for at = 1, #fields, 2 do
  if tonumber(fields[at]) <= now then redis.call('HDEL', KEYS[1], fields[at])
  else sum = sum + tonumber(fields[at + 1]) end
end
if sum + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return 0 end
local seconds = tonumber(ARGV[3])
local step = math.max(1, math.floor(seconds / 10))
local till = tonumber(ARGV[4])
if till <= now then till = (math.floor((now + seconds) / step) + 1) * step end
redis.call('HINCRBY', KEYS[1], string.format('%d', till), ARGV[1])
return till`;

/* KEYS[1] the budget   ARGV[1] time at which the bytes would become free   ARGV[2] bytes */
const RELEASE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[2]) <= 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`;

/**
 * Returns the smallest `maxmemory` of all nodes in bytes, 0 for none, because a budget is not
 * spread evenly. Asked again after some seconds.
 */
const maxMemoryOf = memoize(
  readMaxMemory,
  new LRUCache<Redis, Promise<number>>({ max: 8, ttl: 10_000 }),
);

async function readMaxMemory(redis: Redis): Promise<number> {
  const sizes = await Promise.all(primariesOf(redis).map((server) => maxMemoryOfServer(server)));
  const limits = sizes.filter((size) => size > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

async function maxMemoryOfServer(server: SingleRedis): Promise<number> {
  try {
    return Number(/^maxmemory:(\d+)/m.exec(await server.info('memory'))?.[1] ?? 0);
  } catch {
    // A hosted server may refuse to tell.
    return 0;
  }
}

/** Returns the number of bytes that the values of a budget may use. */
async function limitOf(redis: Redis, budget: Budget): Promise<number> {
  const { KEPT_MIB, UPLOADS_MIB } = config();
  const limit = (budget === 'uploads' ? UPLOADS_MIB : KEPT_MIB / 2) * MIB;
  const memory = await maxMemoryOf(redis);
  return memory === 0 ? limit : Math.min(limit, memory * SHARE_OF_MEMORY[budget]);
}

/** Returns true for the error of a Redis whose memory is full. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /\bOOM\b/.test(error.message);

/**
 * Reserves bytes of a budget.
 *
 * @param seconds time to live of the value
 * @param share fraction of the budget that may be used
 * @param until expiry of an earlier reservation that this one is part of
 * @returns `undefined` if there is no space
 */
export async function reserve(
  redis: Redis,
  budget: Budget,
  bytes: number,
  {
    seconds,
    share = 1,
    until = 0,
  }: { seconds: number; share?: number; until?: number | undefined },
): Promise<Place | undefined> {
  const limit = Math.floor((await limitOf(redis, budget)) * share);
  try {
    const name = budgetName(budget);
    const expiry = await redis.eval(RESERVE, 1, name, bytes, limit, seconds, until);
    return expiry === 0 ? undefined : { budget, until: Number(expiry), bytes };
  } catch (error) {
    if (isOutOfMemory(error)) return undefined;
    throw error;
  }
}

/** Releases reserved bytes early. */
export async function release(redis: Redis, { budget, until, bytes }: Place): Promise<void> {
  try {
    await redis.eval(RELEASE, 1, budgetName(budget), until, bytes);
  } catch (error) {
    // A Redis with full memory refuses this as well; the bytes then become free at their time.
    if (!isOutOfMemory(error)) throw error;
  }
}

/**
 * Stores a value under its name if there is space.
 *
 * @returns false if there is no space
 */
export async function keep(
  redis: Redis,
  name: string,
  value: Buffer | string,
  { budget, seconds }: { budget: Budget; seconds: number },
): Promise<boolean> {
  const place = await reserve(redis, budget, sizeOf(name, value), { seconds, share: 1 / 2 });
  return place !== undefined && write(redis, name, value, { seconds, place });
}

/** @returns false if the memory of Redis is full */
async function write(
  redis: Redis,
  name: string,
  value: Buffer | string,
  { seconds, place }: { seconds: number; place: Place },
): Promise<boolean> {
  try {
    await redis.set(name, value, 'EX', seconds);
    return true;
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await release(redis, place);
    return false;
  }
}

const sizeOf = (name: string, value: Buffer | string): number =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + KEY_BYTES;

/**
 * Stores a value for one reader, who must take it within a minute.
 *
 * @throws Refusal `service_unavailable` if there is no space
 */
export async function handOver(
  redis: Redis,
  value: Buffer | string,
  budget: Budget,
): Promise<HandedOver> {
  const name = `once:${randomUUID()}`;
  const seconds = HANDED_OVER_SECONDS;
  const place = await reserve(redis, budget, sizeOf(name, value), { seconds });
  if (place !== undefined && (await write(redis, name, value, { seconds, place }))) {
    return { name, place };
  }
  throw noRoom();
}

/**
 * Stores a value under its name or, if there is no space, hands it over.
 *
 * @throws Refusal as `handOver` does
 */
export async function keepOrHandOver(
  redis: Redis,
  name: string,
  value: Buffer | string,
  options: { budget: Budget; seconds: number },
): Promise<HandedOver | undefined> {
  if (await keep(redis, name, value, options)) return undefined;
  return handOver(redis, value, options.budget);
}

/**
 * Reads and deletes a value that was handed over; `null` if another reader has taken it or it has
 * expired.
 */
export async function take(redis: Redis, handed: HandedOver): Promise<Buffer | null> {
  const value = await redis.getBuffer(handed.name);
  if (value !== null) await drop(redis, handed);
  return value;
}

/** Deletes a value that was handed over. */
export async function drop(redis: Redis, { name, place }: HandedOver): Promise<void> {
  // Only the reader that deletes the value releases its bytes.
  if ((await redis.del(name)) === 1) await release(redis, place);
}

export const noRoom = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service has no space for more images and files; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );

import { randomUUID } from 'node:crypto';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { primariesOf, type Redis, type SingleRedis } from './redis.ts';

/*
 * Values that callers can have made in any number, such as pictures, take a bounded number of bytes of Redis together.
 *
 *   reserve ──room──▶ kept under its name until it expires
 *      └─no room─▶ handed over: written under a name of its own, for the one reader who waits for it, who deletes it
 *
 * A budget is a hash: bytes by the time at which their values expire. What expires needs no bookkeeping therefore, and
 * bytes whose writer or reader died are free again at their time. Half of a budget is left for what is handed over.
 */

/** The owners of values: those of callers without a workspace never take the bytes of others. */
export type Budget = 'strangers' | 'workspaces' | 'uploads';

/** A value for one reader. */
export interface HandedOver {
  name: string;
  place: Place;
}

/** Bytes that are reserved. */
export interface Place {
  budget: Budget;
  /** When they are free again, in s since 1970. */
  until: number;
  bytes: number;
}

const MIB = 2 ** 20;
/** Most that a budget takes of `maxmemory`. */
const SHARE_OF_MEMORY = { strangers: 1 / 8, workspaces: 1 / 8, uploads: 1 / 4 };
/** Memory of Redis for a key besides its name and value, in bytes. */
const KEY_BYTES = 100;
/** Time for which a value waits for its reader, in s. */
const HANDED_OVER_SECONDS = 60;
const RETRY_S = 10;

const budgetName = (budget: Budget) => `kept:${budget}`;

/*
 * KEYS[1] the budget   ARGV[1] bytes   ARGV[2] limit   ARGV[3] seconds   ARGV[4] when they are free again, or 0
 * Answers when they are free again; 0: there is no room. Times are rounded up to a tenth of the seconds, so that the
 * hash stays small.
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

/* KEYS[1] the budget   ARGV[1] when the bytes would be free   ARGV[2] bytes */
const RELEASE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[2]) <= 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1`;

/** `maxmemory` of a Redis in bytes, 0 for none, and when that was asked. */
const memories = new WeakMap<Redis, { askedAt: number; bytes: Promise<number> }>();
const MEMORY_ASKED_MS = 10_000;

function maxMemoryOf(redis: Redis): Promise<number> {
  let known = memories.get(redis);
  if (known === undefined || known.askedAt + MEMORY_ASKED_MS < Date.now()) {
    known = { askedAt: Date.now(), bytes: askMaxMemory(redis) };
    memories.set(redis, known);
  }
  return known.bytes;
}

/** The least of the nodes: a budget is not spread evenly. */
async function askMaxMemory(redis: Redis): Promise<number> {
  const sizes = await Promise.all(primariesOf(redis).map((one) => maxMemoryOfServer(one)));
  const limits = sizes.filter((size) => size > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

async function maxMemoryOfServer(server: SingleRedis): Promise<number> {
  try {
    return Number(/^maxmemory:(\d+)/m.exec(await server.info('memory'))?.[1] ?? 0);
  } catch {
    // A hosted server may not tell.
    return 0;
  }
}

/** Bytes that the values of a budget may take. */
async function limitOf(redis: Redis, budget: Budget): Promise<number> {
  const { KEPT_MIB, UPLOADS_MIB } = config();
  const limit = (budget === 'uploads' ? UPLOADS_MIB : KEPT_MIB / 2) * MIB;
  const memory = await maxMemoryOf(redis);
  return memory === 0 ? limit : Math.min(limit, memory * SHARE_OF_MEMORY[budget]);
}

/** True for the error of a Redis whose memory others have filled. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /\bOOM\b/.test(error.message);

/**
 * Reserves bytes of a budget.
 *
 * @param seconds time to live of the value
 * @param share of the budget that may be taken
 * @param until of an earlier reservation that this is a part of
 * @returns `undefined` where there is no room
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
    const given = await redis.eval(RESERVE, 1, name, bytes, limit, seconds, until);
    return given === 0 ? undefined : { budget, until: Number(given), bytes };
  } catch (error) {
    if (isOutOfMemory(error)) return undefined;
    throw error;
  }
}

/** Frees reserved bytes before their time. */
export async function release(redis: Redis, { budget, until, bytes }: Place): Promise<void> {
  try {
    await redis.eval(RELEASE, 1, budgetName(budget), until, bytes);
  } catch (error) {
    // A Redis whose memory is full refuses this as well: then the bytes are free at their time.
    if (!isOutOfMemory(error)) throw error;
  }
}

/**
 * Keeps a value under its name, if there is room for it.
 *
 * @returns false where there is no room
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

/** @returns false where others have filled the memory of Redis */
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
 * Writes a value for one reader, who takes it within a minute.
 *
 * @throws Refusal `service_unavailable` where there is no room
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

/** Keeps a value under its name or, where there is no room, hands it over. @throws Refusal as `handOver` does */
export async function keepOrHandOver(
  redis: Redis,
  name: string,
  value: Buffer | string,
  options: { budget: Budget; seconds: number },
): Promise<HandedOver | undefined> {
  if (await keep(redis, name, value, options)) return undefined;
  return handOver(redis, value, options.budget);
}

/** Takes a value that was handed over: `null` when another has taken it, or its time is over. */
export async function take(redis: Redis, handed: HandedOver): Promise<Buffer | null> {
  const value = await redis.getBuffer(handed.name);
  if (value !== null) await drop(redis, handed);
  return value;
}

/** Deletes a value that was handed over. */
export async function drop(redis: Redis, { name, place }: HandedOver): Promise<void> {
  // Of several readers, the one that deletes it frees its bytes.
  if ((await redis.del(name)) === 1) await release(redis, place);
}

export const noRoom = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service has no room for more images and files now; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );

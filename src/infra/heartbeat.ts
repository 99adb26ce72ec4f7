import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { within } from './clock.ts';
import { watchLoop } from './metrics.ts';
import type { Redis } from './redis.ts';
import { VERSION } from './version.ts';

/*
 * Each process regularly writes a heartbeat to Redis. A process that stops in order removes its
 * entry; one that has died, is blocked or has lost Redis becomes silent, and stays in the list for
 * an hour.
 */

/** Redis hash with one field per process. */
const PROCESSES = 'processes';
const HEARTBEAT_MS = 5_000;
/** Time since the last heartbeat after which a process counts as silent, in ms. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** Time for which a silent process stays in the list, in ms. */
const KNOWN_MS = 3_600_000;
/** Time limit for removing the entry of a stopping process, in ms. */
const REMOVE_MS = 500;

interface Heartbeat {
  id: string;
  /** Name of the process in the Procfile. */
  name: string;
  host: string;
  pid: number;
  version: string;
  startedAt: string;
  /** Time of the heartbeat. */
  seenAt: string;
  /** Names of the readiness checks that fail. */
  failing: string[];
  /** Longest delay of the event loop since the previous heartbeat, in ms. */
  eventLoopDelayMs: number;
}

/** State of a process according to its last heartbeat. */
export interface ProcessState extends Heartbeat {
  state: 'ready' | 'not_ready' | 'silent';
}

/**
 * Starts the heartbeats of this process.
 *
 * @param failing returns the names of failing readiness checks
 * @returns a function that stops the heartbeats and removes the process from the list
 */
export function startHeartbeat(
  name: string,
  redis: Redis,
  failing: () => Promise<string[]>,
): () => Promise<void> {
  const [id, startedAt] = [randomUUID(), new Date().toISOString()];
  const { takeDelay } = watchLoop();
  const end = keepEntry(redis, { hash: PROCESSES, field: id, everyMs: HEARTBEAT_MS }, async () => {
    const heartbeat: Heartbeat = {
      id,
      name,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      startedAt,
      failing: await failing(),
      seenAt: new Date().toISOString(),
      eventLoopDelayMs: Math.round(takeDelay()),
    };
    return JSON.stringify(heartbeat);
  });
  forgetSilent(redis).catch(() => {});
  return end;
}

/**
 * Keeps an entry of this process in a hash of Redis: writes it now and at intervals.
 *
 * @param read returns the entry
 * @returns stops it and, unless told otherwise, removes the entry
 */
export function keepEntry(
  redis: Redis,
  { hash, field, everyMs }: { hash: string; field: string; everyMs: number },
  read: () => Promise<string>,
): (isRemoved?: boolean) => Promise<void> {
  let isWriting = false;
  const write = (): void => {
    // While Redis is unavailable, some connections would queue every command.
    if (isWriting || redis.status !== 'ready') return;
    isWriting = true;
    read()
      .then((entry) => redis.hset(hash, field, entry))
      .catch(() => {
        // A later write may succeed.
      })
      .finally(() => {
        isWriting = false;
      });
  };
  write();
  const timer = setInterval(write, everyMs).unref();
  return async (isRemoved = true) => {
    clearInterval(timer);
    if (!isRemoved || redis.status !== 'ready') return;
    await within(REMOVE_MS, redis.hdel(hash, field), 'Redis').catch(() => {});
  };
}

/** Lists all processes that are running or were within the last hour, by name, oldest first. */
export async function listProcesses(redis: Redis): Promise<ProcessState[]> {
  return (await readHeartbeats(redis))
    .filter(isKnown)
    .map((heartbeat) => ({ ...heartbeat, state: stateOf(heartbeat) }))
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.startedAt.localeCompare(b.startedAt));
}

const readHeartbeats = async (redis: Redis): Promise<Heartbeat[]> =>
  (await redis.hvals(PROCESSES)).map((text) => JSON.parse(text) as Heartbeat);

const age = ({ seenAt }: Heartbeat): number => Date.now() - Date.parse(seenAt);
const isKnown = (heartbeat: Heartbeat): boolean => age(heartbeat) < KNOWN_MS;

function stateOf(heartbeat: Heartbeat): ProcessState['state'] {
  if (age(heartbeat) > SILENT_MS) return 'silent';
  return heartbeat.failing.length === 0 ? 'ready' : 'not_ready';
}

async function forgetSilent(redis: Redis): Promise<void> {
  const expired = (await readHeartbeats(redis)).filter((heartbeat) => !isKnown(heartbeat));
  if (expired.length > 0) await redis.hdel(PROCESSES, ...expired.map(({ id }) => id));
}

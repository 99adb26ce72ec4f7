import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { within } from './clock.ts';
import { watchLoop } from './metrics.ts';
import type { Redis } from './redis.ts';
import { VERSION } from './version.ts';

/*
 * Every process says in Redis from time to time that it is there. One that stops in order takes itself out; one that has
 * died, is blocked or has lost Redis falls silent, and stays in the list for an hour.
 */

/** The hash with one field for each process. */
const PROCESSES = 'processes';
const BEAT_MS = 5_000;
/** Time after the last heartbeat from which a process counts as silent, in ms. */
const SILENT_MS = 3 * BEAT_MS;
/** Time for which a silent process is still known, in ms. */
const KNOWN_MS = 3_600_000;
/** Longest time that a stopping process takes to say so, in ms. */
const FAREWELL_MS = 500;

interface Heartbeat {
  id: string;
  /** The Procfile name. */
  name: string;
  host: string;
  pid: number;
  version: string;
  startedAt: string;
  /** Time of the heartbeat. */
  seenAt: string;
  /** Checks of readiness that fail. */
  failing: string[];
  /** Longest time for which the event loop did not turn since the heartbeat before, in ms. */
  eventLoopDelayMs: number;
}

/** A process as its last heartbeat shows it. */
export interface ProcessState extends Heartbeat {
  state: 'ready' | 'not_ready' | 'silent';
}

/**
 * Begins the heartbeats of this process.
 *
 * @param failing names of the checks of readiness that fail
 * @returns ends them, and takes the process out of the list
 */
export function startHeartbeat(
  name: string,
  redis: Redis,
  failing: () => Promise<string[]>,
): () => Promise<void> {
  const [id, startedAt] = [randomUUID(), new Date().toISOString()];
  const { takeDelay } = watchLoop();
  let isBeating = false;
  const beat = async (): Promise<void> => {
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
    await redis.hset(PROCESSES, id, JSON.stringify(heartbeat));
  };
  const tryToBeat = (): void => {
    // While Redis is down, some connections would queue every command.
    if (isBeating || redis.status !== 'ready') return;
    isBeating = true;
    // A lost heartbeat shows by itself.
    beat()
      .catch(() => {})
      .finally(() => {
        isBeating = false;
      });
  };
  tryToBeat();
  forgetSilent(redis).catch(() => {});
  const timer = setInterval(tryToBeat, BEAT_MS).unref();
  return async () => {
    clearInterval(timer);
    if (redis.status !== 'ready') return;
    await within(FAREWELL_MS, redis.hdel(PROCESSES, id), 'Redis').catch(() => {});
  };
}

/** All processes that are running, or were within the last hour; by name, the oldest first. */
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
  const gone = (await readHeartbeats(redis)).filter((heartbeat) => !isKnown(heartbeat));
  if (gone.length > 0) await redis.hdel(PROCESSES, ...gone.map(({ id }) => id));
}

import { randomUUID } from 'node:crypto';
import { keepEntry } from '../infra/heartbeat.ts';
import type { Redis } from '../infra/redis.ts';

/*
 * Redirect processes and the API keep on disk or in memory what Redis does not accept. A process
 * that needs to know when all of that has reached Redis begins a round by incrementing a number
 * there. Each of the other processes acknowledges the latest number once everything that it had
 * accepted is in Redis:
 *
 *   round 7 begins ──▶ every redirect process acknowledges 7
 *     ──▶ what they accepted before round 7 is queued or done
 *
 * Rounds have numbers rather than times, since the clocks of machines differ.
 */

/** Number of the last round. */
const ROUND = 'accepted:round';
/**
 * Hash with an entry for each process: the acknowledged round, and a counter that changes while the
 * process lives.
 */
export const NOTES = 'accepted:notes';
const WRITE_EVERY_MS = 1_000;
/**
 * Time without a change of its entry after which a process counts as lost, with what it had outside
 * Redis, in ms.
 */
const LOST_MS = 5 * 60_000;
/**
 * Pause between two reads of the entries beyond which it is unknown whether processes were silent
 * meanwhile, in ms.
 */
const MAX_PAUSE_MS = 150_000;

/** Processes that accept visits or jobs without Redis. */
export type Acceptor = 'api' | 'redirect';

/**
 * Acknowledges rounds for as long as this process lives.
 *
 * @param isAllQueued true when everything that this process has accepted is in Redis
 * @returns stops it; the entry stays if the process has left something outside Redis
 */
export function acknowledgeRounds(
  acceptor: Acceptor,
  redis: Redis,
  isAllQueued: () => boolean,
): () => Promise<void> {
  const field = `${acceptor}:${randomUUID()}`;
  let [beats, acknowledged] = [0, 0];
  const end = keepEntry(redis, { hash: NOTES, field, everyMs: WRITE_EVERY_MS }, async () => {
    const round = Number((await redis.get(ROUND)) ?? 0);
    if (isAllQueued()) acknowledged = round;
    beats += 1;
    return `${acknowledged} ${beats}`;
  });
  return () => end(isAllQueued());
}

/** Begins rounds, and reads which processes have acknowledged them. */
export class Rounds {
  readonly #redis: Redis;
  readonly #acceptor: Acceptor;
  /**
   * The last entry of each process, and the time since which it is unchanged, in ms of this
   * process.
   */
  readonly #entries = new Map<string, { entry: string; since: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, acceptor: Acceptor) {
    this.#redis = redis;
    this.#acceptor = acceptor;
  }

  /** Begins a round. @returns its number */
  async begin(): Promise<number> {
    return this.#redis.incr(ROUND);
  }

  /**
   * Reads whether all processes have acknowledged a round. Lost processes are removed.
   *
   * @returns `unknown` if Redis has lost the round
   */
  async state(round: number): Promise<'open' | 'acknowledged' | 'unknown'> {
    const last = Number((await this.#redis.get(ROUND)) ?? 0);
    if (last < round) return 'unknown';
    const entries = Object.entries(await this.#redis.hgetall(NOTES)).filter(([field]) =>
      field.startsWith(`${this.#acceptor}:`),
    );
    const lost = this.#lostOf(entries);
    if (lost.length > 0) await this.#redis.hdel(NOTES, ...lost);
    const isOpen = entries.some(([field, entry]) => {
      return Number(entry.split(' ')[0]) < round && !lost.includes(field);
    });
    return isOpen ? 'open' : 'acknowledged';
  }

  #lostOf(entries: readonly (readonly [field: string, entry: string])[]): string[] {
    const now = performance.now();
    if (now - this.#lookedAt > MAX_PAUSE_MS) this.#entries.clear();
    this.#lookedAt = now;
    const lost: string[] = [];
    const present = new Set<string>();
    for (const [field, entry] of entries) {
      present.add(field);
      const last = this.#entries.get(field);
      if (last?.entry !== entry) this.#entries.set(field, { entry, since: now });
      else if (now - last.since > LOST_MS) lost.push(field);
    }
    for (const field of this.#entries.keys()) if (!present.has(field)) this.#entries.delete(field);
    return lost;
  }
}

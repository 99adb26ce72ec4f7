import { randomUUID } from 'node:crypto';
import { within } from '../infra/clock.ts';
import type { Redis } from '../infra/redis.ts';

/*
 * Redirect processes and the API keep on disk or in memory what Redis does not take. Whoever misses something that may be
 * there begins a round: it counts up a number in Redis. Each of these processes notes the latest number whenever everything
 * that it accepted is in Redis:
 *
 *   round 7 begins ──▶ redirect notes 7, redirect notes 7 ──▶ what was accepted before round 7 is in queues, or done
 *
 * Numbers rather than times, because clocks of machines differ.
 */

/** The number of the last round. */
const ROUND = 'accepted:round';
/** The hash of notes, one for each process: the round, and a number that changes while the process lives. */
const NOTES = 'accepted:notes';
const NOTE_EVERY_MS = 1_000;
/** Longest time that a stopping process takes to delete its note, in ms. */
const FAREWELL_MS = 500;
/** Time without a new note after which a process counts as lost, with what it had outside Redis, in ms. */
const LOST_MS = 5 * 60_000;
/** Pause between two looks at the notes after which it is unknown whether processes were silent meanwhile, in ms. */
const LONGEST_PAUSE_MS = 150_000;

/** The processes that accept something without Redis. */
export type Acceptor = 'api' | 'redirect';

/**
 * Notes rounds for as long as this process lives.
 *
 * @param isAllQueued true when everything that this process has accepted is in Redis
 * @returns ends it; the note of a process that has left something outside Redis stays
 */
export function noteRounds(
  acceptor: Acceptor,
  redis: Redis,
  isAllQueued: () => boolean,
): () => Promise<void> {
  const field = `${acceptor}:${randomUUID()}`;
  let [beats, noted, isNoting] = [0, 0, false];
  const note = async (): Promise<void> => {
    const round = Number((await redis.get(ROUND)) ?? 0);
    if (isAllQueued()) noted = round;
    beats += 1;
    await redis.hset(NOTES, field, `${noted} ${beats}`);
  };
  const tryToNote = (): void => {
    // While Redis is away, some connections would keep every command.
    if (isNoting || redis.status !== 'ready') return;
    isNoting = true;
    note()
      .catch(() => {
        // Whoever waits for the round waits for the next note.
      })
      .finally(() => {
        isNoting = false;
      });
  };
  tryToNote();
  const timer = setInterval(tryToNote, NOTE_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    if (!isAllQueued() || redis.status !== 'ready') return;
    await within(FAREWELL_MS, redis.hdel(NOTES, field), 'Redis').catch(() => {});
  };
}

/** Begins rounds, and reads what processes noted. */
export class Rounds {
  readonly #redis: Redis;
  readonly #acceptor: Acceptor;
  /** The last note of each process, and since when it is the same, in ms of this process. */
  readonly #notes = new Map<string, { note: string; since: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, acceptor: Acceptor) {
    this.#redis = redis;
    this.#acceptor = acceptor;
  }

  /** @returns the number of the new round */
  async begin(): Promise<number> {
    return this.#redis.incr(ROUND);
  }

  /**
   * Tells whether all processes have noted a round. Those that are lost are forgotten.
   *
   * @returns `unknown` for a round that Redis has lost
   */
  async state(round: number): Promise<'open' | 'noted' | 'unknown'> {
    const last = Number((await this.#redis.get(ROUND)) ?? 0);
    if (last < round) return 'unknown';
    const notes = Object.entries(await this.#redis.hgetall(NOTES)).filter(([field]) =>
      field.startsWith(`${this.#acceptor}:`),
    );
    const lost = this.#lostOf(notes);
    if (lost.length > 0) await this.#redis.hdel(NOTES, ...lost);
    const isOpen = notes.some(([field, note]) => {
      return Number(note.split(' ')[0]) < round && !lost.includes(field);
    });
    return isOpen ? 'open' : 'noted';
  }

  #lostOf(notes: readonly (readonly [field: string, note: string])[]): string[] {
    const now = performance.now();
    if (now - this.#lookedAt > LONGEST_PAUSE_MS) this.#notes.clear();
    this.#lookedAt = now;
    const lost: string[] = [];
    const present = new Set<string>();
    for (const [field, note] of notes) {
      present.add(field);
      const known = this.#notes.get(field);
      if (known?.note !== note) this.#notes.set(field, { note, since: now });
      else if (now - known.since > LOST_MS) lost.push(field);
    }
    for (const field of this.#notes.keys()) if (!present.has(field)) this.#notes.delete(field);
    return lost;
  }
}

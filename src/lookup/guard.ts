import type { Redis } from '../infra/redis.ts';
import { CHANGED } from './publish.ts';

const BEAT_MS = 250;
/** A beat proves that everything announced before it was sent has arrived; this long that is proof enough. */
const PROOF_MS = 1_000;
/** A subscriber that brings nothing for so long has lost its connection without noticing. */
const SILENCE_MS = 5_000;

/** What the guard tells its owner. */
export interface GuardEvents {
  /** Something was changed; names as in `publish.ts`. */
  changed(names: string[]): void;
  /** Invalidations arrive (again); some may have been missed before. */
  gained(): void;
  lost(): void;
  /** Every beat. */
  tick(now: number): void;
}

/*
 * Knows whether invalidations reach this process.
 *
 *   lost ──a beat comes back──▶ held ──no beat for PROOF_MS, or the subscriber's connection closes──▶ lost
 *
 * A beat is the present time, published on a channel of this process and received on the connection that
 * brings invalidations: messages keep their order, so a beat vouches for all that went before it. Its own
 * time counts, not that of its arrival, so that a slow connection is no proof.
 */
export class Guard {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #channel: string;
  readonly #events: GuardEvents;
  readonly #timer: NodeJS.Timeout;
  #heldUntil = 0;
  #lastMessage = 0;
  #isHeld = false;

  /** @param subscriber a connection of its own that does not subscribe again by itself */
  constructor(commands: Redis, subscriber: Redis, instance: string, events: GuardEvents) {
    this.#commands = commands;
    this.#subscriber = subscriber;
    this.#channel = `hb:${instance}`;
    this.#events = events;
    subscriber.on('message', (channel: string, message: string) => {
      this.#lastMessage = performance.now();
      if (channel === CHANGED) events.changed(message.split('\n'));
      else this.#receive(Number(message));
    });
    subscriber.on('ready', () => this.#subscribe());
    subscriber.on('close', () => this.#lose());
    if (subscriber.status === 'ready') this.#subscribe();
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  /** True while nothing that was changed can have escaped this process. `now` is `performance.now()`. */
  holds(now: number): boolean {
    return now < this.#heldUntil;
  }

  /** When it was lost, on the clock of `performance.now()`; meaningful while it does not hold. */
  get lostAt(): number {
    return this.#heldUntil;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isHeld = false;
    this.#heldUntil = 0;
  }

  #subscribe(): void {
    this.#lastMessage = performance.now();
    // In one command, so that no beat can arrive before invalidations do.
    this.#subscriber.subscribe(CHANGED, this.#channel).then(
      () => this.#publish(),
      () => {
        // The connection broke again: the next one subscribes. Until then no beat arrives.
      },
    );
  }

  #beat(): void {
    const now = performance.now();
    if (this.#isHeld && !this.holds(now)) this.#lose();
    if (this.#subscriber.status === 'ready' && now - this.#lastMessage > SILENCE_MS) {
      this.#lastMessage = now;
      this.#subscriber.disconnect(true);
    }
    this.#events.tick(now);
    this.#publish();
  }

  #publish(): void {
    if (this.#commands.status !== 'ready') return;
    this.#commands.publish(this.#channel, String(performance.now())).catch(() => {
      // Then it does not come back, which is all that counts.
    });
  }

  #receive(sentAt: number): void {
    const now = performance.now();
    const heldUntil = sentAt + PROOF_MS;
    if (heldUntil <= now) return;
    // Asked of the clock and not of #isHeld: the proof may have run out since the last beat.
    if (!this.holds(now)) {
      this.#isHeld = true;
      this.#events.gained();
    }
    this.#heldUntil = heldUntil;
  }

  #lose(): void {
    this.#heldUntil = Math.min(this.#heldUntil, performance.now());
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#events.lost();
  }
}

import type { Redis } from 'ioredis';
import type { RefusalData } from '../errors.ts';

/** The outcome of a job. */
export type Outcome<Result = unknown> =
  | { result: Result }
  | { refused: RefusalData }
  | { fault: true };

/** Address at which every waiting process hears: for jobs that several may wait for. */
export const EVERYBODY = 'everybody';

const replyChannel = (address: string) => `reply:${address}`;

/** Tells the process that waits for a job how it ended. */
export async function reply(
  redis: Redis,
  address: string,
  jobId: string,
  outcome: Outcome,
): Promise<void> {
  await redis.publish(replyChannel(address), JSON.stringify({ jobId, ...outcome }));
}

/**
 * Waits for the outcomes of jobs over one subscription, however many jobs there are. `expect` before `add`:
 * ids are made first, so no answer can be missed.
 */
export class Replies {
  /** Goes into `add` as `replyTo`. */
  readonly address: string;
  readonly #subscriber: Redis;
  /** By job: several requests may wait for one. */
  readonly #waiting = new Map<string, Set<(outcome?: Outcome) => void>>();

  private constructor(subscriber: Redis, address: string) {
    this.#subscriber = subscriber;
    this.address = address;
  }

  /** @param subscriber a connection that is used for nothing else; ioredis subscribes again after a break */
  static async open(subscriber: Redis, address: string): Promise<Replies> {
    const replies = new Replies(subscriber, address);
    subscriber.on('message', (_channel: string, message: string) => {
      const { jobId, ...outcome } = JSON.parse(message) as { jobId: string } & Outcome;
      for (const finish of replies.#waiting.get(jobId) ?? []) finish(outcome);
    });
    await subscriber.subscribe(replyChannel(address), replyChannel(EVERYBODY));
    return replies;
  }

  /** Starts waiting for a job; resolves with `undefined` when it has not ended after `ms` milliseconds. */
  expect<Result>(
    jobId: string,
    ms: number,
  ): { outcome: Promise<Outcome<Result> | undefined>; cancel(): void } {
    const waiting = this.#waiting.get(jobId) ?? new Set();
    this.#waiting.set(jobId, waiting);
    let finish: (outcome?: Outcome) => void = () => {};
    const outcome = new Promise<Outcome<Result> | undefined>((resolve) => {
      const timer = setTimeout(() => finish(), ms);
      finish = (value) => {
        clearTimeout(timer);
        waiting.delete(finish);
        if (waiting.size === 0 && this.#waiting.get(jobId) === waiting) this.#waiting.delete(jobId);
        resolve(value as Outcome<Result> | undefined);
      };
    });
    waiting.add(finish);
    return { outcome, cancel: () => finish() };
  }

  /** Ends all waiting: no outcome is known. */
  giveUp(): void {
    for (const waiting of this.#waiting.values()) {
      for (const finish of waiting) finish();
    }
  }

  async close(): Promise<void> {
    this.giveUp();
    await this.#subscriber.quit().catch(() => {});
  }
}

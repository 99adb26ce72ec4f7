import type { RefusalData } from '../errors.ts';
import { type Packed, pack, unpack } from '../infra/packed.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { onMessage, publish, subscribe } from '../infra/redis-channels.ts';

/** The outcome of a job. */
export type Outcome<Result = unknown> =
  | { result: Result }
  | { refused: RefusalData }
  | { fault: true };

/** Texts of lists: each is needed for the row of its job, and for the reply. */
const texts = new WeakMap<object, string>();

/** An outcome as text, in which a list of records is packed. */
export function encodeOutcome(outcome: Outcome): string {
  if (!('result' in outcome) || !Array.isArray(outcome.result)) return JSON.stringify(outcome);
  const list: unknown[] = outcome.result;
  let text = texts.get(list);
  if (text === undefined) {
    const packed = pack(list);
    text = JSON.stringify(packed === undefined ? outcome : { packed });
    texts.set(list, text);
  }
  return text;
}

/** The outcome that {@link encodeOutcome} was given. */
export function decodeOutcome<Some extends Outcome>(text: string): Some {
  const outcome = JSON.parse(text) as Some | { packed: Packed };
  return 'packed' in outcome ? ({ result: unpack(outcome.packed) } as Some) : outcome;
}

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
  await publish(redis, replyChannel(address), `${jobId}\n${encodeOutcome(outcome)}`);
}

/**
 * Waits for the outcomes of jobs over one subscription, however many jobs there are. `expect` before `add`:
 * ids are made first, so no answer can be missed.
 */
export class Replies {
  /** Goes into `add` as `replyTo`. */
  readonly address: string;
  readonly #subscriber: SingleRedis;
  /** By job: several requests may wait for one. */
  readonly #waiting = new Map<string, Set<(outcome?: Outcome) => void>>();

  private constructor(subscriber: SingleRedis, address: string) {
    this.#subscriber = subscriber;
    this.address = address;
  }

  /** @param subscriber a connection that is used for nothing else, of `connectSubscriber` */
  static async open(subscriber: SingleRedis, address: string): Promise<Replies> {
    const replies = new Replies(subscriber, address);
    onMessage(subscriber, (_channel, message) => {
      const end = message.indexOf('\n');
      const waiting = replies.#waiting.get(message.slice(0, end));
      if (waiting === undefined) return;
      const outcome = decodeOutcome<Outcome>(message.slice(end + 1));
      for (const finish of waiting) finish(outcome);
    });
    const listen = () => subscribe(subscriber, replyChannel(address), replyChannel(EVERYBODY));
    await listen();
    subscriber.on('ready', () => {
      listen().catch(() => {
        // The connection broke again: the next one subscribes.
      });
    });
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

  close(): void {
    this.giveUp();
    this.#subscriber.disconnect();
  }
}

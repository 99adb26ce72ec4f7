import { Refusal, type RefusalData } from '../errors.ts';
import { memoize } from '../infra/memoize.ts';
import { type Packed, pack, unpack } from '../infra/packed.ts';
import type { Redis, SingleRedis } from '../infra/redis.ts';
import { onMessage, publish, subscribe } from '../infra/redis-channels.ts';

/** The outcome of a job. */
export type Outcome<Result = unknown> =
  | { result: Result }
  | { refused: RefusalData }
  | { fault: true };

/** Encodes a list once, because the row of its job and the reply both need it. */
const encodeList = memoize((list: readonly unknown[]) => {
  const packed = pack(list);
  return JSON.stringify(packed === undefined ? { result: list } : { packed });
}, new WeakMap());

/** Encodes an outcome as text; lists of records are packed. */
export const encodeOutcome = (outcome: Outcome): string =>
  'result' in outcome && Array.isArray(outcome.result)
    ? encodeList(outcome.result)
    : JSON.stringify(outcome);

/** Decodes the text of {@link encodeOutcome}. */
export function decodeOutcome<Some extends Outcome>(text: string): Some {
  const outcome = JSON.parse(text) as Some | { packed: Packed };
  return 'packed' in outcome ? ({ result: unpack(outcome.packed) } as Some) : outcome;
}

/** Makes the refusal in an outcome. */
export function refusalFrom(
  { code, message, retryAfterSeconds }: RefusalData,
  isReplayed = false,
): Refusal {
  return new Refusal(code, message, { isReplayed, retryAfterSeconds });
}

/** Address that all waiting processes subscribe to, for jobs that several may wait for. */
export const EVERYBODY = 'everybody';

const replyChannel = (address: string) => `reply:${address}`;

/** Sends the outcome of a job to the process that waits for it. */
export async function reply(
  redis: Redis,
  address: string,
  jobId: string,
  outcome: Outcome,
): Promise<void> {
  await publish(redis, replyChannel(address), `${jobId}\n${encodeOutcome(outcome)}`);
}

/**
 * Waits for the outcomes of any number of jobs over one subscription. `expect` comes before `add`,
 * so that no reply can be missed; job ids are made first.
 */
export class Replies {
  /** The `replyTo` of jobs. */
  readonly address: string;
  readonly #subscriber: SingleRedis;
  /** Callbacks by job, since several requests may wait for one. */
  readonly #waiting = new Map<string, Set<(outcome?: Outcome) => void>>();

  private constructor(subscriber: SingleRedis, address: string) {
    this.#subscriber = subscriber;
    this.address = address;
  }

  /** @param subscriber a connection of its own, of `connectSubscriber` */
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
        // The connection broke again; the next one subscribes.
      });
    });
    return replies;
  }

  /** Waits for a job; resolves with `undefined` if it has not ended after `ms` milliseconds. */
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

  /** Ends all waiting without an outcome. */
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

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../errors.ts';
import { RETRY_S } from '../http/answer-error.ts';

/** Look-ups of one network that wait or run. */
const MOST = 20;
/** After a look-up that failed the next one waits, in ms. */
const PAUSE_MS = 100;

/**
 * Look-ups of keys for networks that have tried many invalid keys: one at a time for each. So a client that shares an
 * address with one that tries keys waits a moment, and is not locked out.
 */
export class SlowLane {
  readonly #lanes = new Map<string, { length: number; end: Promise<void> }>();

  /** @throws Refusal `rate_limit_exceeded` when too many look-ups of the network wait */
  run<Result>(network: string, act: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(network) ?? { length: 0, end: Promise.resolve() };
    if (lane.length >= MOST) {
      throw new Refusal(
        'rate_limit_exceeded',
        `Too many invalid API keys were sent from this IP address; try again in ${RETRY_S} s`,
      );
    }
    this.#lanes.set(network, lane);
    lane.length += 1;
    const done = lane.end.then(act);
    lane.end = done
      .then(
        () => {},
        () => sleep(PAUSE_MS, undefined, { ref: false }),
      )
      .then(() => {
        lane.length -= 1;
        if (lane.length === 0) this.#lanes.delete(network);
      });
    return done;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../errors.ts';
import { RETRY_S } from '../http/answer-error.ts';

/** Maximum number of running and waiting look-ups of one network. */
const MAX_LOOKUPS = 20;
/** Delay of the next look-up after a failed one, in ms. */
const PAUSE_MS = 100;

/**
 * Looks up keys for networks that have tried many invalid keys, one at a time per network. A client
 * that shares an address with an attacker therefore waits a moment, but is not locked out.
 */
export class SlowLane {
  readonly #lanes = new Map<string, { length: number; end: Promise<void> }>();

  /** @throws Refusal `rate_limit_exceeded` when too many look-ups of the network wait */
  run<Result>(network: string, act: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(network) ?? { length: 0, end: Promise.resolve() };
    if (lane.length >= MAX_LOOKUPS) {
      throw new Refusal(
        'rate_limit_exceeded',
        `Too many invalid API keys were sent from this IP address; try again in ${RETRY_S} s`,
      );
    }
    this.#lanes.set(network, lane);
    lane.length += 1;
    const result = lane.end.then(act);
    lane.end = result
      .then(
        () => {},
        () => sleep(PAUSE_MS, undefined, { ref: false }),
      )
      .then(() => {
        lane.length -= 1;
        if (lane.length === 0) this.#lanes.delete(network);
      });
    return result;
  }
}

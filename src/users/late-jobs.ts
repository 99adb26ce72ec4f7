import { Refusal } from '../errors.ts';

/**
 * Age of a request after which nobody waits for its job, in ms. Requests wait for 15 s; clocks of
 * machines differ.
 */
const MAX_AGE_MS = 60_000;

/**
 * Refuses a job that runs long after its request was answered with 503, such as a retried dead
 * letter: it would replace codes by others that nobody has seen, or restore roles that have ended.
 *
 * @param at ISO time of the request
 * @throws Refusal `conflict`
 */
export function refuseLate(at: string): void {
  if (Date.now() - Date.parse(at) > MAX_AGE_MS) {
    throw new Refusal('conflict', 'The request is more than a minute old: send it again');
  }
}

import { resumeAt } from '../webhooks/retries.ts';

/** Pause after the first failure, which doubles with each further one, and its maximum, in ms. */
const PAUSE_MS = { first: 5_000, max: 300_000 };
/** Random share by which a pause varies. */
const JITTER = 0.1;
/** Maximum pause that `Retry-After` can request, in ms. */
const MAX_REQUESTED_MS = 3_600_000;

/**
 * The time of the next attempt after consecutive failures.
 *
 * @param retryAfter the header `Retry-After` of the response: a lower bound, at most an hour
 */
export function retryAt(
  failures: number,
  retryAfter: string | undefined,
  at: Date,
  random: () => number = Math.random,
): Date {
  const pauseMs = Math.min(PAUSE_MS.first * 2 ** (failures - 1), PAUSE_MS.max);
  const jitteredMs = pauseMs * (1 + JITTER * (2 * random() - 1));
  const requestedMs =
    retryAfter === undefined ? 0 : resumeAt(retryAfter, at).getTime() - at.getTime();
  return new Date(at.getTime() + Math.max(jitteredMs, Math.min(requestedMs, MAX_REQUESTED_MS)));
}

/** Delays of the retries after a failed attempt, in seconds. */
const RETRIES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** Share by which a delay is randomly longer or shorter, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** Longest delay that `Retry-After` may ask for, in seconds. */
const MOST_S = 86_400;

/**
 * The time of the next attempt.
 *
 * @param tries attempts that failed so far
 * @param retryAfter the header `Retry-After` of the answer (RFC 9110, 10.2.3): a lower bound of the delay, at most a day
 * @returns `undefined` when that was the last attempt
 */
export function nextAttemptAt(
  tries: number,
  retryAfter: string | undefined,
  at: Date,
  random: () => number = Math.random,
): Date | undefined {
  const wait = RETRIES_S[tries - 1];
  if (wait === undefined) return undefined;
  const own = wait * (1 + JITTER * (2 * random() - 1));
  return new Date(at.getTime() + Math.max(own, requestedDelay(retryAfter, at)) * 1000);
}

function requestedDelay(retryAfter: string | undefined, at: Date): number {
  if (retryAfter === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - at.getTime()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(seconds, MOST_S);
}

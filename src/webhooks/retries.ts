/** Delays of the retries after a failed attempt, in seconds. */
const RETRIES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/**
 * Random share by which a delay varies, so that deliveries that failed together are not retried
 * together.
 */
const JITTER = 0.1;
/** Maximum delay that `Retry-After` can request, in seconds. */
const MAX_DELAY_SECONDS = 86_400;

/**
 * The time of the next attempt.
 *
 * @param tries number of failed attempts
 * @param retryAfter the header `Retry-After` of the answer (RFC 9110, 10.2.3): a lower bound of the
 *   delay, at most a day
 * @returns `undefined` after the last attempt
 */
export function nextAttemptAt(
  tries: number,
  retryAfter: string | undefined,
  at: Date,
  random: () => number = Math.random,
): Date | undefined {
  const wait = RETRIES_S[tries - 1];
  if (wait === undefined) return undefined;
  const delay = wait * (1 + JITTER * (2 * random() - 1));
  return new Date(at.getTime() + Math.max(delay, requestedDelay(retryAfter, at)) * 1000);
}

/** Pause of a receiver that limits its requests without saying for how long, in seconds. */
const PAUSE_S = 5;

/**
 * The time at which a receiver that answered 429 gets requests again.
 *
 * @param retryAfter the header `Retry-After`, which applies from a second up to a day
 */
export function resumeAt(retryAfter: string | undefined, at: Date): Date {
  const seconds = retryAfter === undefined ? PAUSE_S : requestedDelay(retryAfter, at);
  return new Date(at.getTime() + Math.max(seconds, 1) * 1000);
}

function requestedDelay(retryAfter: string | undefined, at: Date): number {
  if (retryAfter === undefined) return 0;
  const seconds = /^\d{1,9}(?:\.\d{1,9})?$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - at.getTime()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(seconds, MAX_DELAY_SECONDS);
}

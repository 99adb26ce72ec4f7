/** When an attempt that failed is made again, in seconds after it: once for each. */
const RETRIES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** Share by which a wait is longer or shorter, so that what failed together does not come again together. */
const JITTER = 0.1;
/** Most that a receiver may ask for, in seconds. */
const MOST_S = 86_400;

/**
 * When to try again.
 *
 * @param tries attempts that failed so far
 * @param retryAfter the header `Retry-After` of the answer (RFC 9110, 10.2.3): we wait as long as it asks, at most a day
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
  return new Date(at.getTime() + Math.max(own, asked(retryAfter, at)) * 1000);
}

function asked(retryAfter: string | undefined, at: Date): number {
  if (retryAfter === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - at.getTime()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(seconds, MOST_S);
}

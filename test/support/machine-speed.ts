/**
 * Duration of {@link work} in ms on the reference machine for time limits of tests (2 cores of an
 * AMD EPYC at 2.25 GHz).
 */
const USUAL_MS = 6;
const ROUNDS = 5;

/** Works with objects, texts and maps, like the validation of requests. */
function work(): number {
  const seen = new Map<string, { at: number; text: string }>();
  for (let at = 0; at < 20_000; at += 1) {
    const key = `key${at % 5_000}`;
    const text = `${seen.get(key)?.text ?? ''}${at}`.slice(-20);
    seen.set(key, { at, text });
  }
  return JSON.stringify([...seen]).length;
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

/**
 * Factor by which a computation now takes longer than on the reference machine, at least 1, since
 * processors are shared and some are slow.
 */
export function slowness(): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.max(1, median(times) / USUAL_MS);
}

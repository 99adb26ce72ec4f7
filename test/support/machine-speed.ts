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
export const slowness = (): number => factorOf(() => performance.now());

/** The same for the processor time of a computation, without the time that it waits. */
export const processorSlowness = (): number => factorOf(() => process.cpuUsage().user / 1_000);

/** @param now reads a clock, in ms */
function factorOf(now: () => number): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = now();
    work();
    return now() - startedAt;
  });
  return Math.max(1, median(times) / USUAL_MS);
}

import { setTimeout as delay } from 'node:timers/promises';
import { stack } from './stack.ts';

const EVERY_MS = 700;

/** Works while processes are killed repeatedly, each time as soon as they are back. */
export async function whileKilling<Result>(
  names: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const { runner, copies } = stack();
  const isDone = new AbortController();
  const killing = (async () => {
    while (!isDone.signal.aborted) {
      for (const name of names.flatMap(copies))
        if (runner.isRunning(name)) runner.kill(name, 'SIGKILL');
      await delay(EVERY_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isDone.abort();
    await killing;
  }
}

/** Begins something a number of times, at intervals, without waiting for the previous one. */
export const staggered = <Result>(
  count: number,
  everyMs: number,
  begin: (n: number) => Promise<Result>,
): Promise<Result[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await delay(n * everyMs);
      return begin(n);
    }),
  );

import { setTimeout as delay } from 'node:timers/promises';
import { stack } from './stack.ts';

const EVERY_MS = 700;

/** Does work while processes are killed again and again, as soon as they are back. */
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

/** Begins something so many times, at intervals, without waiting for the one before. */
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

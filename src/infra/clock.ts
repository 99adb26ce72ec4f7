/** Returns the current time in ms. Tests pass their own clock. */
export type Clock = () => number;

/**
 * Settles like `work`, or rejects with `Timeout` after `ms` milliseconds. The work itself is not
 * stopped. Input that arrived in time counts, even if the event loop was too busy to read it.
 */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    // The event loop runs timers before it reads sockets, and immediates after it.
    const end = () => setImmediate(reject, new Timeout(`${what} took longer than ${ms} ms`));
    timer = setTimeout(end, ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Error of work that took too long. */
export class Timeout extends Error {}

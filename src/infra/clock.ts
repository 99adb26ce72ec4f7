/** Returns the current time in ms. Tests pass their own clock. */
export type Clock = () => number;

/**
 * Settles like `work`, or rejects with `Timeout` after `ms` milliseconds. The work itself is not
 * stopped.
 */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Timeout(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Error of work that took too long. */
export class Timeout extends Error {}

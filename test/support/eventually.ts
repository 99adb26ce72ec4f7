const EVERY_MS = 25;

/**
 * Default time limit, in ms, much longer than anything takes on a quiet machine, since a busy
 * machine is not a defect.
 */
const MAX_MS = 300_000;

/**
 * Retries until the attempt no longer throws, and returns its result.
 *
 * @param ms time limit, after which the last error is thrown
 */
export async function eventually<T>(attempt: () => Promise<T> | T, ms = MAX_MS): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}

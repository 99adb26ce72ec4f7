const EVERY_MS = 25;

/** Much longer than anything takes on a quiet machine: a busy one is no defect. */
const LONGEST_MS = 300_000;

/**
 * Tries until the attempt no longer throws, and answers with what it gave.
 *
 * @param ms how long it is tried; the last error is thrown then
 */
export async function eventually<T>(attempt: () => Promise<T> | T, ms = LONGEST_MS): Promise<T> {
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

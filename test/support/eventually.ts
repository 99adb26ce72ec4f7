const EVERY_MS = 25;

/**
 * Tries until the attempt no longer throws, and answers with what it gave.
 *
 * @param ms how long it is tried; the last error is thrown then
 */
export async function eventually<T>(attempt: () => Promise<T> | T, ms = 5_000): Promise<T> {
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

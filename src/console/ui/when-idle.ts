/**
 * Calls a function when the browser has nothing better to do; Safari doesn't say when.
 *
 * @returns takes that back
 */
export function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const id = requestIdleCallback(run);
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(run);
  return () => clearTimeout(timer);
}

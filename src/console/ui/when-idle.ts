/**
 * Calls a function when the browser is idle; Safari lacks `requestIdleCallback`.
 *
 * @returns a function that cancels the call
 */
export function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const id = requestIdleCallback(run);
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(run);
  return () => clearTimeout(timer);
}

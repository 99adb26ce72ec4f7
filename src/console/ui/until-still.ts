import { whenIdle } from './when-idle.ts';

/** Delay after scrolling before images of rows are loaded, in ms. */
const STILL_MS = 100;

/** Resolves when scrolling has stopped; rejects once the signal has aborted. */
export async function untilStill(signal: AbortSignal): Promise<void> {
  let movedAt = performance.now();
  const onScroll = () => (movedAt = performance.now());
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const restMs = movedAt + STILL_MS - performance.now();
      if (restMs <= 0) return;
      await new Promise<void>((resolve) => setTimeout(whenIdle, restMs, resolve));
    }
  } finally {
    removeEventListener('scroll', onScroll, { capture: true });
  }
}

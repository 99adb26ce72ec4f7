import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/*
 * Browsers only know whether there is a network. A request that gets no answer counts as offline too: queries and
 * mutations pause, the health check is asked until it answers, then they go on.
 */

/** Time between two health checks while the service can't be reached, in ms. */
const PROBE_MS = 2_000;
let probe: ReturnType<typeof setTimeout> | undefined;

/** A request was answered, whatever the answer. */
export function noteSuccess(): void {
  clearTimeout(probe);
  probe = undefined;
  onlineManager.setOnline(true);
}

/** A request got no answer. */
export function noteFailure(): void {
  onlineManager.setOnline(false);
  probe ??= setTimeout(() => void check(), PROBE_MS);
}

async function check(): Promise<void> {
  if (!(await isReachable())) probe = setTimeout(() => void check(), PROBE_MS);
}

async function isReachable(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store' });
    noteSuccess();
    return true;
  } catch {
    return false;
  }
}

/** True while the service can be reached. */
export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

/** Name under which this tab keeps when it was loaded anew for want of a file, in ms since 1970. */
const RELOADED = 'reloaded';
/** Time after a reload within which a file that is still missing counts as gone, in ms. */
const SOON_MS = 30_000;

/**
 * A part of the application that is loaded when it is needed. Without a connection it is waited for, while the rest goes
 * on. One that is gone is of an earlier version: the page is loaded anew, with all of the present one.
 */
export const part =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    for (;;) {
      // Browsers don't ask again for a file that they could not get once.
      if (!onlineManager.isOnline()) await reachable();
      try {
        return await load();
      } catch (error) {
        if (!(await isReachable())) {
          noteFailure();
          continue;
        }
        if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < SOON_MS) throw error;
        sessionStorage.setItem(RELOADED, String(Date.now()));
        location.reload();
        // For as long as that takes.
        await new Promise(() => undefined);
      }
    }
  };

/** Resolves when the service can be reached. */
const reachable = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      resolve();
    });
  });

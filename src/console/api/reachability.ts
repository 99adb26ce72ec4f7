import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/*
 * Browsers know only whether there is a network. Here a request without a response also counts as
 * offline: queries and mutations pause, and resume once the health check responds.
 */

/** Interval of the health check while the service is unreachable, in ms. */
const PROBE_MS = 2_000;
let probe: ReturnType<typeof setTimeout> | undefined;

/** Records that a request received a response of any status. */
export function noteSuccess(): void {
  clearTimeout(probe);
  probe = undefined;
  onlineManager.setOnline(true);
}

/** Records that a request received no response. */
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

/** True while the service is reachable. */
export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

/** Session storage key for the time of a reload caused by a missing file, in ms since 1970. */
const RELOADED = 'reloaded';
/** Time after such a reload within which a missing file counts as an error, in ms. */
const SOON_MS = 30_000;

/**
 * Wraps a lazy import. Without a connection it waits until the service is reachable. A missing file
 * belongs to an earlier version of the console, so the page reloads to get the current one.
 */
export const loadPart =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    for (;;) {
      // Browsers cache a failed import and do not request the file again.
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
        // Stays pending until the reload happens.
        await new Promise(() => undefined);
      }
    }
  };

/** Resolves when the service is reachable. */
const reachable = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      resolve();
    });
  });

import { onlineManager } from '@tanstack/react-query';

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
  try {
    await fetch('/healthz', { cache: 'no-store' });
    noteSuccess();
  } catch {
    probe = setTimeout(() => void check(), PROBE_MS);
  }
}

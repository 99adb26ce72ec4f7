import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';

const SIGN_MS = 1_000;

/** Input of the thread. */
export interface Watched {
  /** One 32-bit number that changes while the event loop runs. */
  signs: SharedArrayBuffer;
  /** Name of the process in the Procfile. */
  name: string;
}

/**
 * Ends this process once its event loop has been blocked for 10 s, so that its supervisor restarts
 * it: a blocked process answers nothing, not even a signal. Native work outside of the event loop
 * (images, hashes, name resolution) is not affected. Nothing is watched if a debugger is attached
 * at the start.
 */
export function startWatchdog(name: string, log: Log): void {
  if (inspectorUrl() !== undefined) return;
  const signs = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(signs, 0, 1), SIGN_MS).unref();
  const watched: Watched = { signs: signs.buffer, name };
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData: watched,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
  thread.on('error', (error) => log.error({ err: error }, 'the watchdog failed'));
}

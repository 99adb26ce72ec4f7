import { parentPort, workerData } from 'node:worker_threads';
import { openFont } from './open-font.ts';
import { FontRefused, outlinesOf, type ReadFont } from './outlines-of.ts';

/* The thread of `font-process.ts`. */

/** Output of the thread. */
export type FontAnswer = { font: ReadFont } | { refused: string };

/** Reads the font. The reason of a refusal completes "<field> …"; a damaged file has none. */
function answer(): FontAnswer {
  try {
    return { font: outlinesOf(openFont(workerData as Uint8Array)) };
  } catch (error) {
    return { refused: error instanceof FontRefused ? error.message : '' };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(answer());

import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { Refusal } from '../errors.ts';
import type { Drawn } from './draw-thread.ts';
import type { drawPicture } from './render/picture.ts';

/**
 * Time limit of a picture, its wait for those before it included, in ms. The watchdog of a process
 * does not see its threads.
 */
const MAX_MS = 30_000;
/** Time without a picture after which the thread ends, in ms. */
const IDLE_MS = 60_000;

type Pool = Piscina<Parameters<typeof drawPicture>, Drawn>;

/**
 * Returns a function that draws as `drawPicture` does, in a thread of its own, for a process whose
 * event loop serves others meanwhile. The thread starts with the first picture.
 */
export const drawInThread = (): typeof drawPicture => drawIn('draw-thread');

/**
 * Like `drawInThread`, with a low priority: for images that nobody waits for, so that they take the
 * processor time that is left.
 */
export const drawInBackground = (): typeof drawPicture => drawIn('background-draw-thread');

function drawIn(thread: string): typeof drawPicture {
  let pool: Promise<Pool> | undefined;
  return async (...args) => {
    pool ??= openPool(thread);
    const signal = AbortSignal.timeout(MAX_MS);
    try {
      const drawn = await (await pool).run(args, { signal });
      if ('refused' in drawn) throw new Refusal(drawn.refused.code, drawn.refused.message);
      return Buffer.from(drawn.bytes);
    } catch (error) {
      throw signal.aborted ? new Error('the picture took too long', { cause: error }) : error;
    }
  };
}

async function openPool(thread: string): Promise<Pool> {
  // Native code that only a thread has loaded would be unloaded with it while its threads run.
  await import('sharp');
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: fileURLToPath(new URL(`./${thread}.js`, import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    execArgv: [],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}

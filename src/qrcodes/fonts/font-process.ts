import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { answerWithinLimits } from '../../images/limited-process.ts';
import type { FontAnswer } from './font-thread.ts';

/*
 * Reads the font on standard input, and writes its outlines as JSON on standard output. This is a
 * separate process, because a font of a kilobyte can refer to a billion points. fontkit reads it in
 * a thread, since the event loop checks the limits.
 */

const THREAD = fileURLToPath(new URL('./font-thread.js', import.meta.url));

await answerWithinLimits(async (file) => {
  const thread = new Worker(THREAD, { workerData: file });
  // An error of the thread, such as a stack or heap that is too large, ends the wait.
  const [answer] = (await once(thread, 'message')) as [FontAnswer];
  if ('refused' in answer) throw new Error(answer.refused);
  return Buffer.from(JSON.stringify(answer.font));
});

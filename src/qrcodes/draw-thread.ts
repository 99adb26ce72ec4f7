import { parentPort } from 'node:worker_threads';
import { Refusal } from '../errors.ts';
import type { Done, Task } from './draw-apart.ts';
import { drawPicture } from './render/picture.ts';

/* The thread of `DrawThread`. */

parentPort!.on('message', (task: Task) => void answer(task));

async function answer(task: Task): Promise<void> {
  const done = await drawn(task);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort!.postMessage(done);
}

async function drawn({ id, args }: Task): Promise<Done> {
  try {
    const [payload, design, format, image] = args;
    // A copy is what arrives of a Buffer: an array of bytes.
    const middle = image && { ...image, png: Buffer.from(image.png) };
    return { id, bytes: await drawPicture(payload, design, format, middle) };
  } catch (error) {
    if (error instanceof Refusal) return { id, refused: error.toJSON() };
    return { id, error: String(error) };
  }
}

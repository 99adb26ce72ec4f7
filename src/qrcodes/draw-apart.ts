import { Worker } from 'node:worker_threads';
import { Refusal, type RefusalData } from '../errors.ts';
import type { drawPicture } from './render/picture.ts';

/** The thread's input. */
export interface Task {
  id: number;
  args: Parameters<typeof drawPicture>;
}

/** The thread's answer. */
export type Done = { id: number } & (
  | { bytes: Uint8Array }
  | { refused: RefusalData }
  | { error: string }
);

interface Waiting {
  resolve(picture: Buffer): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

/** Longest time that a picture may take with those before it, in ms. The watchdog of a process does not see its threads. */
const LONGEST_MS = 30_000;
/** Time after the last picture for which the thread is kept, in ms. */
const KEPT_MS = 60_000;

let thread: Worker | undefined;
let lastId = 0;
let idle: NodeJS.Timeout | undefined;
const waiting = new Map<number, Waiting>();

/**
 * Draws a picture as `drawPicture` does, in a thread of its own, for a process that has other things to do meanwhile. The
 * thread starts with the first picture, and ends when there has been none for a minute.
 */
export async function drawApart(...args: Parameters<typeof drawPicture>): Promise<Buffer> {
  // A library of native code that only a thread has loaded would be unloaded with it while its own threads still run.
  await import('sharp');
  clearTimeout(idle);
  const drawing = (thread ??= start());
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => end(drawing, new Error('the picture took too long')),
      LONGEST_MS,
    );
    waiting.set(id, { resolve, reject, timer });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    drawing.postMessage({ id, args } satisfies Task);
  });
}

function start(): Worker {
  const started = new Worker(new URL('./draw-thread.js', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  started.unref();
  started.on('message', (done: Done) => finish(started, done));
  started.on('error', (error) => end(started, error));
  started.on('exit', () => end(started, new Error('the thread that draws ended')));
  return started;
}

function finish(from: Worker, done: Done): void {
  const task = waiting.get(done.id);
  if (task === undefined) return;
  waiting.delete(done.id);
  clearTimeout(task.timer);
  if ('bytes' in done) task.resolve(Buffer.from(done.bytes));
  else if ('refused' in done) task.reject(new Refusal(done.refused.code, done.refused.message));
  else task.reject(new Error(done.error));
  if (waiting.size === 0) idle = setTimeout(() => end(from), KEPT_MS).unref();
}

/** The next picture starts another thread. */
function end(ended: Worker, error?: unknown): void {
  if (thread !== ended) return;
  thread = undefined;
  void ended.terminate();
  for (const { reject, timer } of waiting.values()) {
    clearTimeout(timer);
    reject(error);
  }
  waiting.clear();
}

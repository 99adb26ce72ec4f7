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

/**
 * A thread that draws pictures, for a process that has other things to do meanwhile. It starts with the first picture, and
 * ends when there has been none for a minute.
 */
export class DrawThread {
  #thread: Worker | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;
  readonly #waiting = new Map<number, Waiting>();

  /** Draws a picture as `drawPicture` does. */
  async draw(...args: Parameters<typeof drawPicture>): Promise<Buffer> {
    // A library of native code that only a thread has loaded would be unloaded with it while its own threads still run.
    await import('sharp');
    clearTimeout(this.#idle);
    const drawing = (this.#thread ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#end(drawing, new Error('the picture took too long')),
        LONGEST_MS,
      );
      this.#waiting.set(id, { resolve, reject, timer });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      drawing.postMessage({ id, args } satisfies Task);
    });
  }

  #start(): Worker {
    const started = new Worker(new URL('./draw-thread.js', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    started.unref();
    started.on('message', (done: Done) => this.#finish(started, done));
    started.on('error', (error) => this.#end(started, error));
    started.on('exit', () => this.#end(started, new Error('the thread that draws ended')));
    return started;
  }

  #finish(from: Worker, done: Done): void {
    const task = this.#waiting.get(done.id);
    if (task === undefined) return;
    this.#waiting.delete(done.id);
    clearTimeout(task.timer);
    if ('bytes' in done) task.resolve(Buffer.from(done.bytes));
    else if ('refused' in done) task.reject(new Refusal(done.refused.code, done.refused.message));
    else task.reject(new Error(done.error));
    if (this.#waiting.size === 0) {
      this.#idle = setTimeout(() => this.#end(from), KEPT_MS).unref();
    }
  }

  /** The next picture starts another thread. */
  #end(ended: Worker, error?: unknown): void {
    if (this.#thread !== ended) return;
    this.#thread = undefined;
    void ended.terminate();
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

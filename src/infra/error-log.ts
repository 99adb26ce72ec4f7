import type { Log } from './log.ts';

const LINE_MS = 1_000;

/**
 * Logs an error that every request repeats during an outage: at most one line per second, with the
 * latest cause and the number of occurrences since the previous line.
 */
export class ErrorLog {
  readonly #log: Log;
  readonly #message: string;
  #count = 0;
  #last: unknown;
  #pause: NodeJS.Timeout | undefined;

  constructor(log: Log, message: string) {
    this.#log = log;
    this.#message = message;
  }

  report(error: unknown, count = 1): void {
    this.#count += count;
    this.#last = error;
    if (this.#pause === undefined) this.#write();
  }

  /** Writes the pending line when the process ends. */
  flush(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#count > 0) this.#write();
  }

  #write(): void {
    this.#log.error({ err: this.#last, count: this.#count }, this.#message);
    this.#count = 0;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#count > 0) this.#write();
    }, LINE_MS).unref();
  }
}

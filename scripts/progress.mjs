// Plain JavaScript: used before anything is installed or built. Compiled code imports it as
// `#progress`.

/** Interval of progress lines, in ms; a terminal updates one line every second. */
const LINE_MS = 5_000;
const TERMINAL_MS = 1_000;

/** Reports the progress of a command to a person, at least every five seconds. */
export class Progress {
  /** @type {NodeJS.WriteStream} */
  #stream;
  /** Running tasks with their start times, oldest first. @type {Map<string, number>} */
  #tasks = new Map();
  #timer;
  /** True while the last line of the terminal can be rewritten. */
  #isOpen = false;

  /** @param {NodeJS.WriteStream} stream standard output or standard error */
  constructor(stream) {
    this.#stream = stream;
  }

  /** Prints a line. */
  line(text) {
    this.#clear();
    this.#stream.write(`${text}\n`);
  }

  /**
   * Reports `title` and the elapsed seconds until `work` is done.
   *
   * @template T
   * @param {string} title
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(title, work) {
    const startedAt = Date.now();
    this.#tasks.set(title, startedAt);
    if (this.#stream.isTTY) this.#show();
    else this.line(`${title} …`);
    this.#timer ??= setInterval(() => this.#show(), this.#stream.isTTY ? TERMINAL_MS : LINE_MS);
    try {
      return await work();
    } finally {
      this.#tasks.delete(title);
      if (this.#stream.isTTY) this.line(`${title}: ${secondsSince(startedAt)} s`);
      if (this.#tasks.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  #show() {
    const tasks = [...this.#tasks].map(([title, at]) => `${title} … ${secondsSince(at)} s`);
    if (!this.#stream.isTTY) {
      this.line(tasks.join(', '));
      return;
    }
    this.#clear();
    // A wrapped line could not be rewritten.
    this.#stream.write(tasks.join(', ').slice(0, (this.#stream.columns || 80) - 1));
    this.#isOpen = true;
  }

  #clear() {
    if (this.#isOpen) this.#stream.write('\r\x1b[K');
    this.#isOpen = false;
  }
}

const secondsSince = (startedAt) => Math.round((Date.now() - startedAt) / 1_000);

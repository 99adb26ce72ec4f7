// Plain JavaScript: used before anything is installed or built. Compiled code imports it as `#progress`.

/** Interval of lines that say how long something takes, in ms; a terminal shows every second in one line. */
const LINE_MS = 5_000;
const TERMINAL_MS = 1_000;

/** Reports to a person what a command does, and for how long: no more than five seconds pass without a sign of it. */
export class Progress {
  /** @type {NodeJS.WriteStream} */
  #stream;
  /** Tasks that run, oldest first, with the time at which each began. @type {Map<string, number>} */
  #tasks = new Map();
  #timer;
  /** True while the last line of the terminal is the one that is rewritten. */
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
   * Reports `title` and the seconds since its start until `work` is done.
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
    // A line that wraps could not be rewritten.
    this.#stream.write(tasks.join(', ').slice(0, (this.#stream.columns || 80) - 1));
    this.#isOpen = true;
  }

  #clear() {
    if (this.#isOpen) this.#stream.write('\r\x1b[K');
    this.#isOpen = false;
  }
}

const secondsSince = (startedAt) => Math.round((Date.now() - startedAt) / 1_000);

const AGAIN_MS = 86_400_000;

/** Limits log lines of a lasting problem to its beginning, its changes, and then one a day. */
export class Seldom {
  readonly #logged = new Map<string, { text: string; at: number }>();

  /**
   * Returns true if `text` is to be logged: it differs from the last line about the subject, or
   * that is a day old.
   */
  isDue(subject: string, text: string): boolean {
    const last = this.#logged.get(subject);
    if (last?.text === text && performance.now() - last.at < AGAIN_MS) return false;
    this.#logged.set(subject, { text, at: performance.now() });
    return true;
  }

  /**
   * Ends the problem of a subject.
   *
   * @returns true if there was one
   */
  end(subject: string): boolean {
    return this.#logged.delete(subject);
  }
}

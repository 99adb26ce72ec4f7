const AGAIN_MS = 86_400_000;

/** Lets a problem that lasts be logged when it begins or changes, and then once a day. */
export class Seldom {
  readonly #logged = new Map<string, { text: string; at: number }>();

  /** True if `text` is to be logged: it is not what was logged last about the subject, or that was a day ago. */
  isDue(subject: string, text: string): boolean {
    const last = this.#logged.get(subject);
    if (last?.text === text && performance.now() - last.at < AGAIN_MS) return false;
    this.#logged.set(subject, { text, at: performance.now() });
    return true;
  }

  /** To be called when the problem of a subject is over. @returns true if it had one */
  end(subject: string): boolean {
    return this.#logged.delete(subject);
  }
}

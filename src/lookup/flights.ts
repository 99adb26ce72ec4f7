/** A look-up that is under way. */
export interface Flight {
  /** What it looks up was changed after it began: the answer may be given, but not remembered. */
  isOvertaken: boolean;
}

interface Running {
  readonly flight: Flight;
  /** Resolves when the look-up has ended, well or not. */
  readonly ended: Promise<void>;
  next: Promise<unknown> | undefined;
}

/**
 * At most one look-up of a name is under way, and at most one waits for its end. Whoever asks joins the one
 * that waits: nobody gets an answer from a look-up that began before the question, because that would miss
 * what was created in between.
 */
export class Flights {
  readonly #running = new Map<string, Running>();

  /** @param look starts the look-up; for one name it must always be the same one */
  ask<T>(name: string, look: (flight: Flight) => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running === undefined) return this.#start(name, look);
    running.next ??= running.ended.then(() => this.#start(name, look));
    return running.next as Promise<T>;
  }

  overtake(name: string): void {
    const running = this.#running.get(name);
    if (running !== undefined) running.flight.isOvertaken = true;
  }

  overtakeAll(): void {
    for (const { flight } of this.#running.values()) flight.isOvertaken = true;
  }

  #start<T>(name: string, look: (flight: Flight) => Promise<T>): Promise<T> {
    const flight: Flight = { isOvertaken: false };
    const result = look(flight);
    const end = () => {
      // The next one, if there is one, takes the place in the map when it starts.
      if (running.next === undefined) this.#running.delete(name);
    };
    const running: Running = { flight, ended: result.then(end, end), next: undefined };
    this.#running.set(name, running);
    return result;
  }
}

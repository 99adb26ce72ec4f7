import type { Runner } from '../../scripts/procfile.ts';

const EVERY_MS = 1_000;

/** Longest delay of a process's event loop, and the share that its own code blocked, in ms. */
export interface LoopTimes {
  delay: number;
  blocked: number;
}

/** Reads the longest delays of each process once a second. */
export class LoopWatch {
  /** Longest times by process. */
  readonly longest = new Map<string, LoopTimes>();
  readonly #runner: Runner;
  #timer: NodeJS.Timeout | undefined;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** Starts reading; the first value is discarded, since it includes the loading of code. */
  async begin(): Promise<void> {
    await this.#readAll();
    this.longest.clear();
    this.#timer = setInterval(() => void this.#readAll(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #readAll(): Promise<void> {
    await Promise.all(this.#runner.names.map((name) => this.#read(name)));
  }

  async #read(name: string): Promise<void> {
    const answer = await fetch(`${this.#runner.healthUrlOf(name)}/metrics`).catch(() => undefined);
    const metrics = (await answer?.text()) ?? '';
    const read = (gauge: string) => {
      const [, seconds] = new RegExp(`^${gauge} (\\S+)$`, 'm').exec(metrics) ?? [];
      return Number(seconds ?? Number.NaN) * 1_000;
    };
    const delay = read('shortlinks_event_loop_delay_max_seconds');
    const blocked = read('shortlinks_event_loop_blocked_max_seconds');
    if (Number.isNaN(delay + blocked)) return;
    const longest = this.longest.get(name) ?? { delay: 0, blocked: 0 };
    this.longest.set(name, {
      delay: Math.max(longest.delay, delay),
      blocked: Math.max(longest.blocked, blocked),
    });
  }
}

import path from 'node:path';
import { withLock } from '#lock';
import { recordUse } from './in-use.ts';
import type { PrivateServer } from './private-server.ts';

/** A private server and its URL. */
export interface Started {
  url: string;
  server: PrivateServer;
}

type Name = 'postgres' | 'redis';

const WATCH_MS = 500;
const MAX_BACKOFF_MS = 10_000;

/**
 * The private servers of a DATA_DIR that this process uses. Commands that share them take turns to
 * start and stop them, and the last one ends them.
 */
export class Stack {
  readonly #dataDir: string;
  readonly #log: (line: string) => void;
  readonly #starts: Partial<Record<Name, () => Promise<Started>>>;
  readonly #started: Partial<Record<Name, Started>> = {};
  #leave: (() => boolean) | undefined;
  #watch: NodeJS.Timeout | undefined;
  #backoffMs = WATCH_MS;
  /** Last reported reason why a server could not be restarted. */
  #reason = '';

  /** @param starts starts or adopts each required server */
  constructor(
    dataDir: string,
    log: (line: string) => void,
    starts: Partial<Record<Name, () => Promise<Started>>>,
  ) {
    this.#dataDir = dataDir;
    this.#log = log;
    this.#starts = starts;
  }

  /** Starts or adopts all servers, or none. */
  async start(): Promise<void> {
    await this.#inTurn(async () => {
      this.#leave = recordUse(this.#dataDir);
      try {
        await this.#ensureAll();
      } catch (error) {
        await this.#end();
        throw error;
      }
    });
  }

  urlOf(name: Name): string | undefined {
    return this.#started[name]?.url;
  }

  /** Restarts servers that end unexpectedly from now on. */
  keepRunning(): void {
    this.#watch = setTimeout(() => void this.#look(), this.#backoffMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#watch);
    await this.#inTurn(() => this.#end());
  }

  /** Ends the servers without waiting for its turn or for them, for a process that ends at once. */
  abandon(): void {
    if (this.#leave?.()) for (const { server } of Object.values(this.#started)) server.end();
  }

  async #ensureAll(): Promise<void> {
    const names = Object.keys(this.#starts) as Name[];
    const results = await Promise.allSettled(
      names.map(async (name) => {
        if (this.#started[name]?.server.isAlive()) return;
        const started = await this.#starts[name]?.();
        if (started) this.#started[name] = started;
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #look(): Promise<void> {
    const dead = Object.entries(this.#started).filter(([, { server }]) => !server.isAlive());
    if (dead.length > 0) await this.#startAgain(dead.map(([name]) => name).join(' and '));
    if (this.#leave) this.keepRunning();
  }

  async #startAgain(names: string): Promise<void> {
    if (this.#reason === '') this.#log(`The private ${names} ended: starting again …`);
    try {
      // After `stop`, this process no longer uses the servers.
      await this.#inTurn(async () => this.#leave && this.#ensureAll());
      if (this.#leave) this.#log(`The private ${names} runs again.`);
      this.#reason = '';
      this.#backoffMs = WATCH_MS;
    } catch (error) {
      const { message } = error as Error;
      // A reason such as a full disk can last for hours, and is logged once.
      if (message !== this.#reason) this.#log(message);
      this.#reason = message;
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    }
  }

  async #end(): Promise<void> {
    const isLast = this.#leave?.() ?? false;
    this.#leave = undefined;
    if (!isLast) return;
    await Promise.all(Object.values(this.#started).map(({ server }) => server.stop()));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return withLock(path.join(this.#dataDir, 'lock'), work, () =>
      this.#log(`Waiting for another command that uses ${this.#dataDir} …`),
    );
  }
}

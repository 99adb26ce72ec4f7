import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupError } from './embedded/setup-error.ts';
import { freePort, isFree } from './ports.ts';
import { yieldProcessor } from './priority.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;
/** A process that lived this long was well: the next backoff is the first one again. */
const WELL_MS = 10_000;
const POLL_MS = 50;
const KEPT_LINES = 10;
/** Most of an answer that is shown, in characters. */
const LONGEST_REASON = 1_000;

interface SupervisedOptions {
  name: string;
  /** Program and arguments, parted by spaces. */
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Leaves the processor to others where it is scarce. */
  yields?: boolean;
  onLine: (line: string) => void;
}

/**
 * One process that is started again when it ends unasked.
 *
 * It is `running`, or `waiting` out the backoff before its next start, until `stop` or `abandon`.
 */
export class Supervised {
  /** Number of restarts. */
  restarts = 0;
  readonly #options: SupervisedOptions;
  readonly #lastLines: string[] = [];
  #child: ChildProcess | undefined;
  #healthPort = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #nextStart: NodeJS.Timeout | undefined;
  #unwanted = false;
  /** Why it was not ready when it was last asked. */
  #notReady = '';

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  /** The number of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get healthUrl(): string {
    return `http://${hostOf(this.#options.env)}:${this.#healthPort}`;
  }

  /** @param healthPort where it is to answer `/readyz` */
  start(healthPort: number): void {
    this.#unwanted = false;
    this.#healthPort = healthPort;
    const { command, cwd, env } = this.#options;
    const [program = '', ...args] = command.split(/ +/);
    const startedAt = Date.now();
    let child: ChildProcess;
    try {
      child = spawn(program === 'node' ? process.execPath : program, args, {
        cwd,
        env: { ...env, HEALTH_PORT: String(healthPort), SUPERVISED: String(process.pid) },
        // A Ctrl-C in the terminal is for us alone, who stop things in order.
        detached: true,
        // Standard input stays open as long as we live.
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      // The machine has no memory, or no descriptors, for another process.
      this.#ended(`could not be run: ${(error as Error).message}`, 0);
      return;
    }
    this.#child = child;
    if (this.restarts > 0) this.#yield();
    // Without descriptors there are no streams either.
    child.stdin?.on('error', () => {});
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('error', () => {});
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#take(line));
    }
    const ended = (how: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#ended(how, Date.now() - startedAt);
    };
    child.once('exit', (code, signal) =>
      ended(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
    // A signal that could not be sent is an error too; without a process there is no exit.
    child.on('error', ({ message }) => {
      if (child.pid === undefined) ended(`could not be run: ${message}`);
    });
  }

  /**
   * Resolves when it answers that it is ready.
   *
   * @throws SetupError with its last lines when it ends before, or isn't ready after `ms` milliseconds
   */
  async ready(ms: number): Promise<void> {
    const deadline = Date.now() + ms;
    while (!(await this.#isReady())) {
      if (this.#unwanted) return;
      if (this.#child === undefined || this.restarts > 0) {
        throw this.#fault('ended before it was ready');
      }
      if (Date.now() > deadline) {
        throw this.#fault(`is not ready after ${ms / 1000} s (${this.#notReady})`);
      }
      await pause(POLL_MS);
    }
    // Not before: somebody waits for its start.
    this.#yield();
  }

  #yield(): void {
    if (this.#options.yields === true) yieldProcessor(this.pid);
  }

  /** Asks it to end, kills it after `ms` milliseconds, resolves when it is gone. */
  async stop(ms: number): Promise<void> {
    this.#unwanted = true;
    clearTimeout(this.#nextStart);
    const child = this.#child;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#take(`did not end within ${ms / 1000} s and was killed`);
      child.kill('SIGKILL');
    }, ms);
    await gone;
    clearTimeout(timer);
  }

  /** Kills it. */
  abandon(): void {
    this.#unwanted = true;
    clearTimeout(this.#nextStart);
    this.#child?.kill('SIGKILL');
  }

  async #isReady(): Promise<boolean> {
    const answer = await ask(`${this.healthUrl}/readyz`);
    if (answer === undefined) this.#notReady = `nothing answers on ${this.healthUrl}`;
    else this.#notReady = `/readyz answers ${answer.status}: ${answer.body}`;
    return answer?.status === 200;
  }

  #ended(how: string, livedMs: number): void {
    if (this.#unwanted) return;
    if (livedMs >= WELL_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    this.#take(`${how}; started again in ${this.#backoffMs} ms`);
    this.#nextStart = setTimeout(() => void this.#restart(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, LONGEST_BACKOFF_MS);
  }

  async #restart(): Promise<void> {
    // Kept where possible: an operator may be watching it.
    const port = (await isFree(this.#healthPort)) ? this.#healthPort : await freePort();
    if (this.#unwanted) return;
    this.restarts += 1;
    this.start(port);
  }

  #take(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift();
    this.#options.onLine(line);
  }

  #fault(what: string): SetupError {
    return new SetupError([`${this.#options.name} ${what}:`, ...this.#lastLines].join('\n  '));
  }
}

/** An address under which a process that listens on HOST can be reached from here. */
function hostOf({ HOST = '' }: NodeJS.ProcessEnv): string {
  if (HOST === '' || HOST === '0.0.0.0' || HOST === '::') return '127.0.0.1';
  return HOST.includes(':') ? `[${HOST}]` : HOST;
}

/** The answer of a server; `undefined` where there is none. */
function ask(url: string): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (body.length < LONGEST_REASON) body += chunk;
      });
      response.once('error', () => resolve(undefined));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

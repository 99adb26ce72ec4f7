import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupError } from './embedded/setup-error.ts';
import { freePort, isFree } from './ports.ts';
import { yieldProcessor } from './priority.ts';

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
/**
 * Lifetime after which a process counts as healthy, in ms: its next backoff is the first one again.
 */
const WELL_MS = 10_000;
const POLL_MS = 50;
const KEPT_LINES = 10;
/** Maximum length of the shown part of an answer, in characters. */
const MAX_REASON_LENGTH = 1_000;

interface SupervisedOptions {
  name: string;
  /** Program and arguments, separated by spaces. */
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Lowers the priority of the process. */
  yields?: boolean;
  onLine: (line: string) => void;
}

/**
 * A process that is restarted when it ends unexpectedly.
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
  /** Reason of the last readiness check that was answered, or that nothing has answered yet. */
  #notReady = '';

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  /** Number of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get healthUrl(): string {
    return `http://${hostOf(this.#options.env)}:${this.#healthPort}`;
  }

  /** @param healthPort port for `/readyz` */
  start(healthPort: number): void {
    this.#unwanted = false;
    this.#healthPort = healthPort;
    this.#notReady = `nothing answers on ${this.healthUrl}`;
    const { command, cwd, env } = this.#options;
    const [program = '', ...args] = command.split(/ +/);
    const startedAt = Date.now();
    let child: ChildProcess;
    try {
      child = spawn(program === 'node' ? process.execPath : program, args, {
        cwd,
        env: { ...env, HEALTH_PORT: String(healthPort), SUPERVISED: String(process.pid) },
        // A separate process group: on Ctrl-C in the terminal, this program stops things in order.
        detached: true,
        // Standard input stays open as long as this process lives.
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      // The machine has no memory or file descriptors for another process.
      this.#ended(`could not be run: ${(error as Error).message}`, 0);
      return;
    }
    this.#child = child;
    if (this.restarts > 0) this.#yield();
    // Without file descriptors there are no streams either.
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
   * Resolves once the process reports that it is ready.
   *
   * @throws SetupError with its last lines, if it ends before or is not ready after `ms`
   *   milliseconds
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
    // Not earlier, while somebody waits for its start.
    this.#yield();
  }

  #yield(): void {
    if (this.#options.yields === true) yieldProcessor(this.pid);
  }

  /** Requests its end, kills it after `ms` milliseconds, and resolves once it is gone. */
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

  /** Kills the process. */
  abandon(): void {
    this.#unwanted = true;
    clearTimeout(this.#nextStart);
    this.#child?.kill('SIGKILL');
  }

  async #isReady(): Promise<boolean> {
    const answer = await ask(`${this.healthUrl}/readyz`);
    if (answer !== undefined) this.#notReady = `/readyz answers ${answer.status}: ${answer.body}`;
    return answer?.status === 200;
  }

  #ended(how: string, livedMs: number): void {
    if (this.#unwanted) return;
    if (livedMs >= WELL_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    this.#take(`${how}; started again in ${this.#backoffMs} ms`);
    this.#nextStart = setTimeout(() => void this.#restart(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }

  async #restart(): Promise<void> {
    // Kept if possible, since an operator may be watching it.
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

/** Returns a local address of a process that listens on HOST. */
function hostOf({ HOST = '' }: NodeJS.ProcessEnv): string {
  if (HOST === '' || HOST === '0.0.0.0' || HOST === '::') return '127.0.0.1';
  return HOST.includes(':') ? `[${HOST}]` : HOST;
}

/** Requests a URL; `undefined` without a response. */
function ask(url: string): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (body.length < MAX_REASON_LENGTH) body += chunk;
      });
      response.once('error', () => resolve(undefined));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

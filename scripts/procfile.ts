import { SetupError } from './embedded/setup-error.ts';
import { freePorts } from './ports.ts';
import { yieldsProcessor } from './priority.ts';
import { Supervised } from './supervised.ts';

/** A line of a Procfile. */
export interface ProcessSpec {
  name: string;
  /**
   * Program and arguments, separated by spaces. There is no shell, so a leading `exec` is removed.
   */
  command: string;
}

/**
 * Parses lines of the form `name: command`; empty lines and those that begin with `#` are ignored.
 *
 * @throws SetupError naming a line of another form
 */
export function parseProcfile(text: string): ProcessSpec[] {
  return text.split('\n').flatMap((line) => {
    if (/^\s*(#|$)/.test(line)) return [];
    const [, name, command] = /^(\w+):\s*(?:exec\s+)?(\S.*)$/.exec(line.trimEnd()) ?? [];
    if (name === undefined || command === undefined) {
      throw new SetupError(`Procfile: "${line}" is not of the form "name: command"`);
    }
    return [{ name, command }];
  });
}

export interface RunnerOptions {
  processes: ProcessSpec[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Receives every line that a process prints. */
  onLine: (name: string, line: string) => void;
  /**
   * Number of instances by process; absent: 1. Several instances are called `redirect.1`,
   * `redirect.2`.
   */
  scale?: Record<string, number>;
  /**
   * Environment variables of single processes, by name: copies of a server need their own ports.
   */
  envOf?: Record<string, Record<string, string>>;
  /** Lowers the priority of workers that nobody waits for. */
  yields?: boolean;
}

/**
 * Much longer than a process itself waits for its servers, so that it can report what it waited
 * for: a machine at load 30 takes minutes to start twelve processes.
 */
const READY_MS = 300_000;
const STOP_MS = 30_000;

const isWorker = (name: string): boolean => name.startsWith('worker_');

/**
 * Runs the processes of a Procfile, and restarts those that end unexpectedly. They end in order
 * when the program that runs them ends, however that happens (`endWithSupervisor` in
 * src/infra/process.ts).
 */
export class Runner {
  readonly #processes: Map<string, Supervised>;
  /** Port of the first process, followed by those of the others; 0: free ones. */
  readonly #firstHealthPort: number;
  #isStopped = false;

  constructor(options: RunnerOptions) {
    const { processes, env, cwd, onLine, scale = {}, envOf = {}, yields = false } = options;
    this.#firstHealthPort = Number(env['HEALTH_PORT'] ?? 0);
    const all = processes.flatMap(({ name, command }) => {
      const count = scale[name] ?? 1;
      const names =
        count === 1 ? [name] : Array.from({ length: count }, (_, i) => `${name}.${i + 1}`);
      return names.map((instance) => ({ name: instance, command }));
    });
    this.#processes = new Map(
      all.map(({ name, command }) => [
        name,
        new Supervised({
          name,
          command,
          cwd,
          env: { ...env, ...envOf[name] },
          yields: yields && yieldsProcessor(name),
          onLine: (line) => onLine(name, line),
        }),
      ]),
    );
  }

  /** Names of all processes, in the order of the Procfile. */
  get names(): string[] {
    return [...this.#processes.keys()];
  }

  /**
   * Starts processes and waits until each is ready.
   *
   * @param names default: all
   * @throws SetupError naming the process that is not ready, with its last lines, after all have
   *   been stopped
   */
  async start(names: readonly string[] = this.names): Promise<void> {
    const first = this.#firstHealthPort;
    const free = first > 0 ? [] : await freePorts(names.length);
    if (this.#isStopped) return;
    const starting = names.map((name) => this.#process(name));
    for (const [i, process] of starting.entries()) {
      process.start(first > 0 ? first + this.names.indexOf(names[i]!) : (free[i] ?? 0));
    }
    try {
      await Promise.all(starting.map((process) => process.ready(READY_MS)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** @throws Error if the process is not running */
  pidOf(name: string): number {
    const { pid } = this.#process(name);
    if (pid === undefined) throw new Error(`${name} is not running`);
    return pid;
  }

  isRunning(name: string): boolean {
    return this.#process(name).pid !== undefined;
  }

  /** Origin of `/healthz`, `/readyz` and `/metrics`: `http://127.0.0.1:port`. */
  healthUrlOf(name: string): string {
    return this.#process(name).healthUrl;
  }

  /** Sends a signal to a process, which is restarted when it ends. */
  kill(name: string, signal: NodeJS.Signals): void {
    process.kill(this.pidOf(name), signal);
  }

  /** Number of restarts of the process. */
  restarts(name: string): number {
    return this.#process(name).restarts;
  }

  /**
   * Ends all processes in order: first those that take requests, which need workers for their
   * answers, then the workers. A process that still runs after 30 s is killed.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...this.#processes];
    for (const isTurn of [true, false]) {
      const turn = all.filter(([name]) => !isWorker(name) === isTurn);
      await Promise.all(turn.map(([, process]) => process.stop(STOP_MS)));
    }
  }

  /** Kills all processes. */
  abandon(): void {
    this.#isStopped = true;
    for (const process of this.#processes.values()) process.abandon();
  }

  #process(name: string): Supervised {
    const process = this.#processes.get(name);
    if (process === undefined) throw new Error(`no process is called "${name}"`);
    return process;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { eventually } from './eventually.ts';

type Line = Record<string, unknown> & { msg?: string };

/** A single process of the Procfile, run by a shell as most process managers do. */
export class OneProcess {
  /** The logged lines. */
  readonly lines: Line[] = [];
  readonly #child: ChildProcess;

  /** @param settings added to the environment; `undefined` removes a variable */
  constructor(name: string, settings: Record<string, string | undefined> = {}) {
    const line = new RegExp(`^${name}: (.*)$`, 'm').exec(readFileSync('Procfile', 'utf8'))![1]!;
    this.#child = spawn('sh', ['-c', line], {
      env: { ...process.env, LOG_LEVEL: 'info', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (text) => {
      this.lines.push(text.startsWith('{') ? (JSON.parse(text) as Line) : { msg: text });
    });
  }

  /** Resolves with the first logged line whose message begins with a text. */
  async logged(message: string): Promise<Line> {
    return eventually(() => {
      const line = this.lines.find(({ msg }) => msg?.startsWith(message));
      expect(line, `"${message}" in ${JSON.stringify(this.lines)}`).not.to.equal(undefined);
      return line!;
    });
  }

  /** Returns the answer of `/readyz`. */
  async readiness(): Promise<{ status: number; body: Record<string, unknown> }> {
    const { healthPort } = await this.logged('ready');
    const answer = await fetch(`http://127.0.0.1:${String(healthPort)}/readyz`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  /** Resolves with the exit code; `null` if a signal ended it. */
  async ended(): Promise<number | null> {
    if (this.#hasEnded) return this.#child.exitCode;
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    return code;
  }

  /** Sends SIGTERM to the started process. @returns the exit code */
  async stop(): Promise<number | null> {
    if (!this.#hasEnded) this.#child.kill('SIGTERM');
    return this.ended();
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

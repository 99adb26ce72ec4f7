import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../scripts/ports.ts';
import type { EventsServer } from './clickhouse-server.ts';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

const PROGRAM = path.join(import.meta.dirname, 'chdb-process.js');

/** The engine of current ClickHouse servers, in a process that answers over HTTP. */
export class ChdbServer implements EventsServer {
  readonly #port: number;
  readonly #installed: string;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-chdb-'));
  #child: ChildProcess | undefined;

  private constructor(port: number, installed: string) {
    this.#port = port;
    this.#installed = installed;
  }

  /**
   * Finds a free port without starting anything.
   *
   * @param installed folder in which npm has installed `chdb`
   */
  static async prepare(installed: string): Promise<ChdbServer> {
    return new ChdbServer(await freePort(), path.resolve(installed));
  }

  get url(): string {
    return `clickhouse://default@127.0.0.1:${this.#port}/default`;
  }

  async start(): Promise<void> {
    const args = [PROGRAM, this.#installed, path.join(this.#folder, 'data'), String(this.#port)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`chDB ended: ${child.exitCode}`);
      await this.#ask('/ping');
    });
  }

  async addDatabase(name: string): Promise<string> {
    await this.#ask('/', `CREATE DATABASE ${name}`);
    return this.url.replace(/default$/, name);
  }

  kill(): Promise<void> {
    return kill(this.#child);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(route: string, body?: string): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}${route}`, {
      method: 'POST',
      body: body ?? '',
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { withoutServers } from './without-servers.ts';

/**
 * `npm start` in a separate folder and on separate ports, as a process that can be sent signals.
 */
export class Started {
  readonly dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-start-'));
  child!: ChildProcess;
  /** Its output so far. */
  output = '';
  /** Key of the demo workspace, which the first start prints. */
  apiKey = '';
  apiPort = 0;
  redirectPort = 0;
  env: NodeJS.ProcessEnv = {};

  /** Resolves once it reports that it is ready. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.spawn(settings);
    await eventually(() => {
      if (this.child.exitCode !== null) throw new Error(`npm start ended:\n${this.output}`);
      expect(this.output).to.contain('Ctrl-C stops everything');
    });
    this.apiKey ||= /API key +(\S+)/.exec(this.output)![1]!;
  }

  /** Resolves with the exit code of a failing start. */
  async fail(settings: Record<string, string> = {}): Promise<number | null> {
    await this.spawn(settings);
    return this.ended();
  }

  async spawn(settings: Record<string, string>): Promise<void> {
    [this.apiPort = 0, this.redirectPort = 0] = await freePorts(2);
    this.output = '';
    this.env = {
      ...withoutServers(),
      DATA_DIR: this.dataDir,
      API_PORT: String(this.apiPort),
      REDIRECT_PORT: String(this.redirectPort),
      ...settings,
    };
    this.child = spawn(process.execPath, ['dist/programs/start.js'], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    }
  }

  /** Its output lines, except for those about its progress. */
  get messages(): string[] {
    return this.output.split('\n').filter((line) => line !== '' && !/…( \d+ s)?$/.test(line));
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }

  /** Number of the private server's process. */
  pidOf(server: 'postgres' | 'redis'): number {
    return Number.parseInt(this.#launchOf(server).identity, 10);
  }

  get redisUrl(): string {
    const password = readFileSync(path.join(this.dataDir, 'redis.password'), 'utf8').trim();
    return `redis://:${password}@127.0.0.1:${this.#launchOf('redis').port}`;
  }

  #launchOf(server: 'postgres' | 'redis'): { port: number; identity: string } {
    return JSON.parse(readFileSync(path.join(this.dataDir, `${server}.json`), 'utf8'));
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended();
  }

  async ended(): Promise<number | null> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once('exit', resolve));
    }
    return child.exitCode;
  }

  /** Stops it and removes its files. */
  async remove(): Promise<void> {
    if (this.child?.exitCode === null) await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRedis } from '#redis-program';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

const program = await findRedis(() => {});
const READY_MS = 30_000;

/** A redis-server process, with files in a folder that is removed when it stops. */
export class RedisNode {
  readonly port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-redis-'));
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  constructor(port: number, settings: readonly string[] = []) {
    this.port = port;
    this.#settings = settings;
  }

  /** Resolves once it answers. It keeps its data over restarts. */
  async start(mode: 'server' | 'sentinel' = 'server'): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const file = path.join(this.#folder, 'redis.conf');
    const common = [`port ${this.port}`, 'bind 127.0.0.1', `dir ${this.#folder}`];
    writeFileSync(file, [...common, ...this.#settings, ''].join('\n'), { flag: 'w' });
    const child = spawn(program.command, [file, ...(mode === 'sentinel' ? ['--sentinel'] : [])], {
      env: { ...process.env, ...program.env },
      stdio: 'ignore',
    });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      await this.cli('ping');
    }, READY_MS);
  }

  /** Runs redis-cli against it. @returns the output */
  async cli(...args: string[]): Promise<string> {
    const command = path.join(path.dirname(program.command), 'redis-cli');
    const { stdout } = await promisify(execFile)(command, ['-p', String(this.port), ...args], {
      env: { ...process.env, ...program.env },
    });
    return stdout.trim();
  }

  /** Kills it, like an accident, or ends it in order. */
  kill(signal?: NodeJS.Signals): Promise<void> {
    return kill(this.#child, signal);
  }

  /** Suspends it until `goOn`, so that it keeps its connections without answering. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Ends a suspension. */
  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

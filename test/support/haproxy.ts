import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

const READY_MS = 10_000;

/** True if the machine has haproxy. */
export const hasHaproxy = (): boolean => spawnSync('haproxy', ['-v']).error === undefined;

/**
 * A haproxy in front of processes of the service, with one port per kind, and one for each redirect
 * process.
 */
export class Haproxy {
  readonly apiPort: number;
  readonly redirectPort: number;
  /** A port for each redirect process, which passes bytes unchanged. */
  readonly redirectPorts: [number, number];
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-haproxy-'));
  #child: ChildProcess | undefined;

  private constructor([apiPort = 0, redirectPort = 0, first = 0, second = 0]: number[]) {
    this.apiPort = apiPort;
    this.redirectPort = redirectPort;
    this.redirectPorts = [first, second];
  }

  /** Finds free ports without starting anything. */
  static async prepare(): Promise<Haproxy> {
    return new Haproxy(await freePorts(4));
  }

  /**
   * Resolves once it accepts connections.
   *
   * @param apis addresses of the API processes
   * @param redirects addresses of the redirect processes
   */
  async start(apis: readonly string[], redirects: readonly string[]): Promise<void> {
    const file = path.join(this.#folder, 'haproxy.cfg');
    writeFileSync(file, this.#configuration(apis, redirects));
    const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'inherit' });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
      const socket = connect(this.apiPort, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    }, READY_MS);
  }

  /**
   * Checks only whether a process is alive: one that is not ready still answers what it can without
   * its servers.
   */
  #configuration(apis: readonly string[], redirects: readonly string[]): string {
    const check = (host: string) =>
      `  option httpchk\n  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host ${host}`;
    const servers = (addresses: readonly string[]) =>
      addresses.map((address, n) => `  server s${n + 1} ${address} check`).join('\n');
    return `
global
  maxconn 4000
  tune.bufsize 131072
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  retries 3
  option redispatch 1
  option abortonclose
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
listen api
  bind 127.0.0.1:${this.apiPort}
  option forwardfor
  balance roundrobin
${check('127.0.0.1')}
${servers(apis)}
listen redirect
  bind 127.0.0.1:${this.redirectPort}
  option forwardfor
  balance roundrobin
${check('127.0.0.1')}
${servers(redirects)}
${redirects
  .map(
    (address, n) => `listen redirect-${n + 1}
  bind 127.0.0.1:${this.redirectPorts[n]}
  mode tcp
  server s1 ${address}
`,
  )
  .join('')}`;
  }

  async stop(): Promise<void> {
    await kill(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

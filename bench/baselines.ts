import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, isFree } from '../scripts/ports.ts';

/** A server under load. */
export interface Target {
  port: number;
  /** Number of the process that answers. */
  pid: number;
}

/** A server that only redirects. */
export interface Baseline extends Target {
  stop(): void;
}

/** Resolution of the processor time that Linux reports, in ms. */
const TICK_MS = 10;
const START_MS = 5_000;

/** Starts a bare node:http server that answers a fixed 302. */
export async function startBare(): Promise<Baseline> {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/bench/bare-server.js', String(port)]);
  await listening(port);
  return { port, pid: child.pid!, stop: () => child.kill() };
}

/** Starts nginx with one worker process and the same answer; `undefined` if it is not installed. */
export async function startNginx(): Promise<Baseline | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      add_header Cache-Control "private, no-store" always;
      return 302 https://example.com/landing/page-1?campaign=autumn;
    }
  }
}
`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await listening(port);
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return {
    port,
    pid: Number(children.trim()),
    stop() {
      child.kill();
      child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

async function listening(port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (await isFree(port)) {
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await pause(20);
  }
}

/**
 * Processor time of a process so far, in ms. @param withEnded includes its child processes that
 * have ended
 */
export function processorMs(pid: number, withEnded = false): number {
  // Fields 14 to 17 of proc(5), counted after the name, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  const ticks = fields.slice(11, withEnded ? 15 : 13);
  return ticks.reduce((sum, count) => sum + Number(count), 0) * TICK_MS;
}

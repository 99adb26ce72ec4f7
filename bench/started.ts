import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { serversEnv, startServers } from '../scripts/embedded/servers.ts';
import { freePort } from '../scripts/ports.ts';
import { reloadConfig } from '../src/config.ts';
import { closeDb, db } from '../src/infra/db.ts';
import { findWorkspace } from '../src/workspaces/queries.ts';
import { proportional, withDescendants } from '../test/support/processes.ts';
import { readVersions } from './service.ts';

/** A service under `npm start`, with all its processes, in a separate folder. */
export interface StartedService {
  pid: number;
  apiUrl: string;
  redirectPort: number;
  /** The demo workspace and its key. */
  projectId: string;
  apiKey: string;
  domainId: string;
  /**
   * Seconds until it was ready, with everything installed and compiled, for the first and the
   * second start in its folder.
   */
  startSeconds: [number, number];
  /**
   * Visits of its redirect process that are safe in the queue so far, and those of them that are in
   * the tables.
   */
  visits(): Promise<{ recorded: number; stored: number }>;
  /** Resolves once all recorded visits are in the tables. */
  drained(): Promise<void>;
}

/** Number of processes of the largest Procfile. */
const MAX_PROCESSES = 16;
const POLL_MS = 100;
/** Time without a newly stored visit after which the wait ends, in ms. */
const STALLED_MS = 60_000;

/** Starts everything with `npm start`, twice, runs a benchmark on it, and removes it. */
export async function withStart<T>(bench: (service: StartedService) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-bench-'));
  const [apiPort, redirectPort, healthPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  Object.assign(process.env, {
    DATA_DIR: dataDir,
    API_PORT: String(apiPort),
    REDIRECT_PORT: String(redirectPort),
    HEALTH_PORT: String(healthPort),
    TRUST_PROXY: '127.0.0.1',
  });
  try {
    const first = await start();
    await first.stop();
    const second = await start();
    // Adopts the running servers.
    const servers = await startServers({ dataDir });
    try {
      Object.assign(process.env, serversEnv(servers));
      reloadConfig();
      await readVersions(servers);
      const demo = await findWorkspace('demo');
      const domain = (await db()('domains').whereNull('project_id').first('id')) as { id: string };
      const ports = Array.from({ length: MAX_PROCESSES }, (_, n) => healthPort + n);
      const visits = await countersOf(ports);
      return await bench({
        pid: second.pid,
        apiUrl: `http://127.0.0.1:${apiPort}`,
        redirectPort,
        projectId: demo!.id,
        apiKey: first.apiKey,
        domainId: domain.id,
        startSeconds: [first.seconds, second.seconds],
        visits,
        async drained() {
          for (let last = -1, since = performance.now(); ; await pause(POLL_MS)) {
            const { recorded, stored } = await visits();
            if (stored >= recorded) return;
            if (stored !== last) [last, since] = [stored, performance.now()];
            if (performance.now() - since > STALLED_MS) {
              throw new Error(`${recorded - stored} of ${recorded} visits are not stored`);
            }
          }
        },
      });
    } finally {
      await closeDb();
      await servers.stop();
      await second.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function start() {
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGTERM'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let apiKey = '';
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      apiKey = /^ {2}API key +(\S+)/.exec(line)?.[1] ?? apiKey;
      if (line.startsWith('Ctrl-C')) return;
    }
    throw new Error('npm start ended before it was ready');
  })();
  await ready;
  child.stdout.resume();
  return {
    pid: child.pid!,
    apiKey,
    seconds: (performance.now() - began) / 1_000,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const RECORDED = /^shortlinks_visits_recorded_total\{where="queue"\S* (\d+)/gm;
const STORED = /^shortlinks_visits_processed_total\{outcome="stored"\S* (\d+)/gm;

/** @param ports possible ports of metrics */
async function countersOf(ports: number[]): Promise<StartedService['visits']> {
  const metricsOf = async (port: number): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    return answer?.ok === true ? answer.text() : '';
  };
  const texts = await Promise.all(ports.map(metricsOf));
  const matching = ports.filter((_, n) => /^# TYPE shortlinks_visits_/m.test(texts[n]!));
  return async () => {
    const text = (await Promise.all(matching.map(metricsOf))).join('\n');
    const sum = (pattern: RegExp) =>
      [...text.matchAll(pattern)].reduce((total, [, count]) => total + Number(count), 0);
    return { recorded: sum(RECORDED), stored: sum(STORED) };
  };
}

/** Memory of a process and its children in MB, by name; shared memory is divided among them. */
export function memoryOf(pid: number): Map<string, number> {
  const megabytes = new Map<string, number>();
  for (const { id, name } of withDescendants(pid)) {
    const label = id === pid ? 'npm start' : name;
    megabytes.set(label, (megabytes.get(label) ?? 0) + proportional(id));
  }
  return megabytes;
}

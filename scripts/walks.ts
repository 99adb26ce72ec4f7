import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'undici';
import { withSingleFiles } from '#programs';
import { reloadConfig } from '../src/config.ts';
import { closeDb, db } from '../src/infra/db.ts';
import { createWorkspace } from '../src/workspaces/commands.ts';
import { serversEnv, startServers } from './embedded/servers.ts';
import { migrateLatest } from './migrations.ts';
import { freePort } from './ports.ts';
import { parseProcfile, Runner } from './procfile.ts';

/*
 * Finds the files that run for a request: the service is started with the inspector of every
 * process open, and V8 reports which functions were called between two moments. A file that is only
 * loaded when its process starts, without a called function, does not count. Functions that a
 * process also calls while no request arrives are background work, and do not count either.
 */

/**
 * Repeats of each request: files that work only while Redis or Postgres is slow are not part of all
 * of them. The four requests take turns, so that one slow second does not fall into all repeats of
 * one.
 */
const ROUNDS = 5;
/** Time without requests in which the background work of every process is recorded, in ms. */
const IDLE_MS = 5_000;

/** The service's own files by walk, as paths from the root. */
export type Walks = Record<'write' | 'read' | 'redirect' | 'click', string[]>;

/** The inspector of one process. */
class Session {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #calls = 0;
  /** Functions of background work, each as its file and place. */
  #background = new Set<string>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    });
  }

  static async open(url: string): Promise<Session> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    const session = new Session(socket);
    await session.#call('Profiler.enable');
    await session.#call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return session;
  }

  /** Takes the functions that were called since the last call of this as background work. */
  async recordBackground(): Promise<void> {
    this.#background = new Set((await this.#called()).map(({ id }) => id));
  }

  /**
   * Returns the service's own files with functions that were called since the last call of this,
   * and are no background work.
   */
  async files(): Promise<Set<string>> {
    const called = await this.#called();
    return new Set(called.filter(({ id }) => !this.#background.has(id)).map(({ file }) => file));
  }

  /** Returns the service's own functions that were called since the last call of this. */
  async #called(): Promise<{ id: string; file: string }[]> {
    const { result } = (await this.#call('Profiler.takePreciseCoverage')) as {
      result: {
        url: string;
        functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
      }[];
    };
    const dist = path.resolve('dist');
    return result
      .filter(({ url }) => url.startsWith('file:'))
      .flatMap(({ url, functions }) => {
        const file = path.relative(dist, fileURLToPath(url)).replace(/\.js$/, '.ts');
        if (!/^(src|workers)\//.test(file)) return [];
        return functions
          .flatMap(({ ranges: [range] }) => (range !== undefined && range.count > 0 ? [range] : []))
          .map(({ startOffset }) => ({ id: `${file}:${startOffset}`, file }));
      });
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

/** The service as callers and visitors see it. */
class Service {
  readonly #apiKey: string;
  readonly #apiPort: number;
  readonly #redirectPort: number;

  constructor(apiKey: string, apiPort: number, redirectPort: number) {
    this.#apiKey = apiKey;
    this.#apiPort = apiPort;
    this.#redirectPort = redirectPort;
  }

  async createLink(key: string): Promise<string> {
    const body = JSON.stringify({ url: 'https://example.com/', key });
    const answer = await this.#send(this.#apiPort, '/links', body);
    return (JSON.parse(answer) as { id: string }).id;
  }

  async readLink(id: string): Promise<void> {
    await this.#send(this.#apiPort, `/links/${id}`);
  }

  async visit(key: string): Promise<void> {
    await this.#send(this.#redirectPort, `/${key}`);
  }

  #send(port: number, target: string, body?: string): Promise<string> {
    const headers = {
      host: 'localhost',
      authorization: `Bearer ${this.#apiKey}`,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const options = { port, path: target, method: body === undefined ? 'GET' : 'POST', headers };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', ...options, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 400) resolve(text);
          else reject(new Error(`${target} answered ${response.statusCode}: ${text}`));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

interface Walk {
  processes: string[];
  /** Runs before the count begins. @returns the id of a link */
  prepare?: (service: Service, key: string) => Promise<string>;
  run(service: Service, key: string, linkId: string): Promise<unknown>;
}

const createLink = (service: Service, key: string) => service.createLink(key);
const visit = (service: Service, key: string) => service.visit(key);

const WALKS: Record<keyof Walks, Walk> = {
  write: { processes: ['api', 'worker_writes'], run: createLink },
  read: { processes: ['api'], prepare: createLink, run: (service, _, id) => service.readLink(id) },
  redirect: { processes: ['redirect'], prepare: createLink, run: visit },
  click: { processes: ['worker_clicks'], prepare: createLink, run: visit },
};
/** Time in which a click is surely stored, in ms. */
const SETTLED_MS = 400;

/** Starts the service, sends the requests, and returns the files of each walk. */
export async function measureWalks(): Promise<Walks> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-walks-'));
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'CACHE_REDIS_URL']) delete process.env[name];
  const servers = await startServers({ dataDir });
  const [apiPort, redirectPort] = [await freePort(), await freePort()];
  const settings = { API_PORT: String(apiPort), REDIRECT_PORT: String(redirectPort) };
  Object.assign(process.env, serversEnv(servers), settings);
  reloadConfig();
  const inspectors = new Map<string, string>();
  const runner = new Runner({
    processes: parseProcfile(withSingleFiles(readFileSync('Procfile', 'utf8'))),
    env: { ...process.env, LOG_LEVEL: 'warn', NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    cwd: process.cwd(),
    onLine(name, line) {
      const url = /Debugger listening on (ws:\S+)/.exec(line)?.[1];
      if (url !== undefined) inspectors.set(name, url);
    },
  });
  const sessions = new Map<string, Session>();
  try {
    await migrateLatest(servers);
    const { apiKey } = await createWorkspace(db(), { slug: 'walks', plan: 'enterprise' });
    await runner.start();
    for (const [name, url] of inspectors) sessions.set(name, await Session.open(url));
    for (const session of sessions.values()) await session.files();
    await pause(IDLE_MS);
    for (const session of sessions.values()) await session.recordBackground();
    const service = new Service(apiKey, apiPort, redirectPort);
    const names = Object.keys(WALKS) as (keyof Walks)[];
    const rounds: Record<keyof Walks, Set<string>>[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const round = {} as Record<keyof Walks, Set<string>>;
      for (const name of names) {
        const walk = WALKS[name];
        const key = `${name}-${n}`;
        const linkId = (await walk.prepare?.(service, key)) ?? '';
        await pause(SETTLED_MS);
        const watched = walk.processes.map((process) => sessions.get(process)!);
        for (const session of watched) await session.files();
        await walk.run(service, key, linkId);
        await pause(SETTLED_MS);
        const files = await Promise.all(watched.map((session) => session.files()));
        round[name] = new Set(files.flatMap((one) => [...one]));
      }
      rounds.push(round);
    }
    const [first, ...others] = rounds;
    const walks: Walks = { write: [], read: [], redirect: [], click: [] };
    for (const name of names) {
      walks[name] = [...first![name]]
        .filter((file) => others.every((round) => round[name].has(file)))
        .toSorted();
    }
    return walks;
  } finally {
    for (const session of sessions.values()) session.close();
    await runner.stop();
    await closeDb();
    await servers.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../../scripts/embedded/servers.ts';
import { closeDb, connectDb, type Knex } from '../../src/infra/db.ts';
import { closeRedis, connectRedis } from '../../src/infra/redis.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { killRedis } from './kill-redis.ts';
import { allowDatabases, redisAdminUrl } from './private-admin.ts';
import { withDescendants } from './processes.ts';
import { type Layout, onOneMachine, type Service, startService } from './service.ts';
import { keepSettings, setSettings } from './settings.ts';
import { withoutServers } from './without-servers.ts';

/** The database of a service. */
interface Database extends Pick<Servers, 'databaseUrl' | 'secretKey' | 'stop'> {
  /** Further settings of the processes. */
  settings?: Record<string, string>;
}

async function startPrivate(dataDir: string): Promise<Database> {
  const servers = await startServers({ dataDir, env: withoutServers() });
  await allowDatabases(servers.databaseUrl, dataDir);
  return servers;
}

/** A service with a workspace. */
export interface Owned {
  service: Service;
  db: Knex;
  projectId: string;
  apiKey: string;
}

/** Sends a POST to the API of a service. @returns the body of the answer */
export async function postTo(
  { service, apiKey }: Pick<Owned, 'service' | 'apiKey'>,
  route: string,
  body: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
): Promise<any> {
  const answer = await fetch(service.apiUrl + route, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${route} answered ${answer.status}`);
  return answer.json();
}

async function freeze(pids: readonly number[], ms: number): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // The process has ended.
      }
    }
  };
  signal('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, ms));
  signal('SIGCONT');
}

/** A whole service, with a workspace, on separate servers that can be stopped one by one. */
export class OwnService {
  service!: Service;
  db!: Knex;
  projectId!: string;
  apiKey!: string;
  /** Folders of Postgres and of Redis; the second is the DATA_DIR of the processes. */
  readonly folders = [0, 1].map(() => mkdtempSync(path.join(tmpdir(), 'shortlinks-chaos-')));
  readonly #startDatabase: (folder: string) => Promise<Database>;
  #postgres!: Database;
  #redis!: Servers;
  #settings: Record<string, string> = {};
  /** Keeps the ports over restarts of the processes. */
  #layout!: Layout;

  /** Restores the settings of this process, which are the service's if it has no other. */
  #restoreSettings: (() => void) | undefined;

  /** @param startDatabase starts Postgres with its data in the folder; default: a private one */
  constructor(startDatabase = startPrivate) {
    this.#startDatabase = startDatabase;
  }

  /** @param procfile as for {@link startService} */
  async start(
    settings: Record<string, string> = {},
    procfile?: Parameters<typeof startService>[2],
  ): Promise<void> {
    await this.prepare(settings);
    this.service = await startService(this.#redis, this.#settings, procfile, this.#layout);
    this.db = connectDb(this.#postgres.databaseUrl, 2, 'chaos');
    const workspace = await createWorkspace(this.db, { slug: 'chaos', plan: 'enterprise' });
    this.projectId = workspace.id;
    this.apiKey = workspace.apiKey;
    await updateWorkspace(this.db, 'chaos', { requestsPerMinute: 0 });
  }

  /** Starts the servers, and chooses ports and settings, without a process or a workspace. */
  async prepare(settings: Record<string, string>): Promise<void> {
    await this.startPostgres();
    await this.startRedis();
    this.#layout = await onOneMachine();
    this.#settings = {
      ...serversEnv(this.#redis),
      CACHE_REDIS_URL: this.#redis.redisUrl,
      DATA_DIR: this.folders[1]!,
      LOG_LEVEL: 'error',
      ...this.#postgres.settings,
      ...settings,
    };
    if (process.env['REDIS_URL'] !== undefined) return;
    this.#restoreSettings = keepSettings();
    setSettings(this.#settings);
  }

  /** Restarts all processes after they were stopped, with some other settings. */
  async startAgain(
    settings: Record<string, string>,
    procfile?: Parameters<typeof startService>[2],
  ): Promise<void> {
    const all = { ...this.#settings, ...settings };
    this.service = await startService(this.#redis, all, procfile, this.#layout);
  }

  /** Environment of a command that works on this service. */
  get commandEnv(): Record<string, string> {
    return this.#settings;
  }

  get redisUrl(): string {
    return this.#redis.redisUrl;
  }

  /** URL for an administrator without restrictions. */
  get redisAdminUrl(): string {
    return redisAdminUrl(this.#redis.redisUrl, this.folders[1]!);
  }

  get secretKey(): string {
    return this.#postgres.secretKey;
  }

  /** Sends a POST to the API. @returns the body of the answer */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  async post(route: string, body: object): Promise<any> {
    return postTo(this, route, body);
  }

  async startPostgres(): Promise<void> {
    this.#postgres = await this.#startDatabase(this.folders[0]!);
  }

  async stopPostgres(): Promise<void> {
    await this.#postgres.stop();
  }

  async startRedis(): Promise<void> {
    const { databaseUrl, secretKey } = this.#postgres;
    this.#redis = await startServers({
      dataDir: this.folders[1]!,
      env: { ...withoutServers(), DATABASE_URL: databaseUrl, SECRET_KEY: secretKey },
    });
  }

  async stopRedis(): Promise<void> {
    await this.#redis.stop();
  }

  /** Kills Redis, like an accident. */
  async killRedis(): Promise<void> {
    await killRedis(this.redisUrl);
    await this.#redis.stop();
  }

  async redisPid(): Promise<number> {
    const redis = connectRedis(this.#redis.redisUrl, 'wait');
    const [, pid] = /process_id:(\d+)/.exec(await redis.info('server'))!;
    redis.disconnect();
    return Number(pid);
  }

  /** Suspends Redis for a time: it keeps its connections without answering. */
  async freezeRedis(ms: number): Promise<void> {
    await freeze([await this.redisPid()], ms);
  }

  postgresPid(): number {
    const [pid] = readFileSync(
      path.join(this.folders[0]!, 'postgres', 'postmaster.pid'),
      'utf8',
    ).split('\n');
    return Number(pid);
  }

  /** Kills Postgres, like an accident; its other processes end by themselves. */
  async killPostgres(): Promise<void> {
    process.kill(this.postgresPid(), 'SIGKILL');
    await this.#postgres.stop();
  }

  /** Suspends Postgres for a time: it keeps its connections without answering. */
  async freezePostgres(ms: number): Promise<void> {
    const pids = withDescendants(this.postgresPid()).map(({ id }) => id);
    await freeze(pids, ms);
  }

  /**
   * Puts a file in place of the spool's folder, so that writes fail as on a full disk. @returns
   * removes it
   */
  blockSpool(): () => void {
    const folder = path.join(this.folders[1]!, 'spool');
    const aside = `${folder}.aside`;
    if (existsSync(folder)) renameSync(folder, aside);
    writeFileSync(folder, '');
    return () => {
      rmSync(folder);
      if (existsSync(aside)) renameSync(aside, folder);
    };
  }

  async stop(): Promise<void> {
    await this.db?.destroy();
    if (this.#restoreSettings !== undefined) await Promise.all([closeDb(), closeRedis()]);
    await this.service?.runner.stop();
    await this.#redis?.stop();
    await this.#postgres?.stop();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
    this.#restoreSettings?.();
  }
}

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../../scripts/embedded/servers.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { connectRedis } from '../../src/infra/redis.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { allowDatabases, redisAdminUrl } from './private-admin.ts';
import { type Service, startService } from './service.ts';
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

/** Sends something to the API of a service. @returns the body of the answer */
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

/** A whole service, with a workspace, on servers of its own, which can be stopped one by one. */
export class OwnService {
  service!: Service;
  db!: Knex;
  projectId!: string;
  apiKey!: string;
  /** Of Postgres, and of Redis: the second is the DATA_DIR of the processes. */
  readonly folders = [0, 1].map(() => mkdtempSync(path.join(tmpdir(), 'shortlinks-chaos-')));
  readonly #startDatabase: (folder: string) => Promise<Database>;
  #postgres!: Database;
  #redis!: Servers;
  #settings: Record<string, string> = {};

  /** @param startDatabase with its data in the folder; without it, a private Postgres */
  constructor(startDatabase = startPrivate) {
    this.#startDatabase = startDatabase;
  }

  /** @param procfile as {@link startService} takes it */
  async start(
    settings: Record<string, string> = {},
    procfile?: Parameters<typeof startService>[2],
  ): Promise<void> {
    await this.startPostgres();
    await this.startRedis();
    this.#settings = {
      ...serversEnv(this.#redis),
      CACHE_REDIS_URL: this.#redis.redisUrl,
      DATA_DIR: this.folders[1]!,
      LOG_LEVEL: 'error',
      ...this.#postgres.settings,
      ...settings,
    };
    this.service = await startService(this.#redis, this.#settings, procfile);
    this.db = connectDb(this.#postgres.databaseUrl, 2, 'chaos');
    const workspace = await createWorkspace(this.db, { slug: 'chaos', plan: 'enterprise' });
    this.projectId = workspace.id;
    this.apiKey = workspace.apiKey;
    await updateWorkspace(this.db, 'chaos', { requestsPerMinute: 0 });
  }

  /** Starts all processes, after they were stopped, with some other settings. */
  async startAgain(
    settings: Record<string, string>,
    procfile?: Parameters<typeof startService>[2],
  ): Promise<void> {
    const all = { ...this.#settings, ...settings };
    this.service = await startService(this.#redis, all, procfile);
  }

  /** Environment of a command line that works on this service. */
  get commandEnv(): Record<string, string> {
    return this.#settings;
  }

  get redisUrl(): string {
    return this.#redis.redisUrl;
  }

  /** For an administrator, whom it lets do everything. */
  get redisAdminUrl(): string {
    return redisAdminUrl(this.#redis.redisUrl, this.folders[1]!);
  }

  get secretKey(): string {
    return this.#postgres.secretKey;
  }

  /** Sends something to the API. @returns the body of the answer */
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

  /** Ends Redis as an accident would. */
  async killRedis(): Promise<void> {
    process.kill(await this.redisPid(), 'SIGKILL');
    await this.#redis.stop();
  }

  async redisPid(): Promise<number> {
    const redis = connectRedis(this.#redis.redisUrl, 'wait');
    const [, pid] = /process_id:(\d+)/.exec(await redis.info('server'))!;
    redis.disconnect();
    return Number(pid);
  }

  /** Redis keeps its connections and answers nothing, for so long. */
  async freezeRedis(ms: number): Promise<void> {
    const pid = await this.redisPid();
    process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(pid, 'SIGCONT');
  }

  /** Puts a file in the place of the spool's folder: nothing can be written there, as on a full disk. @returns its end */
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
    await this.service?.runner.stop();
    await this.#redis?.stop();
    await this.#postgres?.stop();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}

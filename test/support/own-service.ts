import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../../scripts/embedded/servers.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { connectRedis } from '../../src/infra/redis.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import { type Service, startService } from './service.ts';

/** A whole service, with a workspace, on servers of its own, which can be stopped one by one. */
export class OwnService {
  service!: Service;
  db!: Knex;
  projectId!: string;
  apiKey!: string;
  readonly #folders = [0, 1].map(() => mkdtempSync(path.join(tmpdir(), 'shortlinks-chaos-')));
  #postgres!: Servers;
  #redis!: Servers;

  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.startPostgres();
    await this.startRedis();
    this.service = await startService(this.#redis, {
      ...serversEnv(this.#redis),
      CACHE_REDIS_URL: this.#redis.redisUrl,
      DATA_DIR: this.#folders[1]!,
      LOG_LEVEL: 'error',
      ...settings,
    });
    this.db = connectDb(this.#postgres.databaseUrl, 2, 'chaos');
    const workspace = await createWorkspace(this.db, { slug: 'chaos', plan: 'enterprise' });
    this.projectId = workspace.id;
    this.apiKey = workspace.apiKey;
    await updateWorkspace(this.db, 'chaos', { requestsPerMinute: 0 });
  }

  /** Sends something to the API. @returns the body of the answer */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  async post(route: string, body: object): Promise<any> {
    const answer = await fetch(this.service.apiUrl + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${route} answered ${answer.status}`);
    return answer.json();
  }

  async startPostgres(): Promise<void> {
    this.#postgres = await startServers({ dataDir: this.#folders[0]!, env: ownEnv() });
  }

  async stopPostgres(): Promise<void> {
    await this.#postgres.stop();
  }

  async startRedis(): Promise<void> {
    const { databaseUrl, secretKey } = this.#postgres;
    this.#redis = await startServers({
      dataDir: this.#folders[1]!,
      env: { ...ownEnv(), DATABASE_URL: databaseUrl, SECRET_KEY: secretKey },
    });
  }

  async stopRedis(): Promise<void> {
    await this.#redis.stop();
  }

  /** Ends Redis as an accident would. */
  async killRedis(): Promise<void> {
    const redis = connectRedis(this.#redis.redisUrl, 'wait');
    const [, pid] = /process_id:(\d+)/.exec(await redis.info('server'))!;
    redis.disconnect();
    process.kill(Number(pid), 'SIGKILL');
    await this.#redis.stop();
  }

  async stop(): Promise<void> {
    await this.db?.destroy();
    await this.service?.runner.stop();
    await this.#redis?.stop();
    await this.#postgres?.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment without the servers that all other tests share. */
function ownEnv(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, REDIS_URL: __, CACHE_REDIS_URL: ___, ...env } = process.env;
  return env;
}

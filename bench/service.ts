import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../scripts/embedded/servers.ts';
import { migrateLatest } from '../scripts/migrations.ts';
import { freePort } from '../scripts/ports.ts';
import { type ProcessSpec, Runner, type RunnerOptions } from '../scripts/procfile.ts';
import { reloadConfig } from '../src/config.ts';
import { closeDb, db } from '../src/infra/db.ts';
import { connectRedis, redisReady } from '../src/infra/redis.ts';
import { CURRENT_PREFIX } from '../src/lookup/codec.ts';
import { clicks } from '../src/queues/index.ts';
import { Inspector } from '../src/queues/inspect.ts';
import { createApiKey } from '../src/workspaces/api-keys.ts';
import { createWorkspace, updateWorkspace } from '../src/workspaces/commands.ts';
import { findWorkspace } from '../src/workspaces/queries.ts';
import type { Outcome } from './rows.ts';

/** A separate, empty service with the processes that a benchmark needs. */
export interface BenchService {
  servers: Servers;
  apiUrl: string;
  redirectPort: number;
  projectId: string;
  apiKey: string;
  domainId: string;
  /** Starts processes of the Procfile by their commands; they are stopped after the benchmark. */
  run(
    processes: ProcessSpec[],
    env?: Record<string, string>,
    options?: Pick<RunnerOptions, 'yields'>,
  ): Promise<Runner>;
}

/**
 * Starts a service, runs a benchmark on it, and removes it.
 *
 * @param keptIn folder of a service that is kept for the next run
 */
export async function withService<T>(
  bench: (service: BenchService) => Promise<T>,
  keptIn?: string,
): Promise<T> {
  const dataDir = keptIn ?? mkdtempSync(path.join(tmpdir(), 'shortlinks-bench-'));
  const [apiPort, redirectPort] = [await freePort(), await freePort()];
  Object.assign(process.env, {
    DATA_DIR: dataDir,
    API_PORT: String(apiPort),
    REDIRECT_PORT: String(redirectPort),
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '127.0.0.1',
  });
  const servers = await startServers({ dataDir });
  Object.assign(process.env, serversEnv(servers));
  reloadConfig();
  process.once('exit', () => servers.abandon());
  const runners: Runner[] = [];
  try {
    await migrateLatest(servers);
    const existing = await findWorkspace('bench');
    const { id: projectId } =
      existing ?? (await createWorkspace(db(), { slug: 'bench', plan: 'enterprise' }));
    const key = { workspace: 'bench', name: 'bench', scopes: ['*'] };
    const { apiKey } = await createApiKey(db(), key);
    await updateWorkspace(db(), 'bench', { requestsPerMinute: 0 });
    const domain = (await db()('domains').whereNull('project_id').first('id')) as { id: string };
    await readVersions(servers);
    return await bench({
      servers,
      apiUrl: `http://127.0.0.1:${apiPort}`,
      redirectPort,
      projectId,
      apiKey,
      domainId: domain.id,
      async run(processes, env = {}, { yields = true } = {}) {
        const runner = new Runner({
          processes,
          env: { ...process.env, ...env },
          yields,
          cwd: process.cwd(),
          onLine: (name, line) => console.error(`${name} | ${line}`),
        });
        runners.push(runner);
        await runner.start();
        return runner;
      },
    });
  } finally {
    for (const runner of runners) await runner.stop();
    await closeDb();
    await servers.stop();
    if (keptIn === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Versions of the servers that benchmarks of this process started. */
export const versions: Outcome['versions'] = {};

export async function readVersions({ redisUrl }: Servers): Promise<void> {
  const { rows } = await db().raw<{ rows: [{ server_version: string }] }>('SHOW server_version');
  versions.postgres = rows[0].server_version.split(' ')[0]!;
  const redis = connectRedis(redisUrl, 'wait');
  versions.redis = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';
  redis.disconnect();
}

export const REDIRECT: ProcessSpec = {
  name: 'redirect',
  command: 'node --max-semi-space-size=32 dist/programs/redirect.js',
};
export const API: ProcessSpec = { name: 'api', command: 'node dist/programs/api.js' };
export const worker = (name: string): ProcessSpec => ({
  name: `worker_${name}`,
  command: `node dist/programs/worker.js ${name}`,
});

export const SCHEDULER: ProcessSpec = {
  name: 'worker_scheduler',
  command: 'node dist/programs/scheduler.js',
};

/** Removes the visits of a load from the queue; no worker stores them. */
export async function removeVisits({ servers }: BenchService): Promise<void> {
  const redis = connectRedis(servers.redisUrl, 'wait');
  await redisReady(redis);
  const inspector = new Inspector(redis);
  await inspector.clear(clicks);
  await inspector.close();
  redis.disconnect();
}

const LANDING = 'https://example.com/landing?campaign=autumn&page=';

/**
 * Inserts links with the keys `k0`, `k1`, … for a benchmark to visit.
 *
 * @param mark prefix of the keys and part of the ids, for a second workspace
 */
export async function seedLinks(
  { projectId, domainId }: Pick<BenchService, 'projectId' | 'domainId'>,
  count: number,
  mark = '',
): Promise<void> {
  const values = { projectId, domainId, count, mark, url: LANDING };
  const id = `'link_' || CAST(:mark AS text) || lpad(n::text, 24 - length(CAST(:mark AS text)), '0')`;
  await db().raw(
    `INSERT INTO claims (domain_id, key, project_id, record_id, entry)
     SELECT :domainId, CAST(:mark AS text) || 'k' || n, :projectId, ${id},
            CAST(:prefix AS text) || ${id} || E'\\n' || CAST(:projectId AS text) || E'\\n' || :url || n || E'\\n'
       FROM generate_series(0, :count::int - 1) AS n`,
    { ...values, prefix: CURRENT_PREFIX },
  );
  await db().raw(
    `INSERT INTO links (project_id, id, user_id, domain_id, key, url, search_text)
     SELECT :projectId, ${id}, 'user_bench', :domainId, CAST(:mark AS text) || 'k' || n, :url || n,
            CAST(:mark AS text) || 'k' || n || E'\\n' || :url || n
       FROM generate_series(0, :count::int - 1) AS n`,
    values,
  );
  await db().raw('ANALYZE links, claims');
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrations.ts';
import { reloadConfig } from '../../src/config.ts';
import { shareServers } from './global-setup.ts';
import { allowDatabases } from './private-admin.ts';

/*
 * Postgres and Redis for tests that start processes of their own, or none. Where other tests of the
 * run share the service of `stack.ts`, its servers are used instead.
 */

let running: { servers: Servers; dataDir: string } | undefined;

async function start(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-test-'));
  const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'warn', OUTBOUND_ALLOW: '127.0.0.1' };
  Object.assign(process.env, settings);
  const servers = await startServers({ dataDir });
  running = { servers, dataDir };
  await allowDatabases(servers.databaseUrl, dataDir);
  Object.assign(process.env, serversEnv(servers));
  reloadConfig();
  await migrateLatest(servers);
}

async function stop(): Promise<void> {
  if (running === undefined) return;
  await running.servers.stop();
  rmSync(running.dataDir, { recursive: true, force: true });
}

shareServers({ start, stop });

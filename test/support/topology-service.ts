import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { createWorkspace, updateWorkspace } from '../../src/workspaces/commands.ts';
import type { Owned } from './own-service.ts';
import { type Layout, type Service, startService } from './service.ts';
import { Topology } from './topology.ts';

/** A whole service, with a workspace, on separate servers as on several machines. */
export class TopologyService implements Owned {
  topology!: Topology;
  service!: Service;
  db!: Knex;
  projectId!: string;
  apiKey!: string;
  /** Folder of all files, with a subfolder for each machine that has its own. */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-topology-'));

  /** Starts the servers. */
  async prepare(): Promise<Topology> {
    chmodSync(this.folder, 0o755);
    this.topology = await Topology.start(this.folder);
    return this.topology;
  }

  /** Starts the processes and creates the workspace. */
  async start(layout: Layout, settings: Record<string, string> = {}): Promise<void> {
    const { servers, settings: places } = this.topology;
    const all = { ...places, LOG_LEVEL: 'error', WRITE_WAIT_MS: '3000', ...settings };
    this.service = await startService(servers, all, 'Procfile', layout);
    this.db = connectDb(servers.databaseUrl, 2, 'chaos');
    const workspace = await createWorkspace(this.db, { slug: 'chaos', plan: 'enterprise' });
    this.projectId = workspace.id;
    this.apiKey = workspace.apiKey;
    await updateWorkspace(this.db, 'chaos', { requestsPerMinute: 0 });
  }

  async stop(): Promise<void> {
    await this.db?.destroy();
    await this.service?.runner.stop();
    await this.topology?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { config } from '../config.ts';
import type { Db } from '../infra/db.ts';
import { createApiKey } from './api-keys.ts';
import { createWorkspace } from './commands.ts';
import { findWorkspace } from './queries.ts';

const SLUG = 'demo';

/** The demo workspace. */
interface Demo {
  slug: string;
  apiKey: string;
  /** True if this call created the key, so that nobody has seen it. */
  isNew: boolean;
}

/**
 * Returns the demo workspace for newcomers, and its key, creating them on the first call. The key
 * is stored in `DATA_DIR/demo.key`, readable by its owner only, so that the command line can print
 * it again.
 */
export async function ensureDemo(db: Db): Promise<Demo> {
  const file = path.join(config().DATA_DIR, 'demo.key');
  const exists = (await findWorkspace(SLUG, db)) !== undefined;
  if (exists && existsSync(file)) {
    return { slug: SLUG, apiKey: readFileSync(file, 'utf8').trim(), isNew: false };
  }
  const { apiKey } = exists
    ? await createApiKey(db, { workspace: SLUG, name: 'demo key', scopes: ['*'] })
    : await makeDemo(db);
  writeFileSync(file, apiKey, { mode: 0o600 });
  chmodSync(file, 0o600);
  return { slug: SLUG, apiKey, isNew: true };
}

/** Its owner is whoever starts the service, and is its operator. */
function makeDemo(db: Db): Promise<{ apiKey: string }> {
  return db.transaction(async (trx) => {
    const workspace = await createWorkspace(trx, { slug: SLUG, name: 'Demo', plan: 'enterprise' });
    const owner = trx('workspace_users').where({ project_id: workspace.id }).select('user_id');
    await trx('users').whereIn('id', owner).update({ is_operator: true });
    return workspace;
  });
}

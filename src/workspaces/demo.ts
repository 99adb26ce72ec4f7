import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { config } from '../config.ts';
import type { Db } from '../infra/db.ts';
import { createApiKey, createWorkspace } from './commands.ts';
import { findWorkspace } from './queries.ts';

const SLUG = 'demo';

/**
 * The workspace that a newcomer tries things in, and its key. Made on the first call; the key is kept in
 * `DATA_DIR/demo.key`, readable by its owner only, so that every start can print it.
 */
export async function ensureDemo(db: Db): Promise<{ slug: string; apiKey: string }> {
  const file = path.join(config().DATA_DIR, 'demo.key');
  const exists = (await findWorkspace(SLUG, db)) !== undefined;
  if (exists && existsSync(file)) return { slug: SLUG, apiKey: readFileSync(file, 'utf8').trim() };
  const { apiKey } = exists
    ? await createApiKey(db, { workspace: SLUG, name: 'demo key', scopes: ['*'] })
    : await createWorkspace(db, { slug: SLUG, name: 'Demo', plan: 'enterprise' });
  writeFileSync(file, apiKey, { mode: 0o600 });
  chmodSync(file, 0o600);
  return { slug: SLUG, apiKey };
}

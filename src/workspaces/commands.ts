import { customAlphabet } from 'nanoid';
import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Db } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { hashApiKey } from '../infra/secrets.ts';
import { encodeWorkspace } from '../lookup/entry.ts';
import { publish, workspaceName } from '../lookup/publish.ts';
import type { Plan } from './plans.ts';
import { findWorkspace, type Workspace } from './queries.ts';

// 32 characters of 62 are 190 bits: nothing that a guess could find.
const randomKey = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  32,
);

/**
 * Makes a workspace with its owner and a first key that may do everything.
 *
 * @throws Refusal `conflict` when the slug is taken
 */
export async function createWorkspace(
  db: Db,
  { slug, name = slug, plan, email = `owner@${slug}.invalid` }: NewWorkspace,
): Promise<Workspace & { apiKey: string }> {
  return db.transaction(async (trx) => {
    const id = newId('workspace');
    const added = await trx('workspaces')
      .insert({ id, slug, name, plan })
      .onConflict('slug')
      .ignore()
      .returning('id');
    if (added.length === 0) throw new Refusal('conflict', `The workspace slug "${slug}" is taken`);
    const userId = await findOrAddUser(trx, email);
    await trx('workspace_users').insert({ project_id: id, user_id: userId, role: 'owner' });
    const { apiKey } = await createApiKey(trx, {
      workspace: slug,
      name: 'first key',
      scopes: ['*'],
    });
    const workspace = await findWorkspace(slug, trx);
    return { ...workspace!, apiKey };
  });
}

export interface NewWorkspace {
  slug: string;
  name?: string;
  plan: Plan;
  email?: string;
}

async function findOrAddUser(trx: Db, email: string): Promise<string> {
  const found = await trx('users').whereRaw('lower(email) = lower(?)', [email]).first('id');
  if (found !== undefined) return (found as { id: string }).id;
  const id = newId('user');
  await trx('users').insert({ id, email, name: email });
  return id;
}

export interface NewApiKey {
  workspace: string;
  name: string;
  scopes: string[];
  expiresAt?: Date;
  /** A key that exists already; otherwise a new one is drawn. */
  apiKey?: string;
}

/**
 * Makes a key for the owner of a workspace. The key itself is told this once; only its hash is kept.
 *
 * @throws Refusal `not_found` for an unknown workspace
 */
export async function createApiKey(
  db: Db,
  { workspace, name, scopes, expiresAt, apiKey = `sk_${randomKey()}` }: NewApiKey,
): Promise<{ id: string; apiKey: string }> {
  const projectId = await workspaceId(db, workspace);
  const owner = (await db('workspace_users')
    .where({ project_id: projectId, role: 'owner' })
    .first('user_id')) as { user_id: string };
  const id = newId('apiKey');
  await db('api_keys').insert({
    id,
    project_id: projectId,
    user_id: owner.user_id,
    name,
    hash: hashApiKey(apiKey),
    hint: `${apiKey.slice(0, 7)}…`,
    scopes,
    expires_at: expiresAt ?? null,
  });
  return { id, apiKey };
}

/** @throws Refusal `not_found` when the workspace has no such key */
export async function revokeApiKey(db: Db, workspace: string, keyId: string): Promise<void> {
  const projectId = await workspaceId(db, workspace);
  const revoked = await db('api_keys')
    .where({ project_id: projectId, id: keyId })
    .update({ revoked_at: db.fn.now() });
  if (revoked === 0)
    throw new Refusal('not_found', `The workspace "${workspace}" has no key "${keyId}"`);
}

/** What an operator may set on a workspace. */
export interface WorkspaceSettings {
  plan?: Plan;
  name?: string;
  /** Length of the window in which a visitor counts once, in seconds; 0 counts every visit. */
  clickDedupeSeconds?: number;
  keepFullIp?: boolean;
  /** `null`: what the plan allows; 0: no limit. */
  requestsPerMinute?: number | null;
  /** `null`: what the plan keeps; 0: for ever. */
  retentionDays?: number | null;
}

/** @throws Refusal `not_found` for an unknown workspace */
export async function updateWorkspace(
  db: Db,
  slug: string,
  {
    plan,
    name,
    clickDedupeSeconds,
    keepFullIp,
    requestsPerMinute,
    retentionDays,
  }: WorkspaceSettings,
): Promise<Workspace> {
  await workspaceId(db, slug);
  const columns = {
    plan,
    name,
    click_dedupe_seconds: clickDedupeSeconds,
    keep_full_ip: keepFullIp,
    requests_per_minute: requestsPerMinute,
    retention_days: retentionDays,
  };
  // Knex leaves columns alone that are undefined.
  const [row] = (await db('workspaces')
    .where({ slug })
    .update({
      ...columns,
      updated_at: db.fn.now(),
      version: db.raw("nextval('lookup_version')"),
    })
    .returning(['id', 'click_dedupe_seconds', 'version'])) as [
    { id: string; click_dedupe_seconds: number; version: number },
  ];
  if (clickDedupeSeconds === undefined) return (await findWorkspace(slug, db))!;
  const entry = encodeWorkspace({ projectId: row.id, dedupeSeconds: row.click_dedupe_seconds });
  const change = { name: workspaceName(row.id), version: row.version, entry, announce: true };
  await publish(cacheRedis(), [change]);
  return (await findWorkspace(slug, db))!;
}

/** @throws Refusal `not_found` */
export async function workspaceId(db: Db, slug: string): Promise<string> {
  const workspace = await findWorkspace(slug, db);
  if (workspace === undefined) throw new Refusal('not_found', `There is no workspace "${slug}"`);
  return workspace.id;
}

/** Remembers that a key was used. */
export async function touchApiKey(
  db: Db,
  projectId: string,
  keyId: string,
  at: string,
): Promise<void> {
  await db('api_keys').where({ project_id: projectId, id: keyId }).update({ last_used_at: at });
}

import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Db } from '../infra/db.ts';
import { cacheRedis } from '../infra/redis.ts';
import { encodeWorkspace, workspaceName } from '../lookup/codec.ts';
import {
  type ClickIdParameter,
  type QueryConflict,
  type WorkspaceColumns,
  workspaceEntry,
} from '../lookup/entry.ts';
import { type LookupChange, publish, serviceChange } from '../lookup/publish.ts';
import { createApiKey } from './api-keys.ts';
import type { Plan } from './plans.ts';
import { findWorkspace, type Workspace, workspaceId } from './queries.ts';
import type { UtmRules } from './utm-rules.ts';

/**
 * Creates a workspace with its owner and a first key with all scopes.
 *
 * @throws Refusal `conflict` if the slug is taken, or if the account's address is unproven
 */
export async function createWorkspace(
  db: Db,
  { slug, name = slug, plan, email = `owner@${slug}.invalid` }: NewWorkspace,
): Promise<Workspace & { apiKey: string }> {
  return db.transaction(async (trx) => {
    const userId = await findOrAddUser(trx, email);
    await addWorkspace(trx, { id: newId('workspace'), slug, name, plan }, userId);
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
  name?: string | undefined;
  plan: Plan;
  email?: string | undefined;
}

/**
 * Adds a workspace with an owner.
 *
 * @throws Refusal `conflict` if the slug is taken
 */
export async function addWorkspace(
  trx: Db,
  workspace: { id: string; slug: string; name: string; plan: Plan },
  userId: string,
): Promise<void> {
  const added = await trx('workspaces')
    .insert(workspace)
    .onConflict('slug')
    .ignore()
    .returning('id');
  if (added.length === 0) {
    throw new Refusal('conflict', `The workspace slug "${workspace.slug}" is taken`);
  }
  await trx('workspace_users').insert({
    project_id: workspace.id,
    user_id: userId,
    role: 'owner',
  });
}

async function findOrAddUser(trx: Db, email: string): Promise<string> {
  const user = (await trx('users')
    .whereRaw('lower(email) = lower(?)', [email])
    .first('id', 'email_verified_at')) as
    | { id: string; email_verified_at: Date | null }
    | undefined;
  if (user?.email_verified_at === null) {
    throw new Refusal(
      'conflict',
      `The email address of the account "${email}" is not verified: ` +
        `"user link --email ${email}" verifies it, and ends the sessions, API keys and memberships of the account`,
    );
  }
  if (user !== undefined) return user.id;
  const id = newId('user');
  await trx('users').insert({ id, email, name: email, email_verified_at: trx.fn.now() });
  return id;
}

/** The stored image of a workspace's logo. */
export interface Logo {
  id: string;
  width: number;
  height: number;
}

/** Settings of a workspace for its operator; its owners can change those without a limit. */
export interface WorkspaceSettings {
  plan?: Plan;
  name?: string;
  /** Length of the window in which a visitor counts once, in seconds; 0 counts every visit. */
  clickDedupeSeconds?: number;
  /** Default of its links. */
  queryConflict?: QueryConflict;
  /** Name of the parameter and the cookie with the click's id. */
  clickIdParameter?: ClickIdParameter;
  keepFullIp?: boolean;
  /** Networks whose visits are not counted, normalized (`normalizeNetwork`). */
  excludedIps?: string[];
  /** True counts suspects like people. */
  countSuspects?: boolean;
  /** False counts visits without storing them as events. */
  trackEvents?: boolean;
  /** True: people need a session with a second factor. */
  requireSecondFactor?: boolean;
  /** `null`: the limit of the plan; 0: no limit. */
  requestsPerMinute?: number | null;
  /** `null`: the retention of the plan; 0: unlimited. */
  retentionDays?: number | null;
  logo?: Logo | null;
  /** Color `#rrggbb`. */
  brandColor?: string | null;
  brandName?: string | null;
  /** `null`: none. */
  utmRules?: UtmRules | null;
}

/**
 * Changes the settings of a workspace.
 *
 * @returns the look-up entries to publish
 */
export async function changeWorkspace(
  trx: Db,
  projectId: string,
  {
    plan,
    name,
    clickDedupeSeconds,
    queryConflict,
    clickIdParameter,
    keepFullIp,
    excludedIps,
    countSuspects,
    trackEvents,
    requireSecondFactor,
    requestsPerMinute,
    retentionDays,
    logo,
    brandColor,
    brandName,
    utmRules,
  }: WorkspaceSettings,
): Promise<LookupChange[]> {
  // Knex ignores undefined columns.
  const [row] = (await trx('workspaces')
    .where({ id: projectId })
    .update({
      plan,
      name,
      click_dedupe_seconds: clickDedupeSeconds,
      query_conflict: queryConflict,
      click_id_parameter: clickIdParameter,
      keep_full_ip: keepFullIp,
      excluded_ips: excludedIps,
      count_suspects: countSuspects,
      track_events: trackEvents,
      require_second_factor: requireSecondFactor,
      requests_per_minute: requestsPerMinute,
      retention_days: retentionDays,
      logo,
      brand_color: brandColor,
      brand_name: brandName,
      utm_rules: utmRules,
      updated_at: trx.fn.now(),
      version: trx.raw("nextval('lookup_version')"),
    })
    .returning([
      'id',
      'click_dedupe_seconds',
      'query_conflict',
      'click_id_parameter',
      'track_events',
      'excluded_ips',
      'logo',
      'brand_color',
      'brand_name',
      'version',
    ])) as [WorkspaceColumns & { version: number }];
  const isSeen = [
    clickDedupeSeconds,
    queryConflict,
    clickIdParameter,
    excludedIps,
    trackEvents,
    logo,
    brandColor,
    brandName,
  ].some((value) => value !== undefined);
  if (!isSeen) return [];
  const entry = encodeWorkspace(workspaceEntry(row));
  const change = { name: workspaceName(projectId), version: row.version, entry, announce: true };
  return excludedIps === undefined ? [change] : [change, await serviceChange(trx)];
}

/**
 * Changes the settings of a workspace for its operator.
 *
 * @param note writes further rows of the transaction
 * @throws Refusal `not_found` for an unknown workspace
 */
export async function updateWorkspace(
  db: Db,
  slug: string,
  settings: WorkspaceSettings,
  note?: (trx: Db, projectId: string) => Promise<void>,
): Promise<Workspace> {
  const projectId = await workspaceId(db, slug);
  const changes = await db.transaction(async (trx) => {
    await note?.(trx, projectId);
    return changeWorkspace(trx, projectId, settings);
  });
  await publish(cacheRedis(), changes);
  return (await findWorkspace(slug, db))!;
}

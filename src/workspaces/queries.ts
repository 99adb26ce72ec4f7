import { type Db, db } from '../infra/db.ts';
import type { Plan } from './plans.ts';

/** Who asks: the workspace that the key belongs to, the user who made the key, and what the key may do. */
export interface Caller {
  projectId: string;
  workspaceSlug: string;
  plan: Plan;
  /** The workspace's own limit; `null`: what its plan allows, 0: none. */
  requestsPerMinute: number | null;
  userId: string;
  apiKeyId: string;
  scopes: string[];
}

/** A key's caller, and whether the key still holds. */
export interface ApiKeyOwner extends Caller {
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Whose key this is, by its hash. The one look-up that cannot name a workspace: it finds it. */
export async function findApiKey(hash: string): Promise<ApiKeyOwner | undefined> {
  const found = await db().raw<{ rows: ApiKeyOwner[] }>(
    `SELECT k.id AS "apiKeyId", k.project_id AS "projectId", k.user_id AS "userId", k.scopes,
            k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
            w.slug AS "workspaceSlug", w.plan, w.requests_per_minute AS "requestsPerMinute"
       FROM api_keys k JOIN workspaces w ON w.id = k.project_id
      WHERE k.hash = ?`,
    [hash],
  );
  return found.rows[0];
}

/** A workspace as its operator sees it. */
export interface Workspace {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  clickDedupeSeconds: number;
  keepFullIp: boolean;
  requestsPerMinute: number | null;
  retentionDays: number | null;
}

const WORKSPACE = `id, slug, name, plan, click_dedupe_seconds AS "clickDedupeSeconds",
  keep_full_ip AS "keepFullIp", requests_per_minute AS "requestsPerMinute",
  retention_days AS "retentionDays"`;

export async function findWorkspace(
  slug: string,
  connection: Db = db(),
): Promise<Workspace | undefined> {
  const found = await connection.raw<{ rows: Workspace[] }>(
    `SELECT ${WORKSPACE} FROM workspaces WHERE slug = ?`,
    [slug],
  );
  return found.rows[0];
}

/** What the visit pipeline needs to know of workspaces, by their ids. */
export async function visitSettings(
  projectIds: readonly string[],
): Promise<Map<string, { dedupeSeconds: number; keepFullIp: boolean }>> {
  const found = await db().raw<{
    rows: { id: string; dedupeSeconds: number; keepFullIp: boolean }[];
  }>(
    `SELECT id, click_dedupe_seconds AS "dedupeSeconds", keep_full_ip AS "keepFullIp"
       FROM workspaces WHERE id = ANY(?)`,
    [[...projectIds]],
  );
  return new Map(found.rows.map(({ id, ...settings }) => [id, settings]));
}

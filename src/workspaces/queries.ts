import { Refusal } from '../errors.ts';
import { type Db, db, rows } from '../infra/db.ts';
import type { Plan } from './plans.ts';

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
  const [workspace] = await rows<Workspace>(
    connection,
    `SELECT ${WORKSPACE} FROM workspaces WHERE slug = ?`,
    [slug],
  );
  return workspace;
}

/** Reads the id of a workspace by its slug. @throws Refusal `not_found` */
export async function workspaceId(db: Db, slug: string): Promise<string> {
  const workspace = await findWorkspace(slug, db);
  if (workspace === undefined) throw new Refusal('not_found', `There is no workspace "${slug}"`);
  return workspace.id;
}

/** Reads the settings of workspaces that the visit pipeline needs, by id. */
export async function visitSettings(
  projectIds: readonly string[],
): Promise<Map<string, { dedupeSeconds: number; keepFullIp: boolean }>> {
  const settings = await rows<{ id: string; dedupeSeconds: number; keepFullIp: boolean }>(
    db(),
    `SELECT id, click_dedupe_seconds AS "dedupeSeconds", keep_full_ip AS "keepFullIp"
       FROM workspaces WHERE id = ANY(?)`,
    [projectIds],
  );
  return new Map(settings.map(({ id, ...settings }) => [id, settings]));
}

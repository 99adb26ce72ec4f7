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

/** Settings of a workspace for visits. */
interface VisitSettings {
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
  keepFullIp: boolean;
  /** Networks whose visits are not counted. */
  excludedIps: string[];
  countSuspects: boolean;
  trackEvents: boolean;
}

/** Reads the settings of workspaces for visits, by id. */
export async function visitSettings(
  projectIds: readonly string[],
): Promise<Map<string, VisitSettings>> {
  const settings = await rows<VisitSettings & { id: string }>(
    db(),
    `SELECT id, click_dedupe_seconds AS "dedupeSeconds", keep_full_ip AS "keepFullIp",
            excluded_ips AS "excludedIps", count_suspects AS "countSuspects",
            track_events AS "trackEvents"
       FROM workspaces WHERE id = ANY(?)`,
    [projectIds],
  );
  return new Map(settings.map(({ id, ...settings }) => [id, settings]));
}

/** Reads the plan of a workspace. */
export async function planOf(projectId: string, connection: Db): Promise<Plan> {
  const sql = 'SELECT plan FROM workspaces WHERE id = ?';
  const [row] = await rows<{ plan: Plan }>(connection, sql, [projectId]);
  return row!.plan;
}

import { Domain } from '../domains/model.ts';
import { EVENT_KINDS, pluralOf } from '../events/kinds.ts';
import { eventsStore } from '../events/store/index.ts';
import { kindOfId } from '../ids.ts';
import { type Db, db, rows } from '../infra/db.ts';
import type { ClickIdParameter, QueryConflict } from '../lookup/entry.ts';
import { listInside } from '../short-links/inside.ts';
import type { Logo } from '../workspaces/commands.ts';
import type { Plan } from '../workspaces/plans.ts';
import type { UtmRules } from '../workspaces/utm-rules.ts';

/** Maximum number of records counted of each kind, since counting more takes too long. */
export const MAX_COUNTED = 100_000;

/** A row of `workspaces`. */
export interface SettingsRow {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  click_dedupe_seconds: number;
  query_conflict: QueryConflict;
  click_id_parameter: ClickIdParameter;
  keep_full_ip: boolean;
  excluded_ips: string[];
  count_suspects: boolean;
  track_events: boolean;
  require_second_factor: boolean;
  requests_per_minute: number | null;
  retention_days: number | null;
  logo: Logo | null;
  brand_color: string | null;
  brand_name: string | null;
  utm_rules: UtmRules | null;
  created_at: Date;
}

/** Reads the settings of a workspace. */
export async function readSettings(projectId: string, connection: Db = db()): Promise<SettingsRow> {
  const [row] = await rows<SettingsRow>(
    connection,
    `SELECT id, slug, name, plan, click_dedupe_seconds, query_conflict, click_id_parameter, keep_full_ip,
            excluded_ips, count_suspects, track_events, require_second_factor, requests_per_minute, retention_days, logo,
            brand_color, brand_name, utm_rules, created_at
       FROM workspaces WHERE id = ?`,
    [projectId],
  );
  return row!;
}

/** Numbers of records of a workspace, and of its events in the present month (UTC). */
export interface Usage {
  links: number;
  qrcodes: number;
  domains: number;
  members: number;
  tags: number;
  eventsThisMonth: number;
}

/** Tables of which limited callers count all rows too. */
const SHARED = { members: 'workspace_users', tags: 'tags' };
const COUNTED = { ...SHARED, links: 'links', qrcodes: 'qrcodes', domains: 'domains' };

/** Counts up to {@link MAX_COUNTED} rows of each table, from indexes only. */
async function countRows<Name extends string>(
  projectId: string,
  tables: Readonly<Record<Name, string>>,
): Promise<Record<Name, number>> {
  const counts = Object.entries<string>(tables).map(
    ([name, table]) =>
      `(SELECT count(*) FROM (SELECT FROM ${table} WHERE project_id = :projectId LIMIT :most) AS counted) AS ${name}`,
  );
  const [row] = await rows<Record<Name, number>>(db(), `SELECT ${counts.join(', ')}`, {
    projectId,
    most: MAX_COUNTED,
  });
  return row!;
}

/** @param inside ids of the links and QR codes inside of the current limits */
async function countInside(projectId: string, inside: readonly string[]) {
  const links = inside.filter((id) => kindOfId(id) === 'link').length;
  const domains = await Domain.of(projectId).resultSize();
  return {
    ...(await countRows(projectId, SHARED)),
    links,
    qrcodes: inside.length - links,
    domains,
  };
}

/** Reads the usage of a workspace, of links and QR codes within the current limits. */
export async function readUsage(projectId: string, now = new Date()): Promise<Usage> {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const end = new Date(now.getTime() + 1);
  const inside = await listInside(projectId);
  const [counts, numbers] = await Promise.all([
    inside === undefined ? countRows(projectId, COUNTED) : countInside(projectId, inside),
    eventsStore().totals({
      projectId,
      span: { start, end, granularity: 'day', timezone: 'UTC' },
      filter: { traffic: 'all', records: inside },
      events: EVENT_KINDS,
    }),
  ]);
  const eventsThisMonth = EVENT_KINDS.reduce(
    (sum, kind) => sum + (numbers[pluralOf(kind)] ?? 0),
    0,
  );
  return { ...counts, eventsThisMonth };
}

/** Reads the verified domains of a workspace, by name. */
export async function readOwnDomains(projectId: string): Promise<string[]> {
  const domains = await Domain.of(projectId).where({ verified: true }).orderBy('slug');
  return domains.map(({ slug }) => slug);
}

/**
 * Reads an image that pages for visitors show (PNG): the logo of a workspace, or the photo of a
 * contact; `undefined` for any other.
 */
export async function readPublicImage(
  projectId: string,
  imageId: string,
): Promise<Buffer | undefined> {
  const [image] = await rows<{ png: Buffer }>(
    db(),
    `SELECT i.png FROM workspaces w JOIN images i ON i.project_id = w.id
      WHERE w.id = ? AND i.id = ? AND (i.is_public OR i.id = w.logo->>'id')`,
    [projectId, imageId],
  );
  return image?.png;
}

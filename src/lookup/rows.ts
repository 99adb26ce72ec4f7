import { db } from '../infra/db.ts';
import {
  type DomainColumns,
  domainEntry,
  encodeDomain,
  encodePage,
  encodeWorkspace,
  type PageContent,
} from './entry.ts';

/**
 * How long a look-up may take, in ms. Each statement also has this limit itself: knex then throws its
 * connection away, which may hang for ever.
 */
export const POSTGRES_MS = 1_000;

/** An entry as it is stored, with the version of its row. */
export interface Row {
  entry: string;
  version: number;
}

/** The link or QR code that has this key; `null` when nothing has. */
export async function readLink(domainId: string, key: string): Promise<Row | null> {
  const sql = 'SELECT entry, version FROM claims WHERE domain_id = ? AND key = ?';
  const answer = await db().raw(sql, [domainId, key]).timeout(POSTGRES_MS);
  return (answer as { rows: Row[] }).rows[0] ?? null;
}

type DomainRow = DomainColumns & { version: number };

/** The domain of this name that resolves: the service's own, or a verified one. */
export async function readDomain(host: string): Promise<Row | null> {
  const answer = await db()
    .raw(
      `SELECT id, project_id, target, type, target_frameable, expired_url, not_found_url, version FROM domains
        WHERE slug = ? AND (verified OR project_id IS NULL)
        ORDER BY project_id NULLS FIRST LIMIT 1`,
      [host],
    )
    .timeout(POSTGRES_MS);
  const row = (answer as { rows: DomainRow[] }).rows[0];
  return row === undefined ? null : { entry: encodeDomain(domainEntry(row)), version: row.version };
}

/** What redirects must know of a workspace. */
export async function readWorkspace(projectId: string): Promise<Row | null> {
  const sql = 'SELECT click_dedupe_seconds AS seconds, version FROM workspaces WHERE id = ?';
  const answer = await db().raw(sql, [projectId]).timeout(POSTGRES_MS);
  const row = (answer as { rows: { seconds: number; version: number }[] }).rows[0];
  if (row === undefined) return null;
  const entry = encodeWorkspace({ projectId, dedupeSeconds: row.seconds });
  return { entry, version: row.version };
}

/** A page before destinations. */
export async function readPage(projectId: string, id: string): Promise<Row | null> {
  const sql = 'SELECT content, version FROM pages WHERE project_id = ? AND id = ?';
  const answer = await db().raw(sql, [projectId, id]).timeout(POSTGRES_MS);
  const row = (answer as { rows: { content: PageContent; version: number }[] }).rows[0];
  return row === undefined
    ? null
    : { entry: encodePage({ id, projectId, ...row.content }), version: row.version };
}

/** How many visits of a link or QR code are counted. */
export async function countVisits(projectId: string, id: string): Promise<number> {
  const sql = 'SELECT visits FROM counters WHERE project_id = ? AND record_id = ?';
  const answer = await db().raw(sql, [projectId, id]).timeout(POSTGRES_MS);
  return (answer as { rows: { visits: number }[] }).rows[0]?.visits ?? 0;
}

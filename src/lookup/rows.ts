import { db } from '../infra/db.ts';
import { encodeDomain } from './entry.ts';

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

interface DomainRow {
  id: string;
  project_id: string | null;
  target: string | null;
  expired_url: string | null;
  version: number;
}

/** The domain of this name that resolves: the service's own, or a verified one. */
export async function readDomain(host: string): Promise<Row | null> {
  const answer = await db()
    .raw(
      `SELECT id, project_id, target, expired_url, version FROM domains
        WHERE slug = ? AND (verified OR project_id IS NULL)
        ORDER BY project_id NULLS FIRST LIMIT 1`,
      [host],
    )
    .timeout(POSTGRES_MS);
  const row = (answer as { rows: DomainRow[] }).rows[0];
  if (row === undefined) return null;
  const entry = encodeDomain({
    id: row.id,
    projectId: row.project_id ?? '',
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.expired_url === null ? {} : { expiredUrl: row.expired_url }),
  });
  return { entry, version: row.version };
}

import { type Db, db, rows } from '../infra/db.ts';
import {
  encodeDomain,
  encodePage,
  encodeService,
  encodeSiteFiles,
  encodeWorkspace,
  withKey,
} from './codec.ts';
import {
  type DomainColumns,
  domainEntry,
  type PageContent,
  type SiteFileColumns,
  siteFilesEntry,
  type WorkspaceColumns,
  workspaceEntry,
} from './entry.ts';
import { canonicalKeyIn } from './key-spelling.ts';

/**
 * Timeout of a look-up, in ms. It also limits each statement: knex then discards the connection,
 * which may hang forever.
 */
export const POSTGRES_MS = 1_000;

/** A stored entry with the version of its row. */
export interface Row {
  entry: string;
  version: number;
}

/** Domain and key of a link or QR code. */
export interface LinkName {
  domainId: string;
  key: string;
}

/**
 * Reads links and QR codes by their keys, or by the form that all spellings of a key share
 * ({@link bySpelling}), in the given order; `null` for a key without one.
 */
export async function readLinks(names: readonly LinkName[]): Promise<(Row | null)[]> {
  const spelled = names.filter(({ key }) => canonicalKeyIn(key) !== undefined);
  if (spelled.length === 0) return readClaims('key', names);
  const exact = names.filter((name) => !spelled.includes(name));
  const answers = new Map([
    ...zip(exact, await readClaims('key', exact)),
    ...zip(
      spelled,
      await readClaims(
        'canonical_key',
        spelled.map(({ domainId, key }) => ({ domainId, key: canonicalKeyIn(key)! })),
      ),
    ),
  ]);
  return names.map((name) => answers.get(name) ?? null);
}

const zip = <Key, Value>(keys: readonly Key[], values: readonly Value[]): [Key, Value][] =>
  keys.map((key, at) => [key, values[at]!]);

/** Reads claims by a column, in the order of the names. */
async function readClaims(
  column: 'key' | 'canonical_key',
  names: readonly LinkName[],
): Promise<(Row | null)[]> {
  if (names.length === 0) return [];
  const domains = names.map(({ domainId }) => domainId);
  // A lateral join uses the index for each name. Where an operator has divided claims by domain, a
  // plain join of many names may read all partitions; a single domain, as in most batches, is in one.
  const isOne = domains.every((domain) => domain === domains[0]);
  const claims = await rows<Row & { at: number; key: string }>(
    db(),
    `SELECT q.at, c.key, c.entry, c.version
         FROM unnest(:domains::text[], :keys::text[]) WITH ORDINALITY AS q (domain_id, key, at)
         CROSS JOIN LATERAL (
           SELECT key, entry, version FROM claims
            WHERE domain_id = ${isOne ? ':domain' : 'q.domain_id'} AND ${column} = q.key
              AND free_at IS NULL LIMIT 1) AS c`,
    { domains, keys: names.map(({ key }) => key), ...(isOne && { domain: domains[0]! }) },
    POSTGRES_MS,
  );
  const inOrder: (Row | null)[] = Array.from(names, () => null);
  for (const { at, key, entry, version } of claims) {
    inOrder[at - 1] = { entry: column === 'key' ? entry : withKey(entry, key), version };
  }
  return inOrder;
}

type DomainRow = DomainColumns & { slug: string; version: number };

/** Reads domains that resolve, the service's own and verified ones, in the order of the names. */
export async function readDomains(hosts: readonly string[]): Promise<(Row | null)[]> {
  const domains = await rows<DomainRow>(
    db(),
    `SELECT DISTINCT ON (slug) slug, id, project_id, target, type, target_frameable, expired_url, not_found_url,
            has_wildcards, shlink_paths, case_sensitive, key_version, version
         FROM domains WHERE slug = ANY(?::text[]) AND (verified OR project_id IS NULL)
        ORDER BY slug, project_id NULLS FIRST`,
    [hosts],
    POSTGRES_MS,
  );
  const bySlug = new Map(domains.map((row) => [row.slug, row]));
  return hosts.map((host) => {
    const row = bySlug.get(host);
    return row === undefined
      ? null
      : { entry: encodeDomain(domainEntry(row)), version: row.version };
  });
}

/** Reads the files of a domain that resolves. */
export async function readSiteFiles(domainId: string): Promise<Row | null> {
  const sql =
    'SELECT apple_app_site_association, asset_links, version FROM domains WHERE id = ? AND verified';
  type FilesRow = SiteFileColumns & { version: number };
  const [row] = await rows<FilesRow>(db(), sql, [domainId], POSTGRES_MS);
  const files = row && siteFilesEntry(row);
  return files === undefined ? null : { entry: encodeSiteFiles(files), version: row!.version };
}

/** Reads the entry of a workspace. */
export async function readWorkspace(projectId: string): Promise<Row | null> {
  const sql =
    'SELECT id, click_dedupe_seconds, query_conflict, click_id_parameter, track_events, excluded_ips, logo, ' +
    'brand_color, brand_name, version FROM workspaces WHERE id = ?';
  type WorkspaceRow = WorkspaceColumns & { version: number };
  const [row] = await rows<WorkspaceRow>(db(), sql, [projectId], POSTGRES_MS);
  if (row === undefined) return null;
  return { entry: encodeWorkspace(workspaceEntry(row)), version: row.version };
}

/** Reads the entry of a page before destinations. */
export async function readPage(projectId: string, id: string): Promise<Row | null> {
  const sql = 'SELECT content, version FROM pages WHERE project_id = ? AND id = ?';
  type PageRow = { content: PageContent; version: number };
  const [row] = await rows<PageRow>(db(), sql, [projectId, id], POSTGRES_MS);
  return row === undefined
    ? null
    : { entry: encodePage({ id, projectId, ...row.content }), version: row.version };
}

/** Reads the entry of the service; there always is one. */
export async function readService(connection: Db = db()): Promise<Row> {
  const sql = `SELECT version, ARRAY(SELECT host FROM blocked_hosts ORDER BY host) AS hosts,
                      ARRAY(SELECT record_id FROM blocked_links ORDER BY record_id) AS links,
                      ARRAY(SELECT id FROM workspaces WHERE excluded_ips <> '{}' ORDER BY id) AS excluding
                 FROM host_blocklist`;
  type ServiceRow = { version: number; hosts: string[]; links: string[]; excluding: string[] };
  const [row] = await rows<ServiceRow>(connection, sql, [], POSTGRES_MS);
  const { version, ...service } = row!;
  return { entry: encodeService(service), version };
}

/** Reads the number of visits of a link or QR code that `maxVisits` limits: of people and suspects. */
export async function countVisits(projectId: string, id: string): Promise<number> {
  const sql =
    'SELECT visits + suspects AS visits FROM counters WHERE project_id = ? AND record_id = ?';
  const [row] = await rows<{ visits: number }>(db(), sql, [projectId, id], POSTGRES_MS);
  return row?.visits ?? 0;
}

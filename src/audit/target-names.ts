import { db, rows } from '../infra/db.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { includesScope, type Scope } from '../workspaces/scopes.ts';

/** SQL that reads the names of records of a kind, and the scope that shows these records. */
interface Source {
  scope: Scope;
  sql: string;
}

/** SQL: records `r` of the workspace among the ids. */
const REQUESTED = 'r.project_id = :projectId AND r.id = ANY(:ids)';

const named = (scope: Scope, table: string, name = 'r.name'): Source => ({
  scope,
  sql: `SELECT r.id, ${name} AS name FROM ${table} r WHERE ${REQUESTED}`,
});

/**
 * @param kind of the records in the trash, which has both kinds
 * @param name SQL of the name, of a record with `key` and `title`
 */
const shortLinks = (
  kind: 'link' | 'qrcode',
  table: 'links' | 'qrcodes',
  name: (key: string, title: string) => string,
): Source => ({
  scope: `${table}.read`,
  sql: `
    SELECT r.id, ${name('r.key', 'r.title')} AS name
      FROM ${table} r LEFT JOIN domains d ON d.id = r.domain_id WHERE ${REQUESTED}
    UNION ALL
    SELECT r.id, ${name(`(r.record->>'key')`, `(r.record->>'title')`)}
      FROM trash r LEFT JOIN domains d ON d.id = r.record->>'domain_id' WHERE ${REQUESTED} AND r.kind = '${kind}'`,
});

/** Sources of names by kind of target; the records of other kinds have no name. */
const SOURCES: Readonly<Record<string, Source>> = {
  link: shortLinks('link', 'links', (key) => `d.slug || '/' || ${key}`),
  qrcode: shortLinks(
    'qrcode',
    'qrcodes',
    (key, title) => `coalesce(${title}, d.slug || '/' || ${key})`,
  ),
  tag: named('tags.read', 'tags'),
  folder: named('folders.read', 'folders'),
  domain: named('domains.read', 'domains', 'r.slug'),
  page: named('pages.read', 'pages', `r.content->>'title'`),
  view: {
    scope: 'views.read',
    sql: `
      SELECT r.id, r.name FROM views r
       WHERE ${REQUESTED} AND (r.user_id IS NULL OR r.user_id = :userId)`,
  },
  template: named('qrcodes.read', 'templates'),
  font: named('qrcodes.read', 'fonts'),
  utmTemplate: named('links.read', 'utm_templates'),
  import: named('imports.read', 'imports'),
  webhook: named('webhooks.read', 'webhooks'),
  destination: named('webhooks.read', 'destinations'),
  integration: named('conversions.write', 'integrations'),
  sharedReport: named('analytics.read', 'shared_reports'),
  apiKey: named('keys.read', 'api_keys'),
  customer: named('customers.read', 'customers', 'coalesce(r.name, r.email, r.external_id)'),
  invitation: named('members.read', 'invitations', 'r.email'),
  member: {
    scope: 'members.read',
    sql: `
      SELECT r.user_id AS id, coalesce(nullif(u.name, ''), u.email) AS name
        FROM workspace_users r JOIN users u ON u.id = r.user_id
       WHERE r.project_id = :projectId AND r.user_id = ANY(:ids)`,
  },
};

/**
 * Reads the present names of the records of a workspace that a caller may see.
 *
 * @param targets kinds and ids of the records
 * @returns the names by id, without those of erased records
 */
export async function namesOfTargets(
  { projectId, userId, scopes }: Pick<Caller, 'projectId' | 'userId' | 'scopes'>,
  targets: readonly { kind: string; id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const sources = [...new Set(targets.map(({ kind }) => kind))].flatMap((kind) => {
    const source = SOURCES[kind];
    return source !== undefined && includesScope(scopes, source.scope) ? [source] : [];
  });
  const ids = [...new Set(targets.map(({ id }) => id).filter((id) => id !== null))];
  if (sources.length === 0 || ids.length === 0) return new Map();
  const named = await rows<{ id: string; name: string | null }>(
    db(),
    sources.map(({ sql }) => sql).join(' UNION ALL '),
    { projectId, userId, ids },
  );
  return new Map(named.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}

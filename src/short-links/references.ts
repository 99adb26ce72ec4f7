import { config } from '../config.ts';
import type { Db } from '../infra/db.ts';
import type { TagReference } from '../tags/record.ts';
import type { RoutedChanges } from './fields.ts';

/** A domain on which the workspace may make links and QR codes. */
export interface UsableDomain {
  id: string;
  slug: string;
  isPrimary: boolean;
  isDefault: boolean;
}

/** The workspace's records that the inputs of one request name, loaded together. */
export interface References {
  /** The workspace's primary domain, else the service's default short domain. */
  mainDomain: UsableDomain;
  domain(slug: string): UsableDomain | undefined;
  tagById(id: string): TagReference | undefined;
  /** Case does not count. */
  tagByName(name: string): TagReference | undefined;
  has(kind: 'folder' | 'webhook' | 'page', id: string): boolean;
}

/** Loads what the given inputs refer to; nothing is asked that none of them names. */
export async function loadReferences(
  trx: Db,
  projectId: string,
  inputs: readonly RoutedChanges[],
): Promise<References> {
  const tagIds = inputs.flatMap(({ tags }) => tags?.ids ?? []);
  const tagNames = inputs
    .flatMap(({ tags }) => tags?.names ?? [])
    .map((name) => name.toLowerCase());
  const folderIds = inputs.flatMap(({ folderId }) =>
    typeof folderId === 'string' ? [folderId] : [],
  );
  const webhookIds = inputs.flatMap((input) => input.webhookIds ?? []);
  const pageIds = inputs.flatMap(({ pageId }) => (typeof pageId === 'string' ? [pageId] : []));

  const domains = await loadDomains(trx, projectId);
  const tags =
    tagIds.length + tagNames.length === 0
      ? []
      : await rowsOf<TagReference>(
          trx,
          'SELECT id, name FROM tags WHERE project_id = ? AND (id = ANY(?) OR lower(name) = ANY(?))',
          [projectId, tagIds, tagNames],
        );
  const known = {
    folder: await existing(trx, 'folders', projectId, folderIds),
    webhook: await existing(trx, 'webhooks', projectId, webhookIds),
    page: await existing(trx, 'pages', projectId, pageIds),
  };

  const mainDomain =
    domains.find((domain) => domain.isPrimary) ?? domains.find((domain) => domain.isDefault);
  if (mainDomain === undefined)
    throw new Error('the default short domain is missing: run migrations');
  const bySlug = new Map(domains.map((domain) => [domain.slug, domain]));
  const byId = new Map(tags.map((tag) => [tag.id, tag]));
  const byName = new Map(tags.map((tag) => [tag.name.toLowerCase(), tag]));
  return {
    mainDomain,
    domain: (slug) => bySlug.get(slug),
    tagById: (id) => byId.get(id),
    tagByName: (name) => byName.get(name.toLowerCase()),
    has: (kind, id) => known[kind].has(id),
  };
}

function loadDomains(trx: Db, projectId: string): Promise<UsableDomain[]> {
  return rowsOf<UsableDomain>(
    trx,
    `SELECT id, slug, is_primary AS "isPrimary", project_id IS NULL AS "isDefault"
       FROM domains WHERE project_id = ? OR (project_id IS NULL AND slug = ?)`,
    [projectId, config().DEFAULT_SHORT_DOMAIN],
  );
}

async function existing(
  trx: Db,
  table: 'folders' | 'webhooks' | 'pages',
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await rowsOf<{ id: string }>(
    trx,
    `SELECT id FROM ${table} WHERE project_id = ? AND id = ANY(?)`,
    [projectId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

async function rowsOf<Row>(trx: Db, sql: string, bindings: readonly unknown[]): Promise<Row[]> {
  return (await trx.raw<{ rows: Row[] }>(sql, bindings as string[])).rows;
}

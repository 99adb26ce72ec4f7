import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { type Db, preparedRows, rows } from '../infra/db.ts';
import { currentLimits } from '../infra/limits.ts';
import { onlyPlace } from '../workspaces/limits.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import type { UtmRules } from '../workspaces/utm-rules.ts';
import { MAX_TAGS, type SharedChanges, type TagChoice } from './fields.ts';
import type { ShortLinkRow, ShortLinkTables } from './model.ts';
import type { TagReference } from './record-context.ts';

/** A domain on which the workspace can create links and QR codes. */
export interface UsableDomain {
  id: string;
  slug: string;
  isPrimary: boolean;
  isDefault: boolean;
  caseSensitive: boolean;
  /** Rules of the workspace, which are read with its domains to save a query. */
  utmRules: UtmRules | null;
}

/** The records of the workspace to which the inputs of one request refer, loaded together. */
export interface References {
  /**
   * The domain to which the caller is limited, the workspace's primary domain, or else the
   * service's default short domain.
   */
  mainDomain: UsableDomain;
  /** Folder of new records that name none. */
  mainFolderId: string | null;
  domain(slug: string): UsableDomain | undefined;
  tagById(id: string): TagReference | undefined;
  /** Compares names by {@link nameKey}. */
  tagByName(name: string): TagReference | undefined;
  has(kind: 'folder' | 'webhook' | 'page', id: string): boolean;
  /** Rules of the workspace for UTM parameters. */
  utmRules: UtmRules | null;
}

/**
 * Loads the records to which inputs refer, within the writing transaction, so that nothing changes
 * in between. Tables that no input refers to are not read.
 */
export async function loadReferences(
  trx: Db,
  projectId: string,
  sent: readonly (SharedChanges | Refusal)[],
): Promise<References> {
  const inputs = sent.filter((input): input is SharedChanges => !(input instanceof Refusal));
  const tagIds = inputs.flatMap(({ tags }) => [...(tags?.ids ?? []), ...(tags?.removed ?? [])]);
  const tagNames = inputs.flatMap(({ tags }) => tags?.names ?? []).map(nameKey);
  const folderIds = inputs.flatMap(({ folderId }) =>
    typeof folderId === 'string' ? [folderId] : [],
  );
  const webhookIds = inputs.flatMap((input) => input.webhookIds ?? []);
  const pageIds = inputs.flatMap(({ pageId }) => (typeof pageId === 'string' ? [pageId] : []));

  const limits = currentLimits();
  const only: Partial<ReturnType<typeof onlyPlace>> = limits === undefined ? {} : onlyPlace(limits);
  if (only.folderId !== undefined) folderIds.push(only.folderId);

  const domains = await loadDomains(trx, projectId);
  const tags =
    tagIds.length + tagNames.length === 0
      ? []
      : await rows<TagReference>(
          trx,
          'SELECT id, name FROM tags WHERE project_id = ? AND (id = ANY(?) OR name_key = ANY(?))',
          [projectId, tagIds, tagNames],
        );
  const presentIds = {
    folder: await existingIds(trx, 'folders', projectId, folderIds),
    webhook: await existingIds(trx, 'webhooks', projectId, webhookIds),
    page: await existingIds(trx, 'pages', projectId, pageIds),
  };

  const mainDomain =
    domains.find(({ slug }) => slug === only.domain) ??
    domains.find((domain) => domain.isPrimary) ??
    domains.find((domain) => domain.isDefault);
  if (mainDomain === undefined)
    throw new Error('the default short domain is missing: run `npm run migrate`');
  const bySlug = new Map(domains.map((domain) => [domain.slug, domain]));
  const byId = new Map(tags.map((tag) => [tag.id, tag]));
  const byName = new Map(tags.map((tag) => [nameKey(tag.name), tag]));
  return {
    mainDomain,
    mainFolderId: presentIds.folder.has(only.folderId ?? '') ? only.folderId! : null,
    domain: (slug) => bySlug.get(slug),
    tagById: (id) => byId.get(id),
    tagByName: (name) => byName.get(nameKey(name)),
    has: (kind, id) => presentIds[kind].has(id),
    utmRules: mainDomain.utmRules,
  };
}

/** The domain and the tags of an input; absent if it names none. */
export interface Resolved {
  domain?: UsableDomain | undefined;
  tags?: TagReference[] | undefined;
}

/** Reads the tags of a record, in their order, if a change keeps any of them. */
export async function loadPresentTags(
  trx: Db,
  tables: ShortLinkTables,
  row: Pick<ShortLinkRow, 'project_id' | 'id'>,
  { tags }: SharedChanges,
): Promise<TagReference[]> {
  return tags?.removed === undefined ? [] : readTags(trx, tables, row);
}

/** Reads the tags of a record, in their order. */
export function readTags(
  trx: Db,
  { tags: { table, column } }: ShortLinkTables,
  { project_id, id }: Pick<ShortLinkRow, 'project_id' | 'id'>,
): Promise<TagReference[]> {
  return rows<TagReference>(
    trx,
    `SELECT t.id, t.name FROM ${table} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
      WHERE rt.project_id = ? AND rt.${column} = ? ORDER BY rt.position`,
    [project_id, id],
  );
}

/**
 * Resolves the domain and the tags of an input.
 *
 * @param present tags of the record to change ({@link loadPresentTags})
 * @throws Refusal `forbidden` for a domain of another workspace, `unprocessable_entity` naming
 *   everything unknown
 */
export function resolve(
  input: SharedChanges,
  references: References,
  present: readonly TagReference[] = [],
): Resolved {
  const resolved: Resolved = {};
  if (input.domain !== undefined) {
    const domain = references.domain(input.domain);
    if (domain === undefined) {
      throw new Refusal(
        'forbidden',
        `The domain "${input.domain}" is not one of this workspace's domains`,
      );
    }
    resolved.domain = domain;
  }
  const faults: string[] = [];
  const { tags } = input;
  if (tags?.removed !== undefined) {
    resolved.tags = editTags(present, tags.ids, tags.removed, references, faults);
  } else if (tags !== undefined) {
    resolved.tags = resolveTags(tags, references, faults);
  }
  if (typeof input.folderId === 'string' && !references.has('folder', input.folderId)) {
    faults.push(`folderId: there is no folder "${input.folderId}"`);
  }
  for (const webhookId of input.webhookIds ?? []) {
    if (!references.has('webhook', webhookId))
      faults.push(`webhookIds: there is no webhook "${webhookId}"`);
  }
  if (typeof input.pageId === 'string' && !references.has('page', input.pageId)) {
    faults.push(`pageId: there is no page "${input.pageId}"`);
  }
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
  return resolved;
}

function resolveTags(
  { ids, names }: TagChoice,
  references: References,
  faults: string[],
): TagReference[] {
  const tags = new Map<string, TagReference>();
  for (const id of ids) {
    const tag = references.tagById(id);
    if (tag === undefined) faults.push(`tagIds: there is no tag "${id}"`);
    else tags.set(tag.id, tag);
  }
  for (const name of names) {
    const tag = references.tagByName(name);
    if (tag === undefined) faults.push(`tagNames: there is no tag "${name}"`);
    else tags.set(tag.id, tag);
  }
  return [...tags.values()];
}

/** Removes tags from the present ones and appends the added ones. */
function editTags(
  present: readonly TagReference[],
  added: readonly string[],
  removed: readonly string[],
  references: References,
  faults: string[],
): TagReference[] {
  const tags = new Map(present.map((tag) => [tag.id, tag]));
  for (const id of removed) {
    if (references.tagById(id) === undefined) faults.push(`removeTagIds: there is no tag "${id}"`);
    tags.delete(id);
  }
  for (const id of added) {
    const tag = references.tagById(id);
    if (tag === undefined) faults.push(`addTagIds: there is no tag "${id}"`);
    else tags.set(id, tag);
  }
  if (added.length > 0 && tags.size > MAX_TAGS) {
    faults.push(`addTagIds must leave at most ${MAX_TAGS} tags: there would be ${tags.size}`);
  }
  return [...tags.values()];
}

/** Reads the domains of a workspace and the default short domain. */
export function loadDomains(trx: Db, projectId: string): Promise<UsableDomain[]> {
  return preparedRows<UsableDomain>(
    trx,
    'load domains',
    `SELECT id, slug, is_primary AND verified AS "isPrimary", project_id IS NULL AS "isDefault",
            case_sensitive AS "caseSensitive",
            (SELECT utm_rules FROM workspaces WHERE id = :projectId) AS "utmRules"
       FROM domains WHERE project_id = :projectId OR (project_id IS NULL AND slug = :shared)`,
    { projectId, shared: config().DEFAULT_SHORT_DOMAIN },
  );
}

/** Returns those of some ids that records of a workspace have, of folders within the current limits. */
export async function existingIds(
  trx: Db,
  table: 'folders' | 'links' | 'pages' | 'qrcodes' | 'tags' | 'templates' | 'webhooks',
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const limits = table === 'folders' ? currentLimits()?.folderIds : undefined;
  const allowed = limits === undefined ? ids : ids.filter((id) => limits.includes(id));
  if (allowed.length === 0) return new Set();
  const present = await rows<{ id: string }>(
    trx,
    `SELECT id FROM ${table} WHERE project_id = ? AND id = ANY(?)`,
    [projectId, allowed],
  );
  return new Set(present.map(({ id }) => id));
}

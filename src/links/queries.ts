import { type Db, db } from '../infra/db.ts';
import { applyFilters, type LinkFilters } from './filters.ts';
import { Link, type LinkRow } from './model.ts';
import { type SealedLink, toSealedLink } from './record.ts';
import type { LinkListQuery } from './schema.ts';

const TAGS = `(SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY lt.position), '[]')
   FROM link_tags lt JOIN tags t ON t.project_id = lt.project_id AND t.id = lt.tag_id
  WHERE lt.project_id = links.project_id AND lt.link_id = links.id) AS tags`;

/** A link's row with what its record takes from other tables. */
type WideRow = LinkRow & {
  domain: string;
  tags: { id: string; name: string }[];
  visits: number | null;
  leads: number;
  sales: number;
  sale_amount_cents: number;
  last_visit_at: Date | null;
};

function joined(projectId: string, connection: Db = db()) {
  return Link.of(projectId, connection)
    .join('domains as d', 'd.id', 'links.domain_id')
    .leftJoin('counters as c', (on) =>
      on.on('c.project_id', 'links.project_id').andOn('c.record_id', 'links.id'),
    );
}

function wide(projectId: string, connection?: Db) {
  return joined(projectId, connection).select(
    'links.*',
    'd.slug as domain',
    'c.visits',
    'c.leads',
    'c.sales',
    'c.sale_amount_cents',
    'c.last_visit_at',
    Link.raw(TAGS),
  );
}

function toLink(model: Link): SealedLink {
  const row = model as unknown as WideRow;
  const { domain, tags, visits } = row;
  if (visits === null) return toSealedLink(row, { domain, tags });
  return toSealedLink(row, {
    domain,
    tags,
    counters: {
      visits,
      leads: row.leads,
      sales: row.sales,
      saleAmountCents: row.sale_amount_cents,
      lastVisitAt: row.last_visit_at,
    },
  });
}

/** A link by its id. */
export function findLink(
  projectId: string,
  id: string,
  connection?: Db,
): Promise<SealedLink | undefined> {
  return findWide(projectId, { 'links.id': id }, connection);
}

/** Links by their ids; those that are not there are left out. */
export async function findLinks(projectId: string, ids: readonly string[]): Promise<SealedLink[]> {
  const rows = ids.length === 0 ? [] : await wide(projectId).whereIn('links.id', ids);
  return rows.map(toLink);
}

/** A link by the caller's own id. */
export function findLinkByExternalId(
  projectId: string,
  externalId: string,
): Promise<SealedLink | undefined> {
  return findWide(projectId, { 'links.external_id': externalId });
}

/** A link by its domain's name and its key. */
export function findLinkByKey(
  projectId: string,
  domain: string,
  key: string,
): Promise<SealedLink | undefined> {
  return findWide(projectId, { 'd.slug': domain, 'links.key': key });
}

async function findWide(
  projectId: string,
  where: Record<string, string>,
  connection?: Db,
): Promise<SealedLink | undefined> {
  const row = await wide(projectId, connection).where(where).first();
  return row === undefined ? undefined : toLink(row);
}

/** The id of the newest link whose columns have these values. */
export async function findLinkId(
  connection: Db,
  projectId: string,
  columns: Partial<LinkRow>,
): Promise<string | undefined> {
  const row = await Link.of(projectId, connection)
    .where(columns)
    .orderBy('id', 'desc')
    .select('id')
    .first();
  return row?.id;
}

const ORDER = {
  createdAt: 'links.created_at DESC',
  clicks: 'coalesce(c.visits, 0) DESC',
  lastClicked: 'c.last_visit_at DESC NULLS LAST',
};

/** One page of the links that match. */
export async function listLinks(
  projectId: string,
  { sort, page, pageSize, ...filters }: LinkListQuery,
): Promise<SealedLink[]> {
  const rows = await applyFilters(wide(projectId), filters)
    .orderByRaw(`${ORDER[sort]}, links.id DESC`)
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  return rows.map(toLink);
}

/** How many links match. */
export async function countLinks(projectId: string, filters: LinkFilters): Promise<number> {
  return applyFilters(joined(projectId), filters).resultSize();
}

/** How many links match on each domain, most first. */
export async function countLinksByDomain(
  projectId: string,
  filters: LinkFilters,
): Promise<{ domain: string; _count: number }[]> {
  const rows = await applyFilters(joined(projectId), filters)
    .groupBy('d.slug')
    .orderByRaw('count(*) DESC, d.slug')
    .select('d.slug as domain', Link.raw('count(*) AS "_count"'));
  return rows as unknown as { domain: string; _count: number }[];
}

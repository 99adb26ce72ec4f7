import type Joi from 'joi';
import type { QueryBuilder } from 'objection';
import { dateTime, flag, id, Joi as Kinds, queryList, text, toInstant } from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { fingerprint } from '../infra/secrets.ts';
import { UTM_FIELDS } from './destination.ts';
import type { Link } from './model.ts';

/** Filters of lists and counts, as the query names them. */
export interface LinkFilters {
  projectSlug?: string;
  domain?: string;
  tagId?: string;
  tagIds?: string[];
  tagNames?: string[];
  folderId?: string;
  search?: string;
  userId?: string;
  showArchived: boolean;
  password?: string;
  expiresAt?: string | null;
  geo?: object | null;
  ios?: string;
  android?: string;
  comments?: string;
  withTags?: boolean;
  trackConversion?: boolean;
  hasPassword?: boolean;
  hasExpiration?: boolean;
  hasUTM?: boolean;
  hasCustomSocial?: boolean;
  hasGeo?: boolean;
  hasDevice?: boolean;
  hasComments?: boolean;
  hasTags?: boolean;
  createdAfter?: string;
  createdBefore?: string;
  expiresAfter?: string;
  expiresBefore?: string;
  clicksMin?: number;
  clicksMax?: number;
}

type Query = QueryBuilder<Link, Link[]>;

interface Filter<Value> {
  schema: Joi.Schema;
  /** Narrows the query; the tables are called links, d (domains) and c (counters, with NULL for zeros). */
  where(query: Query, value: Value): unknown;
}

type Filters = {
  [Name in keyof LinkFilters]-?: Filter<Exclude<LinkFilters[Name], undefined>>;
};

const exactly = (column: string): Filter<string> => ({
  schema: text(1_000),
  where: (query, value) => query.where(column, value),
});

const part = (column: string): Filter<string> => ({
  schema: text(1_000),
  where: (query, value) => query.whereRaw('?? ILIKE ?', [column, containing(value)]),
});

/** `true` asks for records with the thing, `false` for those without it. */
const presence = (condition: string): Filter<boolean> => ({
  schema: flag(),
  where: (query, wanted) => query.whereRaw(wanted ? `(${condition})` : `NOT (${condition})`),
});

const compare = (column: string, operator: string): Filter<string> => ({
  schema: dateTime(),
  where: (query, value) => query.where(column, operator, value),
});

const clicks = (operator: string): Filter<number> => ({
  schema: Kinds.number().integer().min(0),
  where: (query, value) => query.whereRaw(`coalesce(c.visits, 0) ${operator} ?`, [value]),
});

const HAS_TAGS =
  'EXISTS (SELECT 1 FROM link_tags lt WHERE lt.project_id = links.project_id AND lt.link_id = links.id)';

function taggedWithAny(query: Query, condition: string, values: string[]): void {
  query.whereRaw(
    `EXISTS (SELECT 1 FROM link_tags lt JOIN tags t ON t.project_id = lt.project_id AND t.id = lt.tag_id
              WHERE lt.project_id = links.project_id AND lt.link_id = links.id AND ${condition})`,
    [values],
  );
}

const byTagIds: Filter<string[]> = {
  schema: queryList(id()).min(1),
  where: (query, ids) => taggedWithAny(query, 't.id = ANY(?)', ids),
};

/** A JSON object in a query: `{"DE":"https://…"}`, or `null`. */
const geoPairs = Kinds.string().custom((value: string, { error }) => {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && !Array.isArray(parsed)) return parsed;
  } catch {
    // Answered below, as any other text that is no object.
  }
  return error('rule', { rule: 'must be a JSON object, or null' });
});

/** A point in time, or the word `null`: records without one. */
const instantOrNull = Kinds.string().custom((value: string, { error }) =>
  value === 'null'
    ? null
    : (toInstant(value) ?? error('rule', { rule: 'must be an ISO 8601 date, or null' })),
);

const FILTERS: Filters = {
  // Checked by the route: it must name the key's own workspace.
  projectSlug: { schema: text(190), where: () => {} },
  domain: exactly('d.slug'),
  tagId: { schema: id(), where: (query, value) => byTagIds.where(query, [value]) },
  tagIds: byTagIds,
  tagNames: {
    schema: queryList().min(1),
    where: (query, names) =>
      taggedWithAny(
        query,
        'lower(t.name) = ANY(?)',
        names.map((name) => name.toLowerCase()),
      ),
  },
  folderId: exactly('links.folder_id'),
  search: {
    schema: text(1_000),
    where: (query, value) =>
      query.whereRaw('(links.key ILIKE ? OR links.url ILIKE ?)', [
        containing(value),
        containing(value),
      ]),
  },
  userId: exactly('links.user_id'),
  showArchived: {
    schema: flag().default(false),
    where: (query, value) => (value ? query : query.where('links.archived', false)),
  },
  password: {
    schema: text(200),
    where: (query, value) => query.where('links.password_fingerprint', fingerprint(value)),
  },
  expiresAt: {
    schema: instantOrNull,
    where: (query, value) =>
      value === null ? query.whereNull('links.expires_at') : query.where('links.expires_at', value),
  },
  geo: {
    schema: geoPairs,
    where: (query, value) =>
      value === null
        ? query.whereNull('links.geo')
        : query.whereRaw('links.geo @> ?::jsonb', [JSON.stringify(value)]),
  },
  ios: part('links.ios'),
  android: part('links.android'),
  comments: part('links.comments'),
  withTags: {
    schema: flag(),
    where: (query, value) => (value ? query.whereRaw(HAS_TAGS) : query),
  },
  trackConversion: {
    schema: flag(),
    where: (query, value) => query.where('links.track_conversion', value),
  },
  hasPassword: presence('links.password IS NOT NULL'),
  hasExpiration: presence('links.expires_at IS NOT NULL'),
  hasUTM: presence(UTM_FIELDS.map((name) => `links.${name} IS NOT NULL`).join(' OR ')),
  hasCustomSocial: presence('links.proxy'),
  hasGeo: presence('links.geo IS NOT NULL'),
  hasDevice: presence('links.ios IS NOT NULL OR links.android IS NOT NULL'),
  hasComments: presence('links.comments IS NOT NULL'),
  hasTags: presence(HAS_TAGS),
  createdAfter: compare('links.created_at', '>='),
  createdBefore: compare('links.created_at', '<='),
  expiresAfter: compare('links.expires_at', '>='),
  expiresBefore: compare('links.expires_at', '<='),
  clicksMin: clicks('>='),
  clicksMax: clicks('<='),
};

/** Schemas of the filters, for the schema of a query. */
export const filterSchemas = Object.fromEntries(
  Object.entries(FILTERS).map(([name, { schema }]) => [name, schema]),
);

/** Narrows a query to the links that match all filters. */
export function applyFilters(query: Query, filters: LinkFilters): Query {
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || !(name in FILTERS)) continue;
    const filter = FILTERS[name as keyof LinkFilters] as Filter<unknown>;
    filter.where(query, value);
  }
  return query;
}

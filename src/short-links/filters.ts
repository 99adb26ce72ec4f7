import type Joi from 'joi';
import type { QueryBuilder } from 'objection';
import { dateTime, flag, id, Joi as Kinds, queryList, text, toInstant } from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { fingerprint } from '../infra/secrets.ts';
import { UTM_FIELDS } from '../links/destination.ts';
import type { RoutedModel } from './model.ts';
import type { RecordTables } from './tables.ts';

/** Filters of lists and counts that links and QR codes share, as the query names them. */
export interface RoutedFilters {
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
}

/** A query over links or QR codes, joined with d (domains) and c (counters, with NULL for zeros). */
export type Query = QueryBuilder<RoutedModel, RoutedModel[]>;

/** A filter: how its value is written in a query, and what it does. */
export interface Filter<Value> {
  schema: Joi.Schema;
  /** Narrows the query. */
  where(query: Query, value: Value): unknown;
}

/** A filter for each name. */
export type FilterTable<Filters> = {
  [Name in keyof Filters]-?: Filter<Exclude<Filters[Name], undefined>>;
};

const exactly = (column: string): Filter<string> => ({
  schema: text(1_000),
  where: (query, value) => query.where(column, value),
});

/** Matches as a part, case-insensitively. */
export const part = (column: string): Filter<string> => ({
  schema: text(1_000),
  where: (query, value) => query.whereRaw('?? ILIKE ?', [column, containing(value)]),
});

/** `true` asks for records with the thing, `false` for those without it. */
export const presence = (condition: string): Filter<boolean> => ({
  schema: flag(),
  where: (query, wanted) => query.whereRaw(wanted ? `(${condition})` : `NOT (${condition})`),
});

const compare = (column: string, operator: string): Filter<string> => ({
  schema: dateTime(),
  where: (query, value) => query.where(column, operator, value),
});

/** A point in time, or the word `null`: records without one. */
const instantOrNull = Kinds.string().custom((value: string, { error }) =>
  value === 'null'
    ? null
    : (toInstant(value) ?? error('rule', { rule: 'must be an ISO 8601 date, or null' })),
);

/** The filters that links and QR codes share, over the tables of one of the two. */
export function routedFilters({
  table,
  tags: { table: tagTable, column },
}: RecordTables): FilterTable<RoutedFilters> {
  const tagged = (condition: string) =>
    `EXISTS (SELECT 1 FROM ${tagTable} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
              WHERE rt.project_id = ${table}.project_id AND rt.${column} = ${table}.id AND ${condition})`;
  const byTagIds: Filter<string[]> = {
    schema: queryList(id()).min(1),
    where: (query, ids) => query.whereRaw(tagged('t.id = ANY(?)'), [ids]),
  };
  const hasTags = tagged('true');
  return {
    // Checked by the route: it must name the key's own workspace.
    projectSlug: { schema: text(190), where: () => {} },
    domain: exactly('d.slug'),
    tagId: { schema: id(), where: (query, value) => byTagIds.where(query, [value]) },
    tagIds: byTagIds,
    tagNames: {
      schema: queryList().min(1),
      where: (query, names) =>
        query.whereRaw(tagged('lower(t.name) = ANY(?)'), [names.map((name) => name.toLowerCase())]),
    },
    folderId: exactly(`${table}.folder_id`),
    search: {
      schema: text(1_000),
      where: (query, value) =>
        query.whereRaw(`(${table}.key ILIKE ? OR ${table}.url ILIKE ?)`, [
          containing(value),
          containing(value),
        ]),
    },
    userId: exactly(`${table}.user_id`),
    showArchived: {
      schema: flag().default(false),
      where: (query, value) => (value ? query : query.where(`${table}.archived`, false)),
    },
    password: {
      schema: text(200),
      where: (query, value) => query.where(`${table}.password_fingerprint`, fingerprint(value)),
    },
    expiresAt: {
      schema: instantOrNull,
      where: (query, value) =>
        value === null
          ? query.whereNull(`${table}.expires_at`)
          : query.where(`${table}.expires_at`, value),
    },
    comments: part(`${table}.comments`),
    withTags: {
      schema: flag(),
      where: (query, value) => (value ? query.whereRaw(hasTags) : query),
    },
    trackConversion: {
      schema: flag(),
      where: (query, value) => query.where(`${table}.track_conversion`, value),
    },
    hasPassword: presence(`${table}.password IS NOT NULL`),
    hasExpiration: presence(`${table}.expires_at IS NOT NULL`),
    hasUTM: presence(UTM_FIELDS.map((name) => `${table}.${name} IS NOT NULL`).join(' OR ')),
    hasCustomSocial: presence(`${table}.proxy`),
    hasGeo: presence(`${table}.geo IS NOT NULL`),
    hasDevice: presence(`${table}.ios IS NOT NULL OR ${table}.android IS NOT NULL`),
    hasComments: presence(`${table}.comments IS NOT NULL`),
    hasTags: presence(hasTags),
    createdAfter: compare(`${table}.created_at`, '>='),
    createdBefore: compare(`${table}.created_at`, '<='),
    expiresAfter: compare(`${table}.expires_at`, '>='),
    expiresBefore: compare(`${table}.expires_at`, '<='),
  };
}

/** How often a record was visited, against a bound. */
export const visits = (operator: '>=' | '<='): Filter<number> => ({
  schema: Kinds.number().integer().min(0),
  where: (query, value) => query.whereRaw(`coalesce(c.visits, 0) ${operator} ?`, [value]),
});

/** Schemas of filters, for the schema of a query. */
export function schemasOf(table: Record<string, { schema: Joi.Schema }>): Joi.SchemaMap {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
}

/** Narrows a query to the records that match all filters; names that are no filters do nothing. */
export function applyFilters<Filters extends object>(
  query: Query,
  table: FilterTable<Filters>,
  filters: Filters,
): Query {
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || !(name in table)) continue;
    const filter = table[name as keyof Filters] as Filter<unknown>;
    filter.where(query, value);
  }
  return query;
}

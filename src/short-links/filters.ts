import type { Schema, SchemaMap } from 'joi';
import type { QueryBuilder } from 'objection';
import { Refusal } from '../errors.ts';
import { UTM_FIELDS } from '../events/utm.ts';
import { domainField } from '../http/domain-name.ts';
import { dateTime, flag, id, Joi, queryList, text, toInstant } from '../http/fields.ts';
import type { Query as Parameters } from '../http/input.ts';
import { contains } from '../infra/like.ts';
import { passwordFingerprints } from '../infra/secrets.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import type { RecordKind, ShortLinkModel, ShortLinkTables } from './model.ts';
import { mayReadPasswords } from './record.ts';
import { searchField } from './search.ts';

/** Filters of lists and counts that links and QR codes share, as the query names them. */
export interface SharedFilters {
  projectSlug?: string;
  domain?: string;
  tagId?: string;
  tagIds?: string[];
  tagNames?: string[];
  folderId?: string;
  search?: string;
  query?: string;
  userId?: string;
  showArchived: boolean;
  /** Its fingerprints. */
  password?: string[];
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

/** A query over links or QR codes that filters narrow, joined with d (domains) and c (counters, with NULL for zeros). */
export interface Query {
  where(column: string, value: string | boolean): unknown;
  where(column: string, operator: string, value: string): unknown;
  whereNull(column: string): unknown;
  whereRaw(sql: string, bindings?: (string | number | string[])[]): unknown;
}

/** A filter: how its value is written in a query, and what it does. */
export interface Filter<Value> {
  schema: Schema;
  /** An index finds the records, or it leaves out none. Lists with another filter are heavy requests. */
  isIndexed?: true;
  /** Narrows the query. */
  where(query: Query, value: Value): unknown;
}

/** A filter for each name. */
export type FilterTable<Filters> = {
  [Name in keyof Filters]-?: Filter<Exclude<Filters[Name], undefined>>;
};

const exactly = (column: string, description: string): Filter<string> => ({
  schema: text(1_000).description(description),
  where: (query, value) => query.where(column, value),
});

/** Matches as a part, case-insensitively. */
export const part = (column: string, name: string): Filter<string> => ({
  schema: text(1_000).description(`Part of ${name}, regardless of case.`),
  where: (query, value) => query.whereRaw(...contains(column, value)),
});

/** `true` asks for records with the thing, `false` for those without it. */
export const presence = (condition: string, what: string): Filter<boolean> => ({
  schema: flag().description(`true: only records with ${what}; false: only those without.`),
  where: (query, wanted) => query.whereRaw(wanted ? `(${condition})` : `NOT (${condition})`),
});

const compare = (column: string, operator: string, description: string): Filter<string> => ({
  schema: dateTime().description(description),
  where: (query, value) => query.where(column, operator, value),
});

/** A point in time, or the word `null`: records without one. */
const instantOrNull = Joi.string().custom((value: string, { error }) =>
  value === 'null'
    ? null
    : (toInstant(value) ?? error('rule', { rule: 'must be an ISO 8601 date, or null' })),
);

/** The filters that links and QR codes share, over the tables of one of the two. */
export function sharedFilters({
  table,
  tags: { table: tagTable, column },
}: ShortLinkTables): FilterTable<SharedFilters> {
  const tagged = (condition: string) =>
    `EXISTS (SELECT 1 FROM ${tagTable} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
              WHERE rt.project_id = ${table}.project_id AND rt.${column} = ${table}.id AND ${condition})`;
  const byTagIds: Filter<string[]> = {
    schema: queryList(id()).min(1).description('Ids of tags: only records with one of them.'),
    isIndexed: true,
    where: (query, ids) => query.whereRaw(tagged('t.id = ANY(?)'), [ids]),
  };
  const hasTags = tagged('true');
  return {
    // Checked by the route: it must name the key's own workspace.
    projectSlug: {
      schema: text(190).description('Slug of the workspace that the API key belongs to.'),
      isIndexed: true,
      where: () => {},
    },
    domain: {
      schema: domainField().description(
        'Only records on this domain: one of the workspace, or the default short domain (`defaultDomain` of `GET /workspace`).',
      ),
      where: (query, value) => query.where('d.slug', value),
    },
    tagId: {
      schema: id().description('Id of a tag: only records with it.'),
      isIndexed: true,
      where: (query, value) => byTagIds.where(query, [value]),
    },
    tagIds: byTagIds,
    tagNames: {
      schema: queryList()
        .min(1)
        .description('Names of tags, regardless of case: only records with one of them.'),
      isIndexed: true,
      where: (query, names) => query.whereRaw(tagged('t.name_key = ANY(?)'), [names.map(nameKey)]),
    },
    folderId: exactly(`${table}.folder_id`, 'Id of a folder: only records in it.'),
    search: {
      schema: text(1_000).description(
        'Part of the key or of the destination URL, regardless of case.',
      ),
      where(query, value) {
        const [inKey, key] = contains(`${table}.key`, value);
        // Destinations are in ASCII.
        const written = value.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
        const [inUrl, url] = contains(`${table}.url`, written);
        query.whereRaw(`(${inKey} OR ${inUrl})`, [...key, ...url]);
      },
    },
    // Applied by applySearch, once tags and short links that it names have been read.
    query: {
      schema: searchField()
        .description(
          'Words that must all be in the title, short link, destination, comments or name of a tag, in any order, ' +
            'regardless of case and accents; or a whole short link. The record with exactly this short link or ' +
            'slug comes first. At most 16 words; of each text the first 2,000 characters are searched.',
        )
        .example('spring podcast')
        .meta({ extension: true }),
      where: () => {},
    },
    userId: exactly(`${table}.user_id`, 'Id of a user: only records that they created.'),
    showArchived: {
      schema: flag().default(false).description('true: archived records as well.'),
      isIndexed: true,
      where: (query, value) => (value ? query : query.where(`${table}.archived`, false)),
    },
    password: {
      // At once, since filters travel in the jobs of exports.
      schema: text(200)
        .custom(passwordFingerprints)
        .description(
          'Only records with exactly this password. It needs the scope to write the records.',
        ),
      // Jobs of 0.5 and earlier have one alone.
      where: (query, value) =>
        query.whereRaw(`${table}.password_fingerprint = ANY(?)`, [[value].flat()]),
    },
    expiresAt: {
      schema: instantOrNull.description(
        'Only records that expire at this time (ISO 8601), or with `null` those that do not expire.',
      ),
      where: (query, value) =>
        value === null
          ? query.whereNull(`${table}.expires_at`)
          : query.where(`${table}.expires_at`, value),
    },
    comments: part(`${table}.comments`, 'the comments'),
    withTags: {
      schema: flag().description('true: only records with tags.'),
      where: (query, value) => (value ? query.whereRaw(hasTags) : query),
    },
    trackConversion: {
      schema: flag().description('Only records with, or without, conversion tracking.'),
      where: (query, value) => query.where(`${table}.track_conversion`, value),
    },
    hasPassword: presence(`${table}.password IS NOT NULL`, 'a password'),
    hasExpiration: presence(`${table}.expires_at IS NOT NULL`, 'an expiration time'),
    hasUTM: presence(
      UTM_FIELDS.map((name) => `${table}.${name} IS NOT NULL`).join(' OR '),
      'UTM parameters',
    ),
    hasCustomSocial: presence(`${table}.proxy`, 'a link preview of their own'),
    hasGeo: presence(`${table}.geo IS NOT NULL`, 'destinations by country'),
    hasDevice: presence(
      `${table}.ios IS NOT NULL OR ${table}.android IS NOT NULL`,
      'destinations by device',
    ),
    hasComments: presence(`${table}.comments IS NOT NULL`, 'comments'),
    hasTags: presence(hasTags, 'tags'),
    createdAfter: {
      ...compare(`${table}.created_at`, '>=', 'Only records created at this time or later.'),
      isIndexed: true,
    },
    createdBefore: {
      ...compare(`${table}.created_at`, '<=', 'Only records created at this time or earlier.'),
      isIndexed: true,
    },
    expiresAfter: compare(
      `${table}.expires_at`,
      '>=',
      'Only records that expire at this time or later.',
    ),
    expiresBefore: compare(
      `${table}.expires_at`,
      '<=',
      'Only records that expire at this time or earlier.',
    ),
  };
}

/** Compares the visits of a record with a bound. */
export const visits = (operator: '>=' | '<='): Filter<number> => ({
  schema: Joi.number()
    .integer()
    .min(0)
    .description(`${operator === '>=' ? 'Least' : 'Largest'} number of counted visits.`),
  where: (query, value) => query.whereRaw(`coalesce(c.visits, 0) ${operator} ?`, [value]),
});

/** True for the query of a list that reads all records: with a filter that no index answers, or sorted by visits. */
export const isHeavyList =
  (table: Readonly<Record<string, Pick<Filter<never>, 'isIndexed'>>>) =>
  ({ sort = 'createdAt', ...filters }: Parameters): boolean =>
    sort !== 'createdAt' ||
    Object.keys(filters).some((name) => Object.hasOwn(table, name) && !table[name]!.isIndexed);

/** Schemas of filters, for the schema of a query. */
export function schemasOf(table: Record<string, { schema: Schema }>): SchemaMap {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
}

/** Narrows a query to the records that match all filters; names that are no filters do nothing. */
export function applyFilters<Row extends ShortLinkModel, Filters extends object>(
  query: QueryBuilder<Row>,
  table: FilterTable<Filters>,
  filters: Filters,
): QueryBuilder<Row> {
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || !(name in table)) continue;
    const filter = table[name as keyof Filters] as Filter<unknown>;
    filter.where(query, value);
  }
  return query;
}

/** @throws Refusal `forbidden` for a filter that would tell a password to a caller who may not read it */
export function refuseHiddenFilter(
  caller: Pick<Caller, 'scopes'>,
  kind: RecordKind,
  { password }: Pick<SharedFilters, 'password'>,
): void {
  if (password === undefined || mayReadPasswords(caller, kind)) return;
  throw new Refusal('forbidden', `The filter password needs the scope ${kind}s.write`);
}

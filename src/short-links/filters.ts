import type { Schema, SchemaMap } from 'joi';
import type { QueryBuilder } from 'objection';
import { Refusal } from '../errors.ts';
import { UTM_FIELDS } from '../events/utm.ts';
import { domainField } from '../http/domain-name.ts';
import { dateTime, flag, id, Joi, queryList, queryNames, splitList, text } from '../http/fields.ts';
import type { Query as Parameters } from '../http/input.ts';
import { toInstant } from '../http/iso-time.ts';
import { contains } from '../infra/like.ts';
import { formsOf } from '../infra/normalize.ts';
import { passwordFingerprints } from '../infra/secrets.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import { toAddress } from './address.ts';
import { hasDestination, toDestination } from './destination-match.ts';
import type { RecordKind, ShortLinkModel, ShortLinkTables } from './model.ts';
import { canReadPasswords } from './record.ts';
import { searchField, textOrDestination } from './search.ts';
import { destination } from './url-field.ts';
import { VISITS } from './visits-sql.ts';

/** Names of tags: several, or a text that is one name or several with commas between them. */
type TagNames = string | string[];

/**
 * Filters of lists and counts that links and QR codes share, under their names in the query string.
 */
export interface SharedFilters {
  projectSlug?: string;
  domain?: string;
  tagId?: string;
  tagIds?: string[];
  tagNames?: TagNames;
  allTagNames?: TagNames;
  withoutTagNames?: TagNames;
  notAllTagNames?: TagNames;
  folderId?: string;
  destination?: string;
  search?: string;
  query?: string;
  userId?: string;
  showArchived: boolean;
  /** Fingerprints of the password in its forms, with the present and older keys. */
  password?: string[];
  expiresAt?: string | null;
  comments?: string;
  withTags?: boolean;
  trackConversion?: boolean;
  hasPassword?: boolean;
  hasExpiration?: boolean;
  isExpired?: boolean;
  isUsedUp?: boolean;
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

/**
 * A query over links or QR codes to narrow. It joins d (domains), c (counters, where NULL means
 * zero) and w (the workspace).
 */
export interface Query {
  where(column: string, value: string | boolean): unknown;
  where(column: string, operator: string, value: string): unknown;
  whereNull(column: string): unknown;
  whereRaw(
    sql: string,
    bindings?: (string | number | string[])[] | Record<string, string | string[]>,
  ): unknown;
}

/** A filter: the schema of its value in the query string, and its condition. */
export interface Filter<Value> {
  schema: Schema;
  /**
   * An index finds the records, or the filter excludes none. Lists with any other filter are heavy
   * requests.
   */
  isIndexed?: true;
  /** Narrows the query. */
  where(query: Query, value: Value): unknown;
}

/** A filter for each name. */
export type FilterTable<Filters> = {
  [Name in keyof Filters]-?: Filter<Exclude<Filters[Name], undefined>>;
};

/** Maximum length of a text that a filter compares, in UTF-16 units. */
const MAX_TEXT = 1_000;

const exactly = (column: string, description: string): Filter<string> => ({
  schema: text(MAX_TEXT).description(description),
  where: (query, value) => query.where(column, value),
});

/** Matches values that contain the text, ignoring case. */
export const containsText = (column: string, name: string): Filter<string> => ({
  schema: text(MAX_TEXT).description(`Part of ${name}, regardless of case.`),
  where: (query, value) => query.whereRaw(...contains(column, value)),
});

/** Matches records with the thing for `true`, and records without it for `false`. */
export const presence = (condition: string, what: string): Filter<boolean> => ({
  schema: flag().description(`true: only records with ${what}; false: only those without.`),
  where: (query, isPresent) => query.whereRaw(isPresent ? `(${condition})` : `NOT (${condition})`),
});

/** Marks a filter as an extension of the contract. */
const extended = <Value>(filter: Filter<Value>): Filter<Value> => ({
  ...filter,
  schema: filter.schema.meta({ extension: true }),
});

const compare = (column: string, operator: string, description: string): Filter<string> => ({
  schema: dateTime().description(description),
  where: (query, value) => query.where(column, operator, value),
});

/** An instant, or the word `null` for records without one. */
const instantOrNull = Joi.string().custom((value: string, { error }) =>
  value === 'null'
    ? null
    : (toInstant(value) ?? error('rule', { rule: 'must be an ISO 8601 date, or null' })),
);

/** Builds the filters that links and QR codes share, for the tables of one kind. */
export function sharedFilters({
  table,
  tags: { table: tagTable, column },
}: ShortLinkTables): FilterTable<SharedFilters> {
  const tagRows = (condition: string) =>
    `FROM ${tagTable} rt JOIN tags t ON t.project_id = rt.project_id AND t.id = rt.tag_id
      WHERE rt.project_id = ${table}.project_id AND rt.${column} = ${table}.id AND ${condition}`;
  const tagged = (condition: string) => `EXISTS (SELECT 1 ${tagRows(condition)})`;
  const hasTags = tagged('true');
  const byTagIds: Filter<string[]> = {
    schema: queryList(id()).min(1).description('Ids of tags: only records with one of them.'),
    isIndexed: true,
    where: (query, ids) => query.whereRaw(tagged('t.id = ANY(?)'), [ids]),
  };
  const hasOne = (keys: string) => tagged(`t.name_key = ANY(${keys})`);
  const hasAll = (keys: string) =>
    `(SELECT count(*) ${tagRows(`t.name_key = ANY(${keys})`)}) = cardinality(${keys})`;
  const byTagNames = (
    description: string,
    condition: (keys: string) => string,
  ): Filter<TagNames> => ({
    schema: queryNames()
      .min(1)
      .description(
        `Names of tags, regardless of case: only records ${description}. If the parameter is ` +
          'sent once, it is divided at commas, unless there is a tag with the whole name.',
      ),
    where(query, names) {
      if (typeof names !== 'string') {
        return query.whereRaw(condition('CAST(:keys AS text[])'), { keys: names.map(nameKey) });
      }
      const keys = `CASE WHEN EXISTS (SELECT 1 FROM tags
                                       WHERE project_id = ${table}.project_id AND name_key = :whole)
                         THEN ARRAY[:whole] ELSE CAST(:parts AS text[]) END`;
      const parts = [...new Set(splitList(names).map(nameKey))];
      return query.whereRaw(condition(keys), { whole: nameKey(names.trim()), parts });
    },
  });
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
    tagNames: { ...byTagNames('with one of them', hasOne), isIndexed: true },
    allTagNames: extended({
      ...byTagNames('with all of them', (keys) => `${hasOne(keys)} AND ${hasAll(keys)}`),
      isIndexed: true,
    }),
    withoutTagNames: extended(byTagNames('with none of them', (keys) => `NOT ${hasOne(keys)}`)),
    notAllTagNames: extended(
      byTagNames('that lack at least one of them', (keys) => `NOT ${hasAll(keys)}`),
    ),
    folderId: exactly(`${table}.folder_id`, 'Id of a folder: only records in it.'),
    destination: {
      schema: destination()
        .description(
          'Destination URL: only records with exactly this one, as it is stored. Like `url` of a ' +
            'new record, it may lack `https://` and have characters beyond ASCII.',
        )
        .example('https://example.com/spring')
        .meta({ extension: true }),
      isIndexed: true,
      where: (query, value) => query.whereRaw(...hasDestination(table, value)),
    },
    search: {
      schema: textOrDestination(MAX_TEXT).description(
        'Part of the key or of the destination URL, regardless of case, up to 1,000 characters; ' +
          'or a whole short link, also without `https://` or with a query string; or a whole ' +
          'destination URL of any length.',
      ),
      where(query, value) {
        const destination = value.length > MAX_TEXT ? toDestination(value) : undefined;
        if (destination !== undefined) return query.whereRaw(...hasDestination(table, destination));
        const [inKey, key] = contains(`${table}.key`, value);
        // Stored destinations are ASCII.
        const ascii = value.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
        const [inUrl, url] = contains(`${table}.url`, ascii);
        const address = toAddress(value);
        return address === undefined || address.key === ''
          ? query.whereRaw(`(${inKey} OR ${inUrl})`, [...key, ...url])
          : query.whereRaw(
              `(${inKey} OR ${inUrl} OR (d.slug = ? AND lower(${table}.key) = lower(?)))`,
              [...key, ...url, address.host, address.key],
            );
      },
    },
    // Applied by applySearch, after its tags and short links have been read.
    query: {
      schema: searchField()
        .description(
          'Words that all occur in the title, short link, destination, comments or name of a ' +
            'tag, in any order, regardless of case and accents; or a whole short link; or a whole ' +
            'destination URL of any length. The record with exactly this short link or slug ' +
            'comes first. At most 16 words and 200 characters; only the first 2,000 characters ' +
            'of each text are searched.',
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
      // Hashed here, since filters are written into the jobs of exports.
      schema: text(200)
        .custom((password: string) => formsOf(password).flatMap(passwordFingerprints))
        .description(
          'Only records with exactly this password. It needs the scope to write the records.',
        ),
      // Jobs of 0.5 and earlier hold a single fingerprint.
      where: (query, value) =>
        query.whereRaw(`${table}.password_fingerprint = ANY(?)`, [[value].flat()]),
    },
    expiresAt: {
      schema: instantOrNull.description(
        'Only records that expire at this time (ISO 8601), or with `null` records that do not expire.',
      ),
      where: (query, value) =>
        value === null
          ? query.whereNull(`${table}.expires_at`)
          : query.where(`${table}.expires_at`, value),
    },
    comments: containsText(`${table}.comments`, 'the comments'),
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
    isExpired: extended(
      presence(
        `${table}.expires_at IS NOT NULL AND ${table}.expires_at <= now()`,
        'an expiration time that has passed',
      ),
    ),
    isUsedUp: extended(
      presence(
        `${table}.max_visits IS NOT NULL AND coalesce(c.visits + c.suspects, 0) >= ${table}.max_visits`,
        'as many visits as their `maxVisits`',
      ),
    ),
    hasUTM: presence(
      UTM_FIELDS.map((name) => `${table}.${name} IS NOT NULL`).join(' OR '),
      'UTM parameters',
    ),
    hasCustomSocial: presence(`${table}.proxy`, 'a custom link preview'),
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

/** Compares a record's number of visits with a bound. */
export const visits = (operator: '>=' | '<='): Filter<number> => ({
  schema: Joi.number()
    .integer()
    .min(0)
    .description(`${operator === '>=' ? 'Least' : 'Largest'} number of counted visits.`),
  where: (query, value) => query.whereRaw(`${VISITS} ${operator} ?`, [value]),
});

/**
 * True for a list query that reads all records: one with a filter that no index serves, or sorted
 * by visits.
 */
export const isHeavyList =
  (table: Readonly<Record<string, Pick<Filter<never>, 'isIndexed'>>>) =>
  ({ sort = 'createdAt', ...filters }: Parameters): boolean =>
    sort !== 'createdAt' ||
    Object.keys(filters).some((name) => Object.hasOwn(table, name) && !table[name]!.isIndexed);

/** The schemas of a table of filters, for the schema of a query string. */
export function schemasOf(table: Record<string, { schema: Schema }>): SchemaMap {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
}

/** Narrows a query to the records that match all filters; unknown names are ignored. */
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

/**
 * Refuses a filter that would reveal a password to a caller who cannot read it.
 *
 * @throws Refusal `forbidden`
 */
export function refuseHiddenFilter(
  caller: Pick<Caller, 'scopes'>,
  kind: RecordKind,
  { password }: Pick<SharedFilters, 'password'>,
): void {
  if (password === undefined || canReadPasswords(caller, kind)) return;
  throw new Refusal('forbidden', `The filter password needs the scope ${kind}s.write`);
}

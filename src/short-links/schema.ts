import type { CustomValidator, Schema } from 'joi';
import type { RefusalData } from '../errors.ts';
import { domainField } from '../http/domain-name.ts';
import { id, Joi, list, oneOf, queryList, recordId, text } from '../http/fields.ts';
import { seal } from '../infra/seal.ts';
import { described, type Field, type FieldTable } from './field.ts';
import { fields, MAX_TAGS, type TagChoice, type TagFields } from './fields.ts';
import { prefixField } from './key.ts';
import type { ShortLinkTables } from './model.ts';

/** Treatment of the events of a deleted link or QR code. */
export type EventsOnDelete = 'keep' | 'remove';

/** An item of a bulk request: a valid input, or the refusal of its schema. */
export type BulkInput<Input> = ({ input: Input } | { refused: RefusalData }) & {
  /** The sealed input, only in jobs of 0.5 and earlier, whose `BulkInputs` have no `sent`. */
  sent?: string;
};

/** Maximum number of records in a bulk request. */
export const BULK_LIMIT = 100;

/**
 * The order in which a refusal names the fields at fault. `*` stands for all other fields, in the
 * order of their table, so a new field needs no place here.
 */
const BODY_ORDER = [
  'domain',
  'key',
  'externalId',
  'trackConversion',
  'archived',
  'proxy',
  'rewrite',
  'doIndex',
  'publicStats',
  'flexible',
  'preRedirection',
  'isFormMandatory',
  '*',
  'tagId',
  'tagIds',
  'tagNames',
];

const placeInBody = (name: string) => BODY_ORDER.indexOf(BODY_ORDER.includes(name) ? name : '*');

/** Schemas of the fields of a change. */
export function changeSchemas(table: FieldTable): Record<string, Schema> {
  const names = Object.keys(table).toSorted((a, b) => placeInBody(a) - placeInBody(b));
  return Object.fromEntries(names.flatMap((name) => described(name, table[name]!, 'in')));
}

/**
 * Schemas of the fields of a new record. They document defaults without filling them in, since an
 * upsert must tell an absent field from a sent one.
 */
export function creationSchemas(table: FieldTable): Record<string, Schema> {
  const defaults = defaultsOf(table);
  return Object.fromEntries(
    Object.entries(changeSchemas(table)).map(([name, schema]) => [
      name,
      name in defaults ? schema.default(defaults[name]).prefs({ noDefaults: true }) : schema,
    ]),
  );
}

/** Defaults of the fields of a body, by name; fields without one default to null. */
export function defaultsOf(table: FieldTable): Readonly<Record<string, boolean | number | string>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { in: schema, default: value = null }]) =>
      schema === undefined || value === null ? [] : [[name, value]],
    ),
  );
}

/** Schemas of the shared fields of a new record. */
export const creationFields = creationSchemas(fields);

/** Fields that replace all tags of a record. */
const REPLACING_TAGS = ['tagId', 'tagIds', 'tagNames'];

/** Refuses tags to add or remove together with tags that replace all. */
const isAlone: CustomValidator<string[]> = (ids, { error, state }) => {
  const [body] = state.ancestors as [Record<string, unknown>];
  const replacing = REPLACING_TAGS.find((name) => body[name] !== undefined);
  if (replacing === undefined) return ids;
  return error('rule', {
    rule: `must not be set together with ${replacing}, which replaces all tags`,
  });
};

/** Refuses to remove a tag that is also added. */
const isNotAdded: CustomValidator<string[]> = (ids, { error, state }) => {
  const [{ addTagIds }] = state.ancestors as [{ addTagIds?: unknown }];
  const both = ids.find((id) => Array.isArray(addTagIds) && addTagIds.includes(id));
  return both === undefined
    ? ids
    : error('rule', { rule: `must not have "${both}", which addTagIds has` });
};

const tagEdits = {
  addTagIds: list(id())
    .max(MAX_TAGS)
    .custom(isAlone)
    .description(
      'Ids of up to 50 tags that are added after the tags of the record: an array or `a,b`.',
    )
    .example(['tag_0VKAM3TWq8Zr5XnYb2VdLcHs'])
    .meta({ extension: true }),
  removeTagIds: list(id())
    .max(MAX_TAGS)
    .custom(isAlone)
    .custom(isNotAdded)
    .description('Ids of up to 50 tags to remove from the record: an array or `a,b`.')
    .example(['tag_1HwQz7Lk3Rt9YpVx5NbMcDfG'])
    .meta({ extension: true }),
};

/** Tags to add and to remove, in the body of a change. */
export interface TagEditFields {
  addTagIds?: string[] | undefined;
  removeTagIds?: string[] | undefined;
}

/** Schemas of the shared fields of a change. */
export const changeFields = { ...changeSchemas(fields), ...tagEdits };

/** Schema of the prefix that the creator of a record can give its random key. */
export const newRecordFields = {
  prefix: prefixField()
    .description('Prefix of a random slug; ignored if `key` is given.')
    .example('c'),
};

/** Defaults of the shared fields of a new record; fields without one default to null. */
export const SHARED_DEFAULTS = defaultsOf(fields);

/** Fields that two records cannot share, which bulk changes refuse. */
export const SINGULAR = Object.entries<Field>(fields).flatMap(([name, { isSingular }]) =>
  isSingular ? [name] : [],
);

/** Query parameter `events` of a deletion: keep or remove the events. */
export const eventsOnDelete = () =>
  Joi.string()
    .valid('keep', 'remove')
    .description(
      'Handling of the events. By default they stay, and count in analytics; `remove` deletes ' +
        'them.',
    )
    .example('remove')
    .meta({ extension: true });

/** The query string of a deletion. */
export interface DeleteOneQuery {
  events?: EventsOnDelete;
}

/** Schema of the query string of a deletion. */
export const deleteOneQuery = Joi.object<DeleteOneQuery>({ events: eventsOnDelete() });

/** Description of the endpoint that sets the counts of a record back to zero. */
export const resetText = (noun: string): string =>
  `Deletes all events of the ${noun}, and sets its counts to 0 and \`lastClicked\` to null, for example after a test. ` +
  'Visits that `maxVisits` limits count from 0 again. A visitor who was counted before counts again in the next ' +
  'window of `clickDedupeSeconds`. This cannot be undone.';

/** Names of a record: its domain and key, its id under the name of the kind, or its external id. */
export type InfoQuery<IdName extends string> = { [Name in IdName]?: string } & {
  projectSlug?: string;
  domain?: string;
  key?: string;
  externalId?: string;
};

/** Schema of the query string that names one record. */
export const infoQuery = <IdName extends string>(idName: IdName, { noun }: ShortLinkTables) =>
  Joi.object<InfoQuery<IdName>>({
    projectSlug: text(190).description('Slug of the workspace that the API key belongs to.'),
    domain: domainField().description('Domain of the short link; with `key`.'),
    key: text(1_000).description('Key of the short link; with `domain`.'),
    [idName]: id().description(`Id of the ${noun}.`),
    externalId: id().description(`External id of the ${noun}, after the prefix \`ext_\`.`),
  })
    .example({ domain: 'go.example.com', key: 'spring' })
    .and('domain', 'key')
    .or('domain', idName, 'externalId')
    .messages({
      'object.and': 'domain and key must be given together',
      'object.missing': `domain with key, or ${idName}, or externalId is required`,
    });

/** Query parameters with the order of a list. */
export const sortFields = (names: readonly string[]) => ({
  sort: oneOf(names).default('createdAt').description('Sort field.'),
  sortOrder: Joi.string()
    .valid('asc', 'desc')
    .default('desc')
    .description('Ascending or descending order.')
    .meta({ extension: true }),
});

/** The query parameter that groups a count. */
export interface Grouping {
  groupBy?: 'domain' | 'tag' | 'folder';
}

export const groupingField = Joi.string()
  .valid('domain', 'tag', 'folder')
  .description(
    'Counts per domain, tag or folder instead of in total. Empty groups are left out; a record ' +
      'with several tags counts for each.',
  );

const bulkIdsText = ({ noun }: ShortLinkTables) => `Ids of the ${noun}s, at most ${BULK_LIMIT}.`;

/** Query parameter with the ids of a bulk deletion. */
export const bulkIds = (tables: ShortLinkTables) =>
  queryList(recordId()).min(1).max(BULK_LIMIT).required().description(bulkIdsText(tables));

/** Body field with the ids of a bulk change. */
export const changedIds = (tables: ShortLinkTables) =>
  Joi.array().items(recordId()).min(1).max(BULK_LIMIT).required().description(bulkIdsText(tables));

/** Schema of the body of a bulk creation, whose items are validated one by one. */
export const bulkEnvelope = Joi.array().min(1).max(BULK_LIMIT);

/** Converts a valid body for its job: tags in one member, the password sealed. */
export function toSharedChanges<
  Body extends TagFields & TagEditFields & { password?: string | null | undefined },
>(
  projectId: string,
  body: Body,
): Omit<Body, keyof TagFields | keyof TagEditFields> & { tags?: TagChoice } {
  const { tagId, tagIds, tagNames, addTagIds, removeTagIds, ...rest } = body;
  const changes: typeof rest & { tags?: TagChoice } = rest;
  if (typeof changes.password === 'string') {
    changes.password = seal({ purpose: 'password', owner: projectId }, changes.password);
  }
  if (tagId !== undefined || tagIds !== undefined || tagNames !== undefined) {
    const ids = [...(typeof tagId === 'string' ? [tagId] : []), ...(tagIds ?? [])];
    changes.tags = { ids: [...new Set(ids)], names: tagNames ?? [] };
  } else if (addTagIds !== undefined || removeTagIds !== undefined) {
    changes.tags = { ids: addTagIds ?? [], names: [], removed: removeTagIds ?? [] };
  }
  return changes;
}

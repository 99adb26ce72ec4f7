import type { CustomValidator, Schema } from 'joi';
import type { RefusalData } from '../errors.ts';
import { id, Joi, list, queryList, recordId } from '../http/fields.ts';
import { seal } from '../infra/seal.ts';
import { described, type Field, type FieldTable } from './field.ts';
import { fields, MOST_TAGS, type TagChoice, type TagFields } from './fields.ts';
import { prefixField } from './key.ts';

/** Handling of the events of a link or QR code that is deleted. */
export type EventsOnDelete = 'keep' | 'remove';

/** An item of a bulk request: checked, or already refused by its schema. */
export type BulkInput<Input> = ({ input: Input } | { refused: RefusalData }) & {
  /** As it was sent, sealed: only in jobs of 0.5 and earlier versions, which have no `sent` of all items. */
  sent?: string;
};

/** Most records of one bulk request. */
export const BULK_LIMIT = 100;

/**
 * The order of bodies, in which a refusal names the fields at fault; `*` stands for all others, in the order of the
 * table. A new field needs no place here.
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

/** Schemas for the body of a change. */
export function changeSchemas(table: FieldTable): Record<string, Schema> {
  const names = Object.keys(table).toSorted((a, b) => placeInBody(a) - placeInBody(b));
  return Object.fromEntries(names.flatMap((name) => described(name, table[name]!, 'in')));
}

/**
 * Schemas for the body of a new record. They state the defaults without filling them in: an upsert must tell a field
 * that is absent from one that is sent.
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

/** Defaults of fields that a body may have, by name; all others are null. */
export function defaultsOf(table: FieldTable): Readonly<Record<string, boolean | number | string>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { in: schema, default: value = null }]) =>
      schema === undefined || value === null ? [] : [[name, value]],
    ),
  );
}

/** Schemas of the shared fields in the body of a new record. */
export const creationFields = creationSchemas(fields);

/** Names of the fields that replace all tags of a record. */
const REPLACING_TAGS = ['tagId', 'tagIds', 'tagNames'];

/** Refuses tags to add or remove beside tags that replace all. */
const isAlone: CustomValidator<string[]> = (ids, { error, state }) => {
  const [body] = state.ancestors as [Record<string, unknown>];
  const replacing = REPLACING_TAGS.find((name) => body[name] !== undefined);
  if (replacing === undefined) return ids;
  return error('rule', {
    rule: `must not be set together with ${replacing}, which replaces all tags`,
  });
};

/** Refuses to remove a tag that is also to be added. */
const isNotAdded: CustomValidator<string[]> = (ids, { error, state }) => {
  const [{ addTagIds }] = state.ancestors as [{ addTagIds?: unknown }];
  const both = ids.find((id) => Array.isArray(addTagIds) && addTagIds.includes(id));
  return both === undefined
    ? ids
    : error('rule', { rule: `must not have "${both}", which addTagIds has` });
};

const tagEdits = {
  addTagIds: list(id())
    .max(MOST_TAGS)
    .custom(isAlone)
    .description(
      'Ids of up to 50 tags that are added after the tags of the record: an array or `a,b`.',
    )
    .example(['tag_0VKAM3TWq8Zr5XnYb2VdLcHs'])
    .meta({ extension: true }),
  removeTagIds: list(id())
    .max(MOST_TAGS)
    .custom(isAlone)
    .custom(isNotAdded)
    .description(
      'Ids of up to 50 tags that are removed from the record, where it has them: an array or `a,b`.',
    )
    .example(['tag_1HwQz7Lk3Rt9YpVx5NbMcDfG'])
    .meta({ extension: true }),
};

/** Tags to add and to remove, as the body of a change names them. */
export interface TagEditFields {
  addTagIds?: string[] | undefined;
  removeTagIds?: string[] | undefined;
}

/** Schemas of the shared fields in the body of a change. */
export const changeFields = { ...changeSchemas(fields), ...tagEdits };

/** The part of a random key that the body of a new record may choose. */
export const newRecordFields = {
  prefix: prefixField()
    .description('What a random slug starts with; ignored when `key` is given.')
    .example('c'),
};

/** Defaults of shared fields that are absent from the body of a new record; all others are null then. */
export const SHARED_DEFAULTS = defaultsOf(fields);

/** Names of fields that can't be the same for many records: a bulk change refuses them. */
export const SINGULAR = Object.entries<Field>(fields).flatMap(([name, { isSingular }]) =>
  isSingular ? [name] : [],
);

/** Query parameter `events` of a deletion: keep or delete the events. */
export const eventsOnDelete = () =>
  Joi.string()
    .valid('keep', 'remove')
    .description(
      'What becomes of the events. By default they are kept, and counted in analytics; `remove` deletes them.',
    )
    .example('remove')
    .meta({ extension: true });

/** The parameter by which a count has one number for each group. */
export interface Grouping {
  groupBy?: 'domain' | 'tag' | 'folder';
}

export const groupingField = Joi.string()
  .valid('domain', 'tag', 'folder')
  .description(
    'Counts for each domain, tag or folder instead of all together. Groups without a record are left out; a record ' +
      'with several tags counts for each.',
  );

/** The ids of a bulk deletion, in a query. */
export const bulkIds = () => queryList(recordId()).min(1).max(BULK_LIMIT).required();

/** A checked body as a job carries it: tags in one place, the password sealed. */
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

import { domainField } from '../domains/schema.ts';
import { newId } from '../ids.ts';
import { COUNTRY_CODES } from '../infra/countries.ts';
import {
  bodyFlag,
  dateTime,
  id,
  Joi,
  list,
  nullableText,
  paging,
  queryList,
  recordId,
  text,
} from '../infra/fields.ts';
import { seal } from '../infra/secrets.ts';
import { destination, UTM_FIELDS, type Utm } from './destination.ts';
import { filterSchemas, type LinkFilters } from './filters.ts';
import { keyField, prefixField } from './key.ts';

/** Most links of one bulk request. */
export const BULK_LIMIT = 100;

/** Fields that are stored as they are sent. */
interface PlainFields {
  externalId?: string | null;
  trackConversion?: boolean;
  archived?: boolean;
  proxy?: boolean;
  rewrite?: boolean;
  doIndex?: boolean;
  publicStats?: boolean;
  flexible?: boolean;
  preRedirection?: boolean;
  isFormMandatory?: boolean;
  expiresAt?: string | null;
  expiredUrl?: string | null;
  title?: string | null;
  description?: string | null;
  image?: string | null;
  video?: string | null;
  ios?: string | null;
  android?: string | null;
  geo?: Record<string, string> | null;
  folderId?: string | null;
  comments?: string | null;
  notificationToken?: string | null;
  webhookIds?: string[] | null;
  pageId?: string | null;
  pageUrl?: string | null;
}

/** Tags as a caller names them, in the order sent. */
export interface TagChoice {
  ids: string[];
  names: string[];
}

/** What may be changed of a link. An absent field stays, `null` clears it. */
export interface LinkChanges extends PlainFields, Partial<Utm> {
  url?: string;
  domain?: string;
  key?: string;
  /** Sealed: jobs are plain text in Redis. */
  password?: string | null;
  tags?: TagChoice;
}

/** A link to be made. */
export interface NewLink extends LinkChanges {
  id: string;
  url: string;
  prefix?: string;
}

/** A link's fields as a request body has them. */
type LinkBody = Omit<NewLink, 'id' | 'tags'> & {
  tagId?: string | null;
  tagIds?: string[];
  tagNames?: string[];
};

const futureDateTime = () =>
  dateTime().custom((value: string, { error }) =>
    Date.parse(value) > Date.now() ? value : error('rule', { rule: 'must be in the future' }),
  );

const fields = {
  domain: domainField().description(
    'Domain of the link. Absent: the workspace’s primary domain, or the default short domain.',
  ),
  key: keyField().description('Slug. Absent: 7 random characters.'),
  externalId: nullableText(255).description(
    'The caller’s own id; unique among the workspace’s links.',
  ),
  trackConversion: bodyFlag(),
  archived: bodyFlag(),
  proxy: bodyFlag(),
  rewrite: bodyFlag(),
  doIndex: bodyFlag(),
  publicStats: bodyFlag(),
  flexible: bodyFlag().description('Whether the destination may be changed after creation.'),
  preRedirection: bodyFlag(),
  isFormMandatory: bodyFlag(),
  expiresAt: futureDateTime().allow(null),
  expiredUrl: destination().allow(null),
  password: nullableText(200),
  title: nullableText(1_000),
  description: nullableText(5_000),
  image: nullableText(32_768),
  video: nullableText(32_768),
  ios: destination().allow(null),
  android: destination().allow(null),
  geo: Joi.object()
    .pattern(Joi.string().valid(...COUNTRY_CODES), destination())
    .allow(null)
    .description('Country code (ISO 3166-1 alpha-2, or XK) to destination URL.'),
  folderId: id().allow(null),
  comments: nullableText(10_000),
  notificationToken: nullableText(1_000).description('Addition: kept and returned as it is.'),
  webhookIds: list(id()).max(50).allow(null),
  pageId: id().allow(null),
  pageUrl: destination().allow(null),
  tagId: id().allow(null).description('Deprecated: use tagIds.'),
  tagIds: list(id()).max(50),
  tagNames: list(text(190))
    .max(50)
    .description('Names of tags, case-insensitive: an array or `a,b`.'),
  ...Object.fromEntries(
    UTM_FIELDS.map((name) => [
      name,
      nullableText(500).description('Addition: written into the destination’s query.'),
    ]),
  ),
};

/** Body of a link to be made. */
export const newLinkBody = Joi.object<LinkBody>({
  url: destination().required().description('Destination URL.'),
  ...fields,
  prefix: prefixField().description('What a random slug starts with; ignored when key is given.'),
});

/** Body of a change. */
export const linkChangesBody = Joi.object<Omit<LinkBody, 'prefix'>>({
  url: destination(),
  ...fields,
});

/** Names of fields that can't be the same for many links. */
const SINGULAR = ['domain', 'key', 'externalId'] as const;

export interface BulkChanges {
  linkIds: string[];
  data: LinkBody;
}

export const bulkChangesBody = Joi.object<BulkChanges>({
  linkIds: Joi.array().items(recordId()).min(1).max(BULK_LIMIT).required(),
  data: linkChangesBody.fork([...SINGULAR], (field) => field.forbidden()).required(),
});

/** The links of a bulk request; each is checked on its own, so that one bad link does not spoil the rest. */
export const bulkBody = Joi.array().items(newLinkBody).min(1).max(BULK_LIMIT);
export const bulkEnvelope = Joi.array().min(1).max(BULK_LIMIT);

export interface DeleteQuery {
  linkIds: string[];
}

export const deleteQuery = Joi.object<DeleteQuery>({
  linkIds: queryList(recordId()).min(1).max(BULK_LIMIT).required(),
});

export const linkParams = Joi.object<{ linkId: string }>({ linkId: recordId().required() });

export const SORTS = ['createdAt', 'clicks', 'lastClicked'] as const;

export interface LinkListQuery extends LinkFilters {
  sort: (typeof SORTS)[number];
  page: number;
  pageSize: number;
}

export const linkListQuery = Joi.object<LinkListQuery>({
  ...filterSchemas,
  sort: Joi.string()
    .valid(...SORTS)
    .default('createdAt')
    .description('Always descending.'),
  ...paging(100),
});

export interface LinkCountQuery extends LinkFilters {
  groupBy?: 'domain';
}

export const linkCountQuery = Joi.object<LinkCountQuery>({
  ...filterSchemas,
  groupBy: Joi.string().valid('domain'),
});

export interface LinkInfoQuery {
  projectSlug?: string;
  domain?: string;
  key?: string;
  linkId?: string;
  externalId?: string;
}

export const linkInfoQuery = Joi.object<LinkInfoQuery>({
  projectSlug: text(190),
  domain: domainField(),
  key: text(1_000),
  linkId: id(),
  externalId: id().description('With the prefix `ext_`.'),
})
  .and('domain', 'key')
  .or('domain', 'linkId', 'externalId')
  .messages({
    'object.and': 'domain and key must be given together',
    'object.missing': 'domain with key, or linkId, or externalId is required',
  });

/** A checked body as a job carries it: tags in one place, the password sealed. */
export function toChanges<Body extends LinkBody | Omit<LinkBody, 'url'>>(
  body: Body,
): Omit<Body, 'tagId' | 'tagIds' | 'tagNames'> & { tags?: TagChoice } {
  const { tagId, tagIds, tagNames, ...rest } = body;
  const changes: typeof rest & { tags?: TagChoice } = rest;
  if (typeof changes.password === 'string') changes.password = seal(changes.password);
  if (tagId !== undefined || tagIds !== undefined || tagNames !== undefined) {
    const ids = [...(typeof tagId === 'string' ? [tagId] : []), ...(tagIds ?? [])];
    changes.tags = { ids: [...new Set(ids)], names: tagNames ?? [] };
  }
  return changes;
}

/** A checked body as a link to be made, with its id. */
export function toNewLink(body: LinkBody): NewLink {
  return { ...toChanges(body), id: newId('link') };
}

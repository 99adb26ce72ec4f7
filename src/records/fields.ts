import { domainField } from '../domains/schema.ts';
import { COUNTRY_CODES } from '../infra/countries.ts';
import {
  bodyFlag,
  dateTime,
  id,
  Joi,
  list,
  nullableText,
  queryList,
  recordId,
  text,
} from '../infra/fields.ts';
import { seal } from '../infra/secrets.ts';
import { destination } from '../links/destination.ts';
import { keyField, prefixField } from '../links/key.ts';
import { type Rule, rulesField } from './routing-rules.ts';

/** Most records of one bulk request. */
export const BULK_LIMIT = 100;

/** Tags as a caller names them, in the order sent. */
export interface TagChoice {
  ids: string[];
  names: string[];
}

/** What may be changed of a link and of a QR code alike. An absent field stays, `null` clears it. */
export interface RoutedChanges {
  domain?: string;
  key?: string;
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
  /** Sealed: jobs are plain text in Redis. */
  password?: string | null;
  title?: string | null;
  description?: string | null;
  image?: string | null;
  ios?: string | null;
  android?: string | null;
  geo?: Record<string, string> | null;
  folderId?: string | null;
  comments?: string | null;
  notificationToken?: string | null;
  webhookIds?: string[] | null;
  pageId?: string | null;
  pageUrl?: string | null;
  startsAt?: string | null;
  maxVisits?: number | null;
  redirectStatus?: 301 | 302 | 307 | 308;
  forwardQuery?: boolean;
  rules?: Rule[] | null;
  tags?: TagChoice;
  /** Found out by the API before the write, never sent by a caller. */
  frameable?: string[];
}

/** What a new link and a new QR code are told alike. */
export interface NewRouted extends RoutedChanges {
  id: string;
  /** What a random key starts with. */
  prefix?: string;
}

/** Tags as a request body names them. */
export interface TagFields {
  tagId?: string | null;
  tagIds?: string[];
  tagNames?: string[];
}

const futureDateTime = () =>
  dateTime().custom((value: string, { error }) =>
    Date.parse(value) > Date.now() ? value : error('rule', { rule: 'must be in the future' }),
  );

/** Schemas of the fields that links and QR codes share. */
export const routedFields = {
  domain: domainField().description(
    'Domain of the short link. Absent: the workspace’s primary domain, or the default short domain.',
  ),
  key: keyField().description('Slug. Absent: 7 random characters.'),
  externalId: nullableText(255).description(
    'The caller’s own id; unique among the workspace’s records of the kind.',
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
  pageUrl: destination()
    .allow(null)
    .description(
      'The owner’s own page before the destination; it gets the parameter `continue`, an address that leads on.',
    ),
  startsAt: dateTime()
    .allow(null)
    .description('Addition: when it begins to lead to its destination.'),
  maxVisits: Joi.number()
    .integer()
    .strict()
    .min(1)
    .max(1_000_000_000)
    .allow(null)
    .description('Addition: counted visits after which it is as expired.'),
  redirectStatus: Joi.number()
    .strict()
    .valid(301, 302, 307, 308)
    .description('Addition: status of the redirect; 302 by default.'),
  forwardQuery: bodyFlag().description(
    'Addition: whether the visitor’s own query is passed on to the destination; true by default.',
  ),
  rules: rulesField(),
  tagId: id().allow(null).description('Deprecated: use tagIds.'),
  tagIds: list(id()).max(50),
  tagNames: list(text(190))
    .max(50)
    .description('Names of tags, case-insensitive: an array or `a,b`.'),
};

/** What a random key starts with, for the body of a new record. */
export const newRecordFields = {
  prefix: prefixField().description('What a random slug starts with; ignored when key is given.'),
};

/** Names of fields that can't be the same for many records. */
export const SINGULAR = ['domain', 'key', 'externalId'] as const;

/** What becomes of the events of what is deleted, in a query. */
export const eventsFate = () =>
  Joi.string()
    .valid('keep', 'remove')
    .description(
      'Addition: what becomes of the events; by default they are kept, and counted in analytics. With `remove` it is ' +
        'as if nobody had ever come.',
    );

/** The ids of a bulk deletion, in a query. */
export const bulkIds = () => queryList(recordId()).min(1).max(BULK_LIMIT).required();

/** A checked body as a job carries it: tags in one place, the password sealed. */
export function toRouted<Body extends TagFields & { password?: string | null }>(
  body: Body,
): Omit<Body, keyof TagFields> & { tags?: TagChoice } {
  const { tagId, tagIds, tagNames, ...rest } = body;
  const changes: typeof rest & { tags?: TagChoice } = rest;
  if (typeof changes.password === 'string') changes.password = seal(changes.password);
  if (tagId !== undefined || tagIds !== undefined || tagNames !== undefined) {
    const ids = [...(typeof tagId === 'string' ? [tagId] : []), ...(tagIds ?? [])];
    changes.tags = { ids: [...new Set(ids)], names: tagNames ?? [] };
  }
  return changes;
}

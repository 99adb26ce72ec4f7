import type Joi from 'joi';
import type { ErrorBody } from '../errors.ts';
import { flag, Joi as Kinds } from '../infra/fields.ts';
import { unseal } from '../infra/secrets.ts';
import type { TagReference } from '../tags/record.ts';
import type { RoutedRow } from './model.ts';

/** What a row does not hold itself. */
export interface RecordContext {
  /** Name of the domain. */
  domain: string;
  tags: TagReference[];
  /** Absent: nobody has come yet. */
  counters?: Counters;
}

export interface Counters {
  visits: number;
  leads: number;
  sales: number;
  saleAmountCents: number;
  lastVisitAt: Date | null;
}

/** The counters of a record that nobody has visited. */
export const NO_COUNTERS: Counters = {
  visits: 0,
  leads: 0,
  sales: 0,
  saleAmountCents: 0,
  lastVisitAt: null,
};

/** The complete short URL. */
export const shortLinkOf = (domain: string, key: string): string =>
  `https://${domain}/${encodeURI(key)}`;

/** The fields that links and QR codes share; the password is still sealed. */
export function toRoutedRecord(
  row: RoutedRow,
  { domain, tags, counters = NO_COUNTERS }: RecordContext,
) {
  return {
    id: row.id,
    domain,
    key: row.key,
    archived: row.archived,
    expiresAt: row.expires_at?.toISOString() ?? null,
    expiredUrl: row.expired_url,
    trackConversion: row.track_conversion,
    flexible: row.flexible,
    doIndex: row.do_index,
    password: row.password,
    externalId: row.external_id,
    proxy: row.proxy,
    title: row.title,
    description: row.description,
    image: row.image,
    rewrite: row.rewrite,
    ios: row.ios,
    android: row.android,
    geo: row.geo,
    publicStats: row.public_stats,
    tagId: tags[0]?.id ?? null,
    tags,
    folderId: row.folder_id,
    comments: row.comments,
    notificationToken: row.notification_token,
    webhookIds: row.webhook_ids,
    utm_source: row.utm_source,
    utm_medium: row.utm_medium,
    utm_campaign: row.utm_campaign,
    utm_term: row.utm_term,
    utm_content: row.utm_content,
    userId: row.user_id,
    projectId: row.project_id,
    leads: counters.leads,
    sales: counters.sales,
    saleAmount: counters.saleAmountCents,
    lastClicked: counters.lastVisitAt?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    preRedirection: row.pre_redirection,
    isFormMandatory: row.is_form_mandatory,
    filled: row.filled,
    pageId: row.page_id,
    pageUrl: row.page_url,
    startsAt: row.starts_at?.toISOString() ?? null,
    maxVisits: row.max_visits,
    redirectStatus: row.redirect_status,
    forwardQuery: row.forward_query,
    rules: row.rules,
  };
}

/** One place of a bulk answer: the record, or why there is none and what was sent. */
export type BulkItem<Sealed> = Sealed | (ErrorBody & { [noun: string]: unknown });

/** Opens the password of a record for its owner. */
export function openPassword<Item extends object>(item: Item): Item {
  if (!('password' in item) || typeof item.password !== 'string') return item;
  return { ...item, password: unseal(item.password) };
}

/** A record as others than its owner may have it: without the password, sealed as it is. */
export function withoutPassword<Item extends object>(item: Item): Item {
  const { password: _, ...rest } = item as Item & { password?: unknown };
  return rest as Item;
}

export const nullable = Kinds.string().allow(null).required();

/** The shared fields of the records, for the reference and for checking answers. */
export const routedRecordFields = {
  id: Kinds.string().required(),
  domain: Kinds.string().required(),
  key: Kinds.string().required(),
  archived: flag().required(),
  expiresAt: Kinds.string().isoDate().allow(null).required(),
  expiredUrl: nullable,
  trackConversion: flag().required(),
  flexible: flag().required(),
  doIndex: flag().required(),
  password: nullable,
  externalId: nullable,
  proxy: flag().required(),
  title: nullable,
  description: nullable,
  image: nullable,
  rewrite: flag().required(),
  ios: nullable,
  android: nullable,
  geo: Kinds.object().unknown().allow(null).required(),
  publicStats: flag().required(),
  tagId: nullable.description('Deprecated: use tags.'),
  tags: Kinds.array()
    .items(Kinds.object({ id: Kinds.string().required(), name: Kinds.string().required() }))
    .allow(null)
    .required(),
  folderId: nullable,
  comments: nullable,
  notificationToken: nullable,
  webhookIds: Kinds.array()
    .items(Kinds.string())
    .allow(null)
    .description('Addition: webhooks that are told of visits.'),
  utm_source: nullable,
  utm_medium: nullable,
  utm_campaign: nullable,
  utm_term: nullable,
  utm_content: nullable,
  userId: Kinds.string().required(),
  projectId: Kinds.string().required(),
  leads: Kinds.number().required(),
  sales: Kinds.number().required(),
  saleAmount: Kinds.number().required().description('In cents.'),
  lastClicked: Kinds.string().isoDate().allow(null).required(),
  createdAt: Kinds.string().isoDate().required(),
  updatedAt: Kinds.string().isoDate().required(),
  preRedirection: flag().required(),
  isFormMandatory: flag().required(),
  filled: flag().required(),
  pageId: Kinds.string().allow(null),
  pageUrl: Kinds.string().allow(null),
  startsAt: Kinds.string()
    .isoDate()
    .allow(null)
    .required()
    .description('Addition: when it begins to lead to its destination.'),
  maxVisits: Kinds.number()
    .integer()
    .allow(null)
    .required()
    .description('Addition: counted visits after which it is as expired.'),
  redirectStatus: Kinds.number()
    .valid(301, 302, 307, 308)
    .required()
    .description('Addition: status of the redirect.'),
  forwardQuery: flag()
    .required()
    .description('Addition: whether the visitor’s own query is passed on.'),
  rules: Kinds.array()
    .items(Kinds.object().unknown())
    .allow(null)
    .required()
    .description('Addition: where visitors are led for whom something holds; the first decides.'),
};

/** An array of records and errors, in the order of the request. */
export const bulkAnswerOf = (record: Joi.Schema, noun: string) =>
  Kinds.array().items(
    Kinds.alternatives(
      record,
      Kinds.object({
        error: Kinds.object({
          code: Kinds.string().required(),
          message: Kinds.string().required(),
          doc_url: Kinds.string(),
        }).required(),
        [noun]: Kinds.any(),
      }),
    ),
  );

/** What a count answers: a bare number, or one for each domain. */
export const countAnswer = Kinds.alternatives(
  Kinds.number().integer(),
  Kinds.array().items(
    Kinds.object({
      domain: Kinds.string().required(),
      _count: Kinds.number().integer().required(),
    }),
  ),
);

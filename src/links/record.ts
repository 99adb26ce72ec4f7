import { config } from '../config.ts';
import type { ErrorBody } from '../errors.ts';
import { flag, Joi } from '../infra/fields.ts';
import { unseal } from '../infra/secrets.ts';
import type { TagReference } from '../tags/record.ts';
import type { LinkRow } from './model.ts';

/** What a link's row does not hold itself. */
export interface LinkContext {
  /** Name of the domain. */
  domain: string;
  tags: TagReference[];
  /** Absent: nobody has come yet. */
  counters?: {
    visits: number;
    leads: number;
    sales: number;
    saleAmountCents: number;
    lastVisitAt: Date | null;
  };
}

const NO_COUNTERS = { visits: 0, leads: 0, sales: 0, saleAmountCents: 0, lastVisitAt: null };

/** The link record of the contract; its password is still sealed. */
export function toSealedLink(row: LinkRow, { domain, tags, counters = NO_COUNTERS }: LinkContext) {
  const shortLink = `https://${domain}/${encodeURI(row.key)}`;
  return {
    id: row.id,
    domain,
    key: row.key,
    url: row.url,
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
    video: row.video,
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
    clicks: counters.visits,
    leads: counters.leads,
    sales: counters.sales,
    saleAmount: counters.saleAmountCents,
    lastClicked: counters.lastVisitAt?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    preRedirection: row.pre_redirection,
    isFormMandatory: row.is_form_mandatory,
    filled: row.filled,
    shortLink,
    qrCode: `${config().BASE_URL}/qr?url=${encodeURIComponent(shortLink)}`,
    pageId: row.page_id,
    pageUrl: row.page_url,
  };
}

/** A link record as jobs and their results carry it. */
export type SealedLink = ReturnType<typeof toSealedLink>;

/** One place of a bulk answer: the record, or why there is none and what was sent. */
export type BulkItem = SealedLink | (ErrorBody & { link: unknown });

/** Opens the password of a record for its owner. */
export function openPassword<Item extends SealedLink | BulkItem>(item: Item): Item {
  if (!('password' in item) || item.password === null) return item;
  return { ...item, password: unseal(item.password) };
}

const nullable = Joi.string().allow(null).required();

/** The link record, for the reference and for checking answers. */
export const linkRecord = Joi.object({
  id: Joi.string().required(),
  domain: Joi.string().required(),
  key: Joi.string().required(),
  url: Joi.string().required(),
  archived: flag().required(),
  expiresAt: Joi.string().isoDate().allow(null).required(),
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
  video: nullable,
  rewrite: flag().required(),
  ios: nullable,
  android: nullable,
  geo: Joi.object().unknown().allow(null).required(),
  publicStats: flag().required(),
  tagId: nullable.description('Deprecated: use tags.'),
  tags: Joi.array()
    .items(Joi.object({ id: Joi.string().required(), name: Joi.string().required() }))
    .allow(null)
    .required(),
  folderId: nullable,
  comments: nullable,
  notificationToken: nullable,
  webhookIds: Joi.array()
    .items(Joi.string())
    .allow(null)
    .description('Addition: webhooks that receive the link’s clicks.'),
  utm_source: nullable,
  utm_medium: nullable,
  utm_campaign: nullable,
  utm_term: nullable,
  utm_content: nullable,
  userId: Joi.string().required(),
  projectId: Joi.string().required(),
  clicks: Joi.number().required(),
  leads: Joi.number().required(),
  sales: Joi.number().required(),
  saleAmount: Joi.number().required().description('In cents.'),
  lastClicked: Joi.string().isoDate().allow(null).required(),
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required(),
  preRedirection: flag().required(),
  isFormMandatory: flag().required(),
  filled: flag().required(),
  shortLink: Joi.string().uri(),
  qrCode: Joi.string().uri(),
  pageId: Joi.string().allow(null),
  pageUrl: Joi.string().allow(null),
});

/** An array of records and errors, in the order of the request. */
export const bulkAnswer = Joi.array().items(
  Joi.alternatives(
    linkRecord,
    Joi.object({
      error: Joi.object({
        code: Joi.string().required(),
        message: Joi.string().required(),
        doc_url: Joi.string(),
      }).required(),
      link: Joi.any(),
    }),
  ),
);

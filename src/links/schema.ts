import { domainField } from '../domains/schema.ts';
import { newId } from '../ids.ts';
import { id, Joi, nullableText, paging, recordId, text } from '../infra/fields.ts';
import type { EventsFate } from '../records/commands.ts';
import {
  BULK_LIMIT,
  bulkIds,
  eventsFate,
  type NewRouted,
  newRecordFields,
  type RoutedChanges,
  routedFields,
  SINGULAR,
  type TagFields,
  toRouted,
} from '../records/fields.ts';
import { destination, UTM_FIELDS, type Utm } from './destination.ts';
import { filterSchemas, type LinkFilters } from './filters.ts';

/** What may be changed of a link. An absent field stays, `null` clears it. */
export interface LinkChanges extends RoutedChanges, Partial<Utm> {
  url?: string;
  video?: string | null;
}

/** A link to be made. */
export interface NewLink extends LinkChanges, NewRouted {
  url: string;
}

/** A link's fields as a request body has them. */
type LinkBody = Omit<NewLink, 'id' | 'tags'> & TagFields;

const fields = {
  ...routedFields,
  video: nullableText(32_768),
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
  ...newRecordFields,
});

/** Body of a change. */
export const linkChangesBody = Joi.object<Omit<LinkBody, 'prefix'>>({
  url: destination(),
  ...fields,
});

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
  events?: EventsFate;
}

export const deleteQuery = Joi.object<DeleteQuery>({
  linkIds: bulkIds(),
  events: eventsFate(),
});

export const linkParams = Joi.object<{ linkId: string }>({ linkId: recordId().required() });

/** Query of the deletion of one link. */
export const deleteOneQuery = Joi.object<{ events?: EventsFate }>({ events: eventsFate() });

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

/** A checked body as a link to be made, with its id. */
export function toNewLink(body: LinkBody): NewLink {
  return { ...toRouted(body), id: newId('link') };
}

import { UTM_FIELDS } from '../events/utm.ts';
import { domainField } from '../http/domain-name.ts';
import { id, Joi, nullableText, paging, recordId, text } from '../http/fields.ts';
import type { Utm } from '../short-links/destination.ts';
import {
  fields,
  type NewShortLink,
  type SharedChanges,
  type TagFields,
} from '../short-links/fields.ts';
import type { EventsOnDelete } from '../short-links/schema.ts';
import {
  BULK_LIMIT,
  bulkIds,
  changeFields,
  creationFields,
  eventsOnDelete,
  type Grouping,
  groupingField,
  newRecordFields,
  SINGULAR,
  type TagEditFields,
} from '../short-links/schema.ts';
import { destination, webAddress } from '../short-links/url-field.ts';
import { filterSchemas, type LinkFilters } from './filters.ts';

/** The writable fields of a link. An absent field is not changed, `null` clears it. */
export interface LinkChanges extends SharedChanges, Partial<Utm> {
  url?: string | undefined;
  video?: string | null | undefined;
  /** Clicks that another service had counted, set by imports only. */
  importedClicks?: number | undefined;
}

/** A new link. */
export interface NewLink extends LinkChanges, NewShortLink {
  url: string;
}

/** The fields of a new link in a request body. */
export type LinkBody = Omit<NewLink, 'id' | 'tags'> & TagFields;

const url = destination().description('Destination URL.').example('https://example.com/spring');

const ownFields = {
  video: webAddress()
    .allow(null)
    .description('URL of the video of the link preview (http or https).')
    .example('https://example.com/spring.mp4'),
  ...Object.fromEntries(
    UTM_FIELDS.map((name) => [
      name,
      nullableText(500)
        .description(
          `The parameter \`${name}\`, which is written into the destination’s query. Null takes it out.`,
        )
        .example(fields[name].example)
        .meta({ extension: true }),
    ]),
  ),
};

/** Schema of the body of a new link. */
export const newLinkBody = Joi.object<LinkBody>({
  url: url.required(),
  ...creationFields,
  ...ownFields,
  ...newRecordFields,
})
  .meta({ name: 'NewLink' })
  .example({ url: 'https://example.com/landing', key: 'summer', tagNames: ['Summer campaign'] });

/** The fields of a change in a request body. */
type LinkChangesBody = Omit<LinkBody, 'prefix'> & TagEditFields;

/** Schema of the body of a change. */
export const linkChangesBody = Joi.object<LinkChangesBody>({
  url,
  ...changeFields,
  ...ownFields,
})
  .meta({ name: 'LinkUpdate' })
  .example({ url: 'https://example.com/autumn', archived: false });

export interface BulkChanges {
  linkIds: string[];
  data: LinkChangesBody;
}

export const bulkChangesBody = Joi.object<BulkChanges>({
  linkIds: Joi.array()
    .items(recordId())
    .min(1)
    .max(BULK_LIMIT)
    .required()
    .description('Ids of the links, at most 100.')
    .example(['link_4Jx2vQ0aTq', 'ext_spring-1']),
  data: linkChangesBody
    .fork(SINGULAR, (field) => field.forbidden())
    .required()
    .description('The change.')
    .meta({ name: 'BulkLinkChange' }),
}).meta({ name: 'BulkLinkUpdate' });

/**
 * Schema of the links of a bulk request. Each item is validated on its own, so that an invalid one
 * does not fail the rest.
 */
export const bulkBody = Joi.array().items(newLinkBody).min(1).max(BULK_LIMIT);
export const bulkEnvelope = Joi.array().min(1).max(BULK_LIMIT);

export interface DeleteQuery {
  linkIds: string[];
  events?: EventsOnDelete;
}

export const deleteQuery = Joi.object<DeleteQuery>({
  linkIds: bulkIds().description('Ids of the links, at most 100.'),
  events: eventsOnDelete(),
});

export const linkParams = Joi.object<{ linkId: string }>({ linkId: recordId().required() });

/** Schema of the query string of a deletion. */
export const deleteOneQuery = Joi.object<{ events?: EventsOnDelete }>({ events: eventsOnDelete() });

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
    .description('Field by which the links are sorted, always descending.'),
  ...paging(100),
});

export type LinkCountQuery = LinkFilters & Grouping;

export const linkCountQuery = Joi.object<LinkCountQuery>({
  ...filterSchemas,
  groupBy: groupingField,
});

export interface LinkInfoQuery {
  projectSlug?: string;
  domain?: string;
  key?: string;
  linkId?: string;
  externalId?: string;
}

export const linkInfoQuery = Joi.object<LinkInfoQuery>({
  projectSlug: text(190).description('Slug of the workspace that the API key belongs to.'),
  domain: domainField().description('Domain of the short link; with `key`.'),
  key: text(1_000).description('Key of the short link; with `domain`.'),
  linkId: id().description('Id of the link.'),
  externalId: id().description('External id of the link, after the prefix `ext_`.'),
})
  .and('domain', 'key')
  .or('domain', 'linkId', 'externalId')
  .messages({
    'object.and': 'domain and key must be given together',
    'object.missing': 'domain with key, or linkId, or externalId is required',
  });

import { UTM_FIELDS } from '../events/utm.ts';
import { Joi, nullableText, paging, recordId } from '../http/fields.ts';
import type { Utm } from '../short-links/destination.ts';
import {
  fields,
  type NewShortLink,
  type SharedChanges,
  type TagFields,
} from '../short-links/fields.ts';
import { scheduledTime } from '../short-links/scheduled-record.ts';
import {
  BULK_LIMIT,
  bulkIds,
  changedIds,
  changeFields,
  creationFields,
  type DeleteOneQuery,
  eventsOnDelete,
  type Grouping,
  groupingField,
  type InfoQuery,
  infoQuery,
  newRecordFields,
  SINGULAR,
  sortFields,
  type TagEditFields,
} from '../short-links/schema.ts';
import { destination, webAddress } from '../short-links/url-field.ts';
import type { Paging } from '../workspaces/lists.ts';
import { filterSchemas, type LinkFilters } from './filters.ts';
import { LINK_TABLES } from './model.ts';

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
          `The parameter \`${name}\`, written into the destination’s query. Null removes it.`,
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

/** The body of a change, now or at a time. */
export type LinkUpdateBody = LinkChangesBody & { at?: string };

/** Schema of the body of a change. */
export const linkChangesBody = Joi.object<LinkUpdateBody>({
  url,
  ...changeFields,
  ...ownFields,
  at: scheduledTime(),
})
  .meta({ name: 'LinkUpdate' })
  .example({ url: 'https://example.com/autumn', archived: false });

export interface BulkChanges {
  linkIds: string[];
  data: LinkChangesBody;
}

export const bulkChangesBody = Joi.object<BulkChanges>({
  linkIds: changedIds(LINK_TABLES).example(['link_4Jx2vQ0aTq', 'ext_spring-1']),
  data: linkChangesBody
    .fork([...SINGULAR, 'at'], (field) => field.forbidden())
    .required()
    .description('The change.')
    .meta({ name: 'BulkLinkChange' }),
}).meta({ name: 'BulkLinkUpdate' });

/**
 * Schema of the links of a bulk request. Each item is validated on its own, so that an invalid one
 * does not fail the rest.
 */
export const bulkBody = Joi.array().items(newLinkBody).min(1).max(BULK_LIMIT);

export interface DeleteQuery extends DeleteOneQuery {
  linkIds: string[];
}

export const deleteQuery = Joi.object<DeleteQuery>({
  linkIds: bulkIds(LINK_TABLES).example(['link_4Jx2vQ0aTq', 'ext_spring-1']),
  events: eventsOnDelete(),
});

export const linkParams = Joi.object<{ linkId: string }>({ linkId: recordId().required() });

export const SORTS = ['createdAt', 'clicks', 'lastClicked', 'key', 'url', 'title'] as const;

export interface LinkListQuery extends LinkFilters, Paging {
  sort: (typeof SORTS)[number];
  sortOrder: 'asc' | 'desc';
}

export const linkListQuery = Joi.object<LinkListQuery>({
  ...filterSchemas,
  ...sortFields(SORTS),
  ...paging(100),
});

export type LinkCountQuery = LinkFilters & Grouping;

export const linkCountQuery = Joi.object<LinkCountQuery>({
  ...filterSchemas,
  groupBy: groupingField,
});

export type LinkInfoQuery = InfoQuery<'linkId'>;

export const linkInfoQuery = infoQuery('linkId', LINK_TABLES);

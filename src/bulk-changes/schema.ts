import type { CustomValidator, Schema } from 'joi';
import { UTM_FIELDS, type UtmField } from '../events/utm.ts';
import { bodyFlag, id, Joi, nullableText, oneOf, paging, recordId, text } from '../http/fields.ts';
import type { SharedChanges, TagFields } from '../short-links/fields.ts';
import { fields } from '../short-links/fields.ts';
import type { ShortLinkTables } from '../short-links/model.ts';
import { changeFields, type TagEditFields } from '../short-links/schema.ts';
import type { Paging } from '../workspaces/lists.ts';
import { REPLACED_PARTS, type Replacement } from './replace.ts';

/** Maximum number of records in a bulk change. */
export const MAX_RECORDS = 50_000;
/** Maximum number of ids in a body. */
const MAX_IDS = 10_000;
const MAX_FILTER_LENGTH = 2_000;
const MAX_FIND = 1_000;
const MAX_WITH = 2_000;

/** Fields that a bulk change can set. */
const SHARED = [
  'archived',
  'startsAt',
  'expiresAt',
  'expiredUrl',
  'maxVisits',
  'trackConversion',
  'trackEvents',
  'doIndex',
  'publicStats',
  'redirectStatus',
  'forwardQuery',
  'queryConflict',
  'comments',
  'folderId',
  'webhookIds',
  'tagIds',
  'tagNames',
  'addTagIds',
  'removeTagIds',
] as const;

/** The change of each record, as in the body of a request. */
export type BulkData = Omit<SharedChanges, 'tags' | 'password'> &
  TagFields &
  TagEditFields & { [Name in UtmField]?: string | null } & {
    /** Of QR codes only. */
    templateId?: string;
  };

/** Body of a new bulk change. */
export interface BulkChangeBody {
  ids?: string[];
  filter?: string;
  data?: BulkData;
  replace?: Replacement;
  dryRun: boolean;
}

const utmFields = Object.fromEntries(
  UTM_FIELDS.map((name) => [
    name,
    nullableText(500)
      .description(
        `The parameter \`${name}\`, written into the destination’s query. Null removes it.`,
      )
      .example(fields[name].example),
  ]),
);

const templateId = id()
  .description('Id of a template. Codes that its appearance makes unreadable keep the present one.')
  .example('tmpl_0VKAM3TWq8Zr5XnYb2VdLcHs');

const replacement = Joi.object<Replacement>({
  find: text(MAX_FIND)
    .required()
    .description('Text to find, in the form that the destination has or without encoding.')
    .example('shop.example.com'),
  with: Joi.string()
    .allow('')
    .max(MAX_WITH)
    .required()
    .description('Text in place of each occurrence; empty: the text is removed.')
    .example('store.example.com'),
  in: oneOf(REPLACED_PARTS)
    .default('url')
    .description('Part of the destination that is searched; no other part can change.')
    .example('host'),
  ignoreCase: bodyFlag()
    .default(false)
    .description('true: `find` matches upper and lower case.')
    .example(false),
})
  .description('A text to replace in the destination URL.')
  .meta({ name: 'DestinationReplacement' });

/** Requires one selection and at least one change. */
const isComplete: CustomValidator<BulkChangeBody> = (body, { error }) => {
  const { ids, filter, data, replace } = body;
  if ((ids === undefined) === (filter === undefined)) {
    return error('rule', { rule: 'must have either ids or filter' });
  }
  return data === undefined && replace === undefined
    ? error('rule', { rule: 'must have data, replace or both' })
    : body;
};

/** Schema of the body of a new bulk change of links or of QR codes. */
export function bulkChangeBody({ kind, noun, table }: ShortLinkTables) {
  const changes = changeFields as Record<string, Schema>;
  const data = {
    ...Object.fromEntries(SHARED.map((name) => [name, changes[name]!])),
    ...(kind === 'link' ? { domain: changes['domain']! } : { templateId }),
    ...utmFields,
  };
  return Joi.object<BulkChangeBody>({
    ids: Joi.array()
      .items(recordId())
      .min(1)
      .max(MAX_IDS)
      .unique()
      .description(`Ids of at most ${MAX_IDS} ${noun}s.`)
      .example([kind === 'link' ? 'link_4Jx2vQ0aTq' : 'qr_4Jx2vQ0aTq']),
    filter: Joi.string()
      .allow('')
      .max(MAX_FILTER_LENGTH)
      .description(
        `Filters instead of \`ids\`: the query string of \`GET /${table}/count\`. They match at most ${MAX_RECORDS} ` +
          `${noun}s; an empty text matches all that are not archived.`,
      ),
    data: Joi.object<BulkData>(data)
      .min(1)
      .description('The change. Absent fields stay as they are; null clears a field.')
      .example({ utm_campaign: 'autumn', expiresAt: null })
      .meta({ name: kind === 'link' ? 'LinkBulkChangeData' : 'QrCodeBulkChangeData' }),
    replace: replacement,
    dryRun: bodyFlag()
      .default(false)
      .description('true: only checks the change; `start` makes it.')
      .example(true),
  })
    .custom(isComplete)
    .meta({ name: kind === 'link' ? 'NewLinkBulkChange' : 'NewQrCodeBulkChange' });
}

export const bulkChangeParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the bulk change.'),
});

export const bulkChangeListQuery = Joi.object<Paging>(paging(100));

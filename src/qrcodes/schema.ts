import type { CustomValidator, Schema } from 'joi';
import { bodyFlag, emptyAsAbsent, id, Joi, oneOf, paging, recordId } from '../http/fields.ts';
import { newId } from '../ids.ts';
import type { FileRef, ImageRef } from '../images/name.ts';
import type { NewShortLink, SharedChanges, TagFields } from '../short-links/fields.ts';
import { schemasOf } from '../short-links/filters.ts';
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
  SHARED_DEFAULTS,
  SINGULAR,
  sortFields,
  type TagEditFields,
  toSharedChanges,
} from '../short-links/schema.ts';
import type { Paging } from '../workspaces/lists.ts';
import { CONTENT_NAMES, CONTENT_TYPES, type ContentName } from './content/index.ts';
import { DESIGN_FIELDS, designFields } from './design.ts';
import { QR_CODE_FILTERS, type QrCodeFilters } from './filters.ts';
import { QR_CODE_TABLES } from './model.ts';
import { VISITS } from './record.ts';
import { defaultDesign } from './render/design.ts';
import type { StoredDesign } from './render/stored-design.ts';
import { templateName } from './templates/schema.ts';

/** The writable fields of a QR code. An absent field is not changed, `null` clears it. */
export interface QrCodeChanges extends SharedChanges {
  content?: { type: ContentName; value: unknown } | undefined;
  static?: boolean | undefined;
  useDisplayPage?: boolean | undefined;
  filled?: boolean | undefined;
  design?: StoredDesign | undefined;
  templateId?: string | null | undefined;
  /** Id of the template to create from the design, and its name. */
  newTemplateId?: string | undefined;
  newTemplateName?: string | undefined;
}

/** A new QR code. */
export interface NewQrCode extends QrCodeChanges, NewShortLink {
  content: { type: ContentName; value: unknown };
}

/**
 * The fields of a QR code in a request body; the content is in the member with the name of its
 * type.
 */
type QrCodeBody = Omit<NewShortLink, 'id' | 'tags'> &
  TagFields &
  StoredDesign & { [Type in ContentName]?: unknown } & {
    type?: ContentName;
    static?: boolean;
    useDisplayPage?: boolean;
    filled?: boolean;
    templateId?: string | null;
    useAsTemplate?: boolean;
    templateName?: string;
  };

/** The validated body of a new QR code. */
export type NewQrCodeBody = QrCodeBody & { type: ContentName };
/** The validated body of a change. */
export type QrCodeChangesBody = QrCodeBody & TagEditFields;
/** The validated body of a change, now or at a time. */
export type QrCodeUpdateBody = QrCodeChangesBody & { at?: string };

const contentFields = Object.fromEntries(
  Object.entries(CONTENT_TYPES).map(([name, { schema, description }]) => [
    name,
    schema.allow(null).description(description),
  ]),
) as Record<ContentName, Schema>;

const templateField = id()
  .allow(null)
  .description('Id of the template for the appearance. Fields of the same body take precedence.');

const ownFields = {
  ...contentFields,
  ...designFields,
  static: bodyFlag().description(
    'true: the code holds the content itself, and can never be changed; false: it holds the short link. Default false.',
  ),
  useDisplayPage: bodyFlag().description(
    'For dynamic codes of type phone, email or sms: true opens a page with buttons, false the app. Default true.',
  ),
  filled: bodyFlag().description(
    'A visitor has filled in the form before the destination. Default false.',
  ),
  templateId: templateField,
  useAsTemplate: bodyFlag().description(
    'true: stores the appearance as a template; the response has its `templateId`. Default false.',
  ),
  templateName: templateName.description('Name of the template that `useAsTemplate` creates.'),
};

/** Requires the content in the member named by the type, and in no other. */
const oneContent: CustomValidator<QrCodeBody> = (body, { error }) => {
  const names = CONTENT_NAMES.filter((name) => body[name] !== undefined && body[name] !== null);
  if (body.type === undefined) {
    // A change can contain the content alone.
    const [name, second] = names;
    if (second !== undefined) return error('rule', { rule: `must not have ${name} and ${second}` });
    return name === undefined ? body : { ...body, type: name };
  }
  const { type } = body;
  if (!names.includes(type)) {
    return error('rule', { rule: `must have ${type}, the content of a code of type ${type}` });
  }
  const other = names.find((name) => name !== type);
  if (other === undefined) return body;
  return error('rule', { rule: `must not have ${other}: the code is of type ${type}` });
};

/** Requires a template that has the name. */
const namedTemplate: CustomValidator<QrCodeBody> = (body, { error }) =>
  body.templateName === undefined || body.useAsTemplate === true
    ? body
    : error('rule', { rule: 'must have useAsTemplate: true where it has templateName' });

const typeField = oneOf(CONTENT_NAMES)
  .meta({ name: 'QrCodeType' })
  .description('Type of the content, and name of the field that holds it.');

/** Defaults of a new code. */
export const QR_CODE_DEFAULTS = {
  ...defaultDesign(),
  ...SHARED_DEFAULTS,
  // The default level depends on the image in the middle.
  level: undefined,
  static: false,
  useDisplayPage: true,
  filled: false,
  useAsTemplate: false,
  showLogo: false,
  excavate: false,
  backgroundStyle: 'picture',
  backgroundStrength: 'medium',
};

/** Schema of the body of a new QR code. Forms send empty texts for empty fields. */
export const newQrCodeBody = Joi.object<NewQrCodeBody>({
  type: typeField.required(),
  ...emptyAsAbsent({ ...creationFields, ...ownFields, ...newRecordFields }),
})
  .custom(oneContent)
  .custom(namedTemplate)
  .meta({ name: 'NewQrCode' })
  .example({ type: 'url', url: 'https://example.com/landing', fgColor: '#1A237E' });

/** Schema of the body of a change. */
export const qrCodeChangesBody = Joi.object<QrCodeUpdateBody>({
  type: typeField,
  ...changeFields,
  ...ownFields,
  at: scheduledTime(),
})
  .custom(oneContent)
  .custom(namedTemplate)
  .meta({ name: 'QrCodeUpdate' })
  .example({ title: 'Poster', archived: false });

export interface BulkChanges {
  qrcodeIds: string[];
  data: QrCodeChangesBody;
}

/** Schema of a bulk change, without content, which is changed code by code. */
export const bulkChangesBody = Joi.object<BulkChanges>({
  qrcodeIds: changedIds(QR_CODE_TABLES).example(['qr_4Jx2vQ0aTq', 'ext_poster-1']),
  data: Joi.object({ ...changeFields, ...designFields, templateId: templateField })
    .fork(SINGULAR, (field) => field.forbidden())
    .required()
    .description('The change.')
    .example({ archived: true, addTagIds: ['tag_0VKAM3TWq8Zr5XnYb2VdLcHs'] })
    .meta({ name: 'BulkQrCodeChange' }),
}).meta({ name: 'BulkQrCodeUpdate' });

/**
 * Schema of the codes of a bulk request. Each item is validated on its own, so that an invalid one
 * does not fail the rest.
 */
export const bulkBody = Joi.array().items(newQrCodeBody).min(1).max(BULK_LIMIT);

export interface DeleteQuery extends DeleteOneQuery {
  qrcodeIds: string[];
}

export const deleteQuery = Joi.object<DeleteQuery>({
  qrcodeIds: bulkIds(QR_CODE_TABLES).example(['qr_4Jx2vQ0aTq', 'ext_poster-1']),
  events: eventsOnDelete(),
});

export const qrCodeParams = Joi.object<{ qrcodeId: string }>({
  qrcodeId: recordId().required(),
});

const SORTS = ['createdAt', VISITS, 'lastClicked'] as const;

export interface QrCodeListQuery extends QrCodeFilters, Paging {
  sort: (typeof SORTS)[number];
  sortOrder: 'asc' | 'desc';
}

export const qrCodeListQuery = Joi.object<QrCodeListQuery>({
  ...schemasOf(QR_CODE_FILTERS),
  ...sortFields(SORTS),
  ...paging(100),
});

export type QrCodeCountQuery = QrCodeFilters & Grouping;

export const qrCodeCountQuery = Joi.object<QrCodeCountQuery>({
  ...schemasOf(QR_CODE_FILTERS),
  groupBy: groupingField,
});

export type QrCodeInfoQuery = InfoQuery<'qrCodeId'>;

export const qrCodeInfoQuery = infoQuery('qrCodeId', QR_CODE_TABLES);

/** The stored images of a body; an absent one was not named. */
export interface StoredImages {
  src?: ImageRef | undefined;
  logo?: ImageRef | undefined;
  background?: ImageRef | undefined;
  photo?: ImageRef | undefined;
  file?: FileRef | undefined;
}

/** Converts a valid body for its job: content, design and tags in one member each. */
export function toChanges(
  projectId: string,
  body: QrCodeChangesBody,
  images: StoredImages,
): QrCodeChanges {
  const {
    type,
    useAsTemplate,
    templateName: newTemplateName,
    ...rest
  } = toSharedChanges(projectId, body);
  const changes: Record<string, unknown> = {};
  const design: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name in contentFields) continue;
    if ((DESIGN_FIELDS as string[]).includes(name)) design[name] = value;
    else changes[name] = value;
  }
  if (body.src !== undefined) design['srcImage'] = images.src ?? null;
  if (body.logo !== undefined) design['logoImage'] = images.logo ?? null;
  if (body.backgroundSrc !== undefined) design['backgroundImage'] = images.background ?? null;
  if (type === 'vcard') design['photoImage'] = images.photo ?? null;
  if (type === 'file') design['storedFile'] = images.file ?? null;
  return {
    ...changes,
    content: type === undefined ? undefined : { type, value: body[type] },
    design: Object.keys(design).length === 0 ? undefined : design,
    newTemplateId: useAsTemplate === true ? newId('template') : undefined,
    newTemplateName,
  };
}

/** Builds a new QR code, with its id, from a valid body. */
export function toNewQrCode(
  projectId: string,
  body: NewQrCodeBody,
  images: StoredImages,
): NewQrCode {
  const content = { type: body.type, value: body[body.type] };
  return { ...toChanges(projectId, body, images), content, id: newId('qrcode') };
}

import type Joi from 'joi';
import { domainField } from '../domains/schema.ts';
import { newId } from '../ids.ts';
import { bodyFlag, id, Joi as Kinds, paging, recordId, text } from '../infra/fields.ts';
import type { EventsFate } from '../records/commands.ts';
import {
  BULK_LIMIT,
  bulkIds,
  eventsFate,
  type NewRouted,
  newRecordFields,
  type RoutedChanges,
  routedFields,
  type TagFields,
  toRouted,
} from '../records/fields.ts';
import { schemasOf } from '../records/filters.ts';
import { CONTENT_NAMES, CONTENT_TYPES, type ContentName } from './content/index.ts';
import { DESIGN_FIELDS, designFields, type ImageRef, type StoredDesign } from './design.ts';
import { QR_CODE_FILTERS, type QrCodeFilters } from './filters.ts';

/** What may be changed of a QR code. An absent field stays, `null` clears it. */
export interface QrCodeChanges extends RoutedChanges {
  content?: { type: ContentName; value: unknown };
  static?: boolean;
  useDisplayPage?: boolean;
  filled?: boolean;
  design?: StoredDesign;
  templateId?: string | null;
  /** Id of the template that is to be made of the look. */
  newTemplateId?: string;
}

/** A QR code to be made. */
export interface NewQrCode extends QrCodeChanges, NewRouted {
  content: { type: ContentName; value: unknown };
}

/** A QR code's fields as a request body has them; the content is under the name of its type. */
type QrCodeBody = Omit<NewRouted, 'id' | 'tags'> &
  TagFields &
  StoredDesign & { [Type in ContentName]?: unknown } & {
    type?: ContentName;
    static?: boolean;
    useDisplayPage?: boolean;
    filled?: boolean;
    templateId?: string | null;
    useAsTemplate?: boolean;
  };

/** The checked body of a new QR code. */
export type NewQrCodeBody = QrCodeBody & { type: ContentName };
/** The checked body of a change. */
export type QrCodeChangesBody = QrCodeBody;

const contentFields = Object.fromEntries(
  Object.entries(CONTENT_TYPES).map(([name, { schema, description }]) => [
    name,
    schema.allow(null).description(description),
  ]),
) as Record<ContentName, Joi.Schema>;

const fields = {
  ...routedFields,
  ...contentFields,
  ...designFields,
  static: bodyFlag().description(
    'Whether the code holds the content itself, rather than the short link. A static code can never be changed.',
  ),
  useDisplayPage: bodyFlag().description(
    'Of dynamic codes of type phone, email or sms: a page with buttons (true, the default), or straight into the app.',
  ),
  filled: bodyFlag().description(
    'Whether a visitor has filled in the form before the destination.',
  ),
  templateId: id()
    .allow(null)
    .description('Template whose look the code takes; fields of the look in the same body win.'),
  useAsTemplate: bodyFlag().description(
    'Keeps the look as a template; the answer has its templateId.',
  ),
};

/** The content must be in the field that is named as the type, and in no other. */
const oneContent: Joi.CustomValidator<QrCodeBody> = (body, { error }) => {
  const given = CONTENT_NAMES.filter((name) => body[name] !== undefined && body[name] !== null);
  if (body.type === undefined) {
    // A change may name the content alone.
    const [name, second] = given;
    if (second !== undefined) return error('rule', { rule: `must not have ${name} and ${second}` });
    return name === undefined ? body : { ...body, type: name };
  }
  const { type } = body;
  if (!given.includes(type)) {
    return error('rule', { rule: `must have ${type}, the content of a code of type ${type}` });
  }
  const other = given.find((name) => name !== type);
  if (other === undefined) return body;
  return error('rule', { rule: `must not have ${other}: the code is of type ${type}` });
};

const typeField = Kinds.string().valid(...CONTENT_NAMES);

/** Body of a QR code to be made. */
export const newQrCodeBody = Kinds.object<NewQrCodeBody>({
  type: typeField.required(),
  ...fields,
  ...newRecordFields,
}).custom(oneContent);

/** Body of a change. */
export const qrCodeChangesBody = Kinds.object<QrCodeChangesBody>({
  type: typeField,
  ...fields,
}).custom(oneContent);

/** The codes of a bulk request; each is checked on its own, so that one bad code does not spoil the rest. */
export const bulkBody = Kinds.array().items(newQrCodeBody).min(1).max(BULK_LIMIT);
export const bulkEnvelope = Kinds.array().min(1).max(BULK_LIMIT);

export interface DeleteQuery {
  qrcodeIds: string[];
  events?: EventsFate;
}

export const deleteQuery = Kinds.object<DeleteQuery>({
  qrcodeIds: bulkIds(),
  events: eventsFate(),
});

/** Query of the deletion of one code. */
export const deleteOneQuery = Kinds.object<{ events?: EventsFate }>({ events: eventsFate() });

export const qrCodeParams = Kinds.object<{ qrcodeId: string }>({
  qrcodeId: recordId().required(),
});

export interface QrCodeListQuery extends QrCodeFilters {
  sort: 'createdAt' | 'scans' | 'lastClicked';
  page: number;
  pageSize: number;
}

export const qrCodeListQuery = Kinds.object<QrCodeListQuery>({
  ...schemasOf(QR_CODE_FILTERS),
  sort: Kinds.string()
    .valid('createdAt', 'scans', 'lastClicked')
    .default('createdAt')
    .description('Always descending.'),
  ...paging(100),
});

export interface QrCodeCountQuery extends QrCodeFilters {
  groupBy?: 'domain';
}

export const qrCodeCountQuery = Kinds.object<QrCodeCountQuery>({
  ...schemasOf(QR_CODE_FILTERS),
  groupBy: Kinds.string().valid('domain'),
});

export interface QrCodeInfoQuery {
  projectSlug?: string;
  domain?: string;
  key?: string;
  qrCodeId?: string;
  externalId?: string;
}

export const qrCodeInfoQuery = Kinds.object<QrCodeInfoQuery>({
  projectSlug: text(190),
  domain: domainField(),
  key: text(1_000),
  qrCodeId: id(),
  externalId: id().description('With the prefix `ext_`.'),
})
  .and('domain', 'key')
  .or('domain', 'qrCodeId', 'externalId')
  .messages({
    'object.and': 'domain and key must be given together',
    'object.missing': 'domain with key, or qrCodeId, or externalId is required',
  });

/** The images that a body names, once they are kept; an absent one was not named. */
export interface KeptImages {
  src?: ImageRef;
  logo?: ImageRef;
}

/** A checked body as a job carries it: content, look and tags each in one place. */
export function toChanges(body: QrCodeBody, images: KeptImages): QrCodeChanges {
  const { type, useAsTemplate, ...rest } = toRouted(body);
  const changes: Record<string, unknown> = {};
  const design: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (name in contentFields) continue;
    if ((DESIGN_FIELDS as string[]).includes(name)) design[name] = value;
    else changes[name] = value;
  }
  if (body.src !== undefined) design['srcImage'] = images.src ?? null;
  if (body.logo !== undefined) design['logoImage'] = images.logo ?? null;
  return {
    ...changes,
    ...(type === undefined ? {} : { content: { type, value: body[type] } }),
    ...(Object.keys(design).length === 0 ? {} : { design }),
    ...(useAsTemplate === true ? { newTemplateId: newId('template') } : {}),
  };
}

/** A checked body as a QR code to be made, with its id. */
export function toNewQrCode(body: NewQrCodeBody, images: KeptImages): NewQrCode {
  const content = { type: body.type, value: body[body.type] };
  return { ...toChanges(body, images), content, id: newId('qrcode') };
}

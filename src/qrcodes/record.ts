import { flag, Joi } from '../infra/fields.ts';
import {
  type BulkItem,
  bulkAnswerOf,
  nullable,
  type RecordContext,
  routedRecordFields,
  toRoutedRecord,
} from '../records/record.ts';
import { CONTENT_NAMES, type ContentName } from './content/index.ts';
import { staticContent } from './content-of.ts';
import { resolveDesign } from './design.ts';
import type { QrCodeRow } from './model.ts';

/** The QR code record of the contract; its password is still sealed. */
export function toSealedQrCode(row: QrCodeRow, context: RecordContext) {
  const { type, design: asked } = row;
  const design = resolveDesign(asked, '');
  const contents = Object.fromEntries(
    CONTENT_NAMES.map((name) => [name, name === type ? row.content[name] : null]),
  ) as Record<ContentName, unknown>;
  return {
    ...toRoutedRecord(row, context),
    ...contents,
    type,
    static: row.static,
    useDisplayPage: row.use_display_page,
    contentStatic: row.static ? staticContent(row) : null,
    logo: asked.logo ?? null,
    showLogo: asked.showLogo ?? false,
    src: asked.src ?? null,
    height: design.middle?.height ?? 0,
    width: design.middle?.width ?? 0,
    excavate: asked.excavate ?? false,
    bgColor: design.bgColor,
    fgColor: design.fgColor,
    size: design.size,
    level: design.level,
    pattern: design.pattern,
    shape: design.shape,
    frame: design.frame,
    frameColor: asked.frameColor ?? null,
    frameText: asked.frameText ?? null,
    frameTextColor: asked.frameTextColor ?? null,
    frameTextStyles: asked.frameTextStyles ?? null,
    templateId: row.template_id,
    scans: context.counters?.visits ?? 0,
  };
}

/** A QR code record as jobs and their results carry it. */
export type SealedQrCode = ReturnType<typeof toSealedQrCode>;

/** One place of a bulk answer: the record, or why there is none and what was sent. */
export type BulkQrCodeItem = BulkItem<SealedQrCode>;

const object = Joi.object().unknown().allow(null).required();
const added = (schema: ReturnType<typeof Joi.any>, what: string) =>
  schema.description(`Addition: ${what}`);

/** The QR code record, for the reference and for checking answers. */
export const qrCodeRecord = Joi.object({
  ...routedRecordFields,
  type: Joi.string()
    .valid(...CONTENT_NAMES)
    .required(),
  static: flag().required(),
  useDisplayPage: flag().required(),
  contentStatic: nullable.description('The exact text in the picture of a static code.'),
  url: nullable,
  text: nullable,
  phone: nullable,
  email: object,
  wifi: object,
  vcard: object,
  crypto: object,
  sms: object,
  whatsapp: added(object, 'the content of a code of type whatsapp.'),
  facetime: object,
  latlog: object,
  pix: added(
    Joi.alternatives(Joi.string(), Joi.object().unknown()).allow(null).required(),
    'the content of a code of type pix.',
  ),
  logo: nullable,
  showLogo: flag().required(),
  src: nullable,
  height: Joi.number().required(),
  width: Joi.number().required(),
  excavate: flag().required(),
  bgColor: Joi.string().required(),
  fgColor: Joi.string().required(),
  size: Joi.number().required(),
  level: Joi.string().required(),
  pattern: added(Joi.string().required(), 'pattern of the modules.'),
  shape: added(Joi.string().required(), 'shape of the eyes.'),
  frame: added(Joi.string().required(), 'what is drawn around the code.'),
  frameColor: added(nullable, 'colour of the frame.'),
  frameText: added(nullable, 'words in the frame.'),
  frameTextColor: added(nullable, 'colour of the words.'),
  frameTextStyles: added(object, 'weight, size and family of the words.'),
  templateId: added(nullable, 'the template that the look was taken from, or kept as.'),
  scans: Joi.number().required(),
});

/** An array of records and errors, in the order of the request. */
export const bulkAnswer = bulkAnswerOf(qrCodeRecord, 'qrcode');

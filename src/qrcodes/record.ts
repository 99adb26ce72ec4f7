import type { Schema } from 'joi';
import { flag, Joi, nullable, oneOf, requiredText } from '../http/fields.ts';
import {
  type BulkItem,
  bulkAnswerOf,
  hidePassword,
  sharedRecordFields,
  toSharedRecord,
} from '../short-links/record.ts';
import type { RecordContext } from '../short-links/record-context.ts';
import { CONTENT_NAMES, CONTENT_TYPES, type ContentName } from './content/index.ts';
import type { Wifi } from './content/wifi.ts';
import { shortTextOf, staticContent } from './content-of.ts';
import type { QrCodeRow } from './model.ts';
import { warningsOf } from './render/scannability.ts';
import { middleImage, resolveDesign } from './render/stored-design.ts';

/** Name of the count of visits in records. */
export const VISITS = 'scans';

/** Builds the public QR code record, with its password still sealed. */
export function toSealedQrCode(row: QrCodeRow, context: RecordContext) {
  const { type, design: asked } = row;
  const design = resolveDesign(asked, '');
  const contents = Object.fromEntries(
    CONTENT_NAMES.map((name) => [name, name === type ? row.content[name] : null]),
  ) as Record<ContentName, unknown>;
  return {
    ...toSharedRecord(row, context),
    ...contents,
    type,
    static: row.static,
    useDisplayPage: row.use_display_page,
    contentStatic: row.static ? staticContent(row) : null,
    logo: asked.logo ?? null,
    showLogo: asked.showLogo ?? false,
    src: asked.src ?? null,
    height: design.middle?.height ?? asked.height ?? 0,
    width: design.middle?.width ?? asked.width ?? 0,
    excavate: asked.excavate ?? false,
    logoPlate: asked.logoPlate ?? null,
    bgColor: design.bgColor,
    fgColor: design.fgColor,
    quietZoneColor: design.quietZoneColor,
    backgroundSrc: asked.backgroundSrc ?? null,
    backgroundStyle: asked.backgroundStyle ?? 'picture',
    backgroundStrength: asked.backgroundStrength ?? 'medium',
    fgGradient: design.fgGradient,
    bgGradient: design.bgGradient,
    eyeColor: design.eyeColor,
    eyeBallColor: design.eyeBallColor,
    eyeColors: design.eyeColors,
    eyeGradient: design.eyeGradient,
    size: design.size,
    level: design.level,
    pattern: design.pattern,
    shape: design.shape,
    frame: design.frame,
    frameColor: asked.frameColor ?? null,
    frameText: asked.frameText || null,
    frameIcon: asked.frameIcon ?? 'none',
    frameTextColor: asked.frameTextColor ?? null,
    frameTextStyles: asked.frameTextStyles ?? null,
    templateId: row.template_id,
    [VISITS]: context.counters?.visits ?? 0,
    shortLink: row.static ? null : shortTextOf(row, context.domain),
    warnings: [...warningsOf(design), ...crossWarnings(row)],
  };
}

/** Warns of an image in place of the Swiss cross. */
const crossWarnings = ({ type, static: isStatic, design }: QrCodeRow): string[] =>
  isStatic && type === 'swissqr' && middleImage(design) !== null
    ? [
        'src and logo take the place of the Swiss cross, which a QR-bill must have: payment forms need it',
      ]
    : [];

/**
 * Hides the passwords of a code and of a wireless network, from callers who cannot write the
 * record.
 */
export function hidePasswords<
  Item extends Pick<SealedQrCode, 'password' | 'wifi' | 'contentStatic'>,
>(record: Item): Item & { password: null } {
  const hidden = hidePassword(record);
  const { password } = (record.wifi ?? {}) as Partial<Wifi>;
  if (password === undefined) return hidden;
  const wifi = { ...(record.wifi as Wifi), password: null, hasPassword: true };
  return { ...hidden, wifi, contentStatic: null };
}

/** True for a code whose image contains the password of a wireless network. */
export const drawsPassword = ({ type, static: isStatic, content }: QrCodeRow): boolean =>
  isStatic && type === 'wifi' && (content['wifi'] as Wifi).password !== undefined;

/** A QR code record in jobs and their results. */
export type SealedQrCode = ReturnType<typeof toSealedQrCode>;

/** One place of a bulk answer: the record, or the error together with the input. */
export type BulkQrCodeItem = BulkItem<SealedQrCode>;

const object = Joi.object().unknown().allow(null).required();
const added = (schema: ReturnType<typeof Joi.any>, description: string) =>
  schema.description(description).meta({ extension: true });

/** Schema of a content: a text, an object, or either, like its type in a body. */
function contentField(name: string, { type }: Schema): Schema {
  const either = () =>
    Joi.alternatives(Joi.string(), Joi.object().unknown()).allow(null).required();
  const field = type === 'string' ? nullable : type === 'object' ? object : either();
  return field.description(`Content of a code of type ${name}.`);
}

/** Types that the contract does not have as members of a record. */
const EXTENSIONS = new Set<string>([
  'whatsapp',
  'pix',
  'event',
  'epc',
  'upi',
  'lightning',
  'swissqr',
  'app',
  'gs1',
  'links',
  'social',
  'file',
] satisfies ContentName[]);

/** A member for each content type; all but the code's own are null. */
const contents = Object.fromEntries(
  Object.entries(CONTENT_TYPES).map(([name, { schema }]) => {
    const field = contentField(name, schema);
    return [name, EXTENSIONS.has(name) ? field.meta({ extension: true }) : field];
  }),
) as Record<ContentName, Schema>;

/** Schema of the QR code record, for the reference and for checking answers. */
export const qrCodeRecord = Joi.object({
  ...sharedRecordFields,
  id: sharedRecordFields.id!.example('qr_0VKAM3TWq8Zr5XnYb2VdLcHs', { override: true }),
  type: oneOf(CONTENT_NAMES)
    .meta({ name: 'QrCodeType' })
    .required()
    .description('Type of the content, and name of the field that holds it.')
    .example('url'),
  static: flag()
    .required()
    .description('true: the code holds the content itself; false: the short link.'),
  useDisplayPage: flag()
    .required()
    .description('true: codes of type phone, email or sms open a page with buttons.')
    .example(true),
  contentStatic: nullable.description(
    'Text of a static code; null if it contains the password of a wireless network and the caller ' +
      'lacks the scope to write codes.',
  ),

  ...contents,
  url: contents.url
    .description('Content of a code of type url: the destination URL.')
    .example('https://example.com/landing'),
  wifi: object.description(
    'Content of a code of type wifi. Callers without the scope to write codes read `password: null` in it, and ' +
      '`hasPassword: true`.',
  ),
  phone: contents.phone.description('Content of a code of type phone: a phone number.'),
  logo: nullable.description('URL of the logo.'),
  showLogo: flag().required().description('The logo is drawn.'),
  src: nullable.description('URL of the image in the middle.'),
  height: Joi.number()
    .required()
    .description('Height of the image in px of the picture; 0: none was given.')
    .example(0),
  width: Joi.number()
    .required()
    .description('Width of the image in px of the picture; 0: none was given.')
    .example(0),
  excavate: flag().required().description('The modules behind the image are cleared.'),
  logoPlate: added(object, 'Plate behind the image.'),
  bgColor: requiredText.description('Color of the background.').example('#FFFFFF'),
  fgColor: requiredText.description('Color of the modules.').example('#000000'),
  quietZoneColor: added(nullable, 'Color of the quiet zone and the light modules.'),
  backgroundSrc: added(nullable, 'URL of the picture behind the code.'),
  backgroundStyle: added(requiredText, 'Style of this picture.').example('picture'),
  backgroundStrength: added(requiredText, 'Visibility of this picture.').example('medium'),
  fgGradient: added(object, 'Gradient of modules and eyes.'),
  bgGradient: added(object, 'Gradient of the background.'),
  eyeColor: added(nullable, 'Color of the eyes.'),
  eyeBallColor: added(nullable, 'Color of the balls in the eyes.'),
  eyeColors: added(object, 'Colors of single eyes.'),
  eyeGradient: added(object, 'Gradient of each eye.'),
  size: Joi.number().required().description('Width and height of the picture in px.').example(512),
  level: requiredText.description('Level of error correction.').example('M'),
  pattern: added(requiredText, 'Pattern of the modules.').example('squares'),
  shape: added(requiredText, 'Shape of the eyes.').example('square'),
  frame: added(requiredText, 'Frame around the code.').example('none'),
  frameColor: added(nullable, 'Color of the frame.'),
  frameText: added(nullable, 'Text in the frame.'),
  frameIcon: added(requiredText, 'Icon beside the text in the frame.').example('none'),
  frameTextColor: added(nullable, 'Color of the text in the frame.'),
  frameTextStyles: added(object, 'Weight, size in px and font family of the text in the frame.'),
  templateId: added(nullable, 'Id of the template of the appearance.'),
  [VISITS]: Joi.number().required().description('Number of scans.').example(7),
  shortLink: added(nullable, 'Text that a dynamic code holds: its short link.').example(
    'https://acme.link/launch',
  ),
  warnings: added(
    Joi.array().items(Joi.string()).required(),
    'Reasons why some phones may fail to read the code; usually empty.',
  ).example([]),
}).meta({ name: 'QrCode' });

/** Schema of an array of records and errors, in the order of the request. */
export const bulkAnswer = bulkAnswerOf(qrCodeRecord, 'qrcode');

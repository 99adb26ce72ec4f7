import {
  bodyFlag,
  Joi,
  oneOf,
  recordId,
  requiredCount,
  requiredText,
  requiredTime,
  text,
} from '../http/fields.ts';
import { imageQuery } from '../qrcodes/picture-schema.ts';
import { FORMATS as IMAGE_FORMATS } from '../qrcodes/render/design.ts';
import { FILE_NAMES } from '../qrcodes/render/file-name.ts';
import { LABEL_SHEETS, PAPERS } from '../qrcodes/render/sheet-layout.ts';
import { FONT_FAMILIES } from '../qrcodes/render/text.ts';
import type { RecordKind } from '../short-links/model.ts';
import { ARCHIVE_KINDS } from './archive.ts';
import { type ExportFormat, FORMATS } from './format.ts';
import { CAPTIONS, type PictureFields } from './qrcodes/options.ts';

/** Body of a new export. */
export interface NewExportBody extends PictureFields {
  type: 'workspace' | 'qrcodes';
  passphrase?: string;
  filter?: string;
  qrcodeIds?: string[];
  linkFilter?: string;
  linkIds?: string[];
}

/** Maximum number of ids in a body. */
const MAX_IDS = 10_000;
const MAX_QUERY_LENGTH = 2_000;

const queryText = Joi.string().allow('').max(MAX_QUERY_LENGTH);
const idList = Joi.array().items(Joi.string().min(1).max(64)).min(1).max(MAX_IDS).unique();

const sheet = Joi.object({
  paper: oneOf([...Object.keys(PAPERS), ...Object.keys(LABEL_SHEETS)]).description(
    'Paper, or sheet of labels. Default A4.',
  ),
  columns: Joi.number().strict().integer().min(1).max(20).description('Columns. Default 3.'),
  rows: Joi.number().strict().integer().min(1).max(30).description('Rows. Default 4.'),
  marginMm: Joi.number().strict().min(0).max(60).description('Margin in mm. Default 12.'),
  gapMm: Joi.number().strict().min(0).max(60).description('Gap between codes in mm. Default 6.'),
  caption: oneOf(CAPTIONS).description('Text under each code. Default title.'),
  captionFont: text(64).description(
    `${FONT_FAMILIES.join(', ')}, or the id or name of a font of the workspace. Default Inter.`,
  ),
})
  .description('Layout of the pages, for the format `sheet`.')
  .meta({ name: 'Sheet' });

/** Schema of the body of a new export. */
export const newExportBody = Joi.object<NewExportBody>({
  type: oneOf(['workspace', 'qrcodes'])
    .required()
    .description('Content of the export: the whole workspace, or images of QR codes.')
    .example('qrcodes'),
  passphrase: Joi.string()
    .min(8)
    .max(200)
    .description(
      'Of a workspace: passphrase of 8 to 200 characters that encrypts the passwords of links and ' +
        'QR codes. The import needs it. Without one, passwords are left out, and the import ' +
        'refuses links with passwords.',
    ),
  format: oneOf([...IMAGE_FORMATS, 'sheet']).description(
    'Of QR codes: format of the images in a ZIP file, or `sheet` for a PDF file with pages of ' +
      'codes. Default png.',
  ),
  fileNames: oneOf(FILE_NAMES).description(
    'Field that names the files; codes without it are named by their keys. Default title.',
  ),
  size: imageQuery.extract('size').strict(),
  sizeMm: imageQuery.extract('sizeMm').strict(),
  dpi: imageQuery.extract('dpi').strict(),
  margin: imageQuery.extract('margin').strict(),
  colorSpace: imageQuery.extract('colorSpace'),
  fgCmyk: imageQuery.extract('fgCmyk'),
  bgCmyk: imageQuery.extract('bgCmyk'),
  fgSpot: imageQuery.extract('fgSpot'),
  bleed: imageQuery.extract('bleed').strict(),
  cropMarks: bodyFlag().description('true: PDF and EPS have crop marks. Default false.'),
  sheet,
  filter: queryText
    .description(
      'Filters: the query string of `GET /qrcodes/count`. Default: all codes that are not archived.',
    )
    .example('tagNames=Tables'),
  qrcodeIds: idList.description(
    `Ids of at most ${MAX_IDS} codes in the order of the file, instead of \`filter\`.`,
  ),
  linkFilter: queryText.description(
    'The plain codes of links, as in `qrCode`, instead of QR codes: filters of links, as in the ' +
      'query string of `GET /links/count`. It needs the scope `links.read`.',
  ),
  linkIds: idList.description(
    `Ids of at most ${MAX_IDS} links in the order of the file, instead of \`linkFilter\`.`,
  ),
})
  .oxor('size', 'sizeMm')
  .oxor('filter', 'qrcodeIds', 'linkFilter', 'linkIds')
  .messages({ 'object.oxor': '{{#presentWithLabels}} must not be given together' })
  .meta({ name: 'NewExport' });

/** Body of an export of links or QR codes by their ids. */
export interface SelectedExport {
  ids: string[];
  format: ExportFormat;
}

/** Schema of the body of an export by ids. */
export const selectedExportBody = (kind: RecordKind) =>
  Joi.object<SelectedExport>({
    ids: Joi.array()
      .items(recordId())
      .min(1)
      .max(MAX_IDS)
      .unique()
      .required()
      .description(`Ids of at most ${MAX_IDS} records.`)
      .example([kind === 'link' ? 'link_4Jx2vQ0aTq' : 'qr_4Jx2vQ0aTq']),
    format: oneOf(FORMATS).default('csv').description('Format of the file.'),
  }).meta({ name: kind === 'link' ? 'LinkExport' : 'QrCodeExport' });

/** Schema of the answer to the export of a workspace. */
export const workspaceExport = Joi.object({
  url: requiredText
    .description('URL of the file, which needs no key.')
    .example('https://api.example.com/exports/job_0VKAM3TWq8Zr5XnYb2VdLcHs?token=Zk3vQ8sLp1'),
  expiresAt: requiredTime.description('Time at which the URL expires.'),
  bytes: requiredCount.description('Size, in bytes.').example(20_480),
  counts: Joi.object(
    Object.fromEntries(
      ARCHIVE_KINDS.map((kind) => [
        kind,
        requiredCount.description(`Records of the kind \`${kind}\`.`).example(12),
      ]),
    ),
  )
    .required()
    .description('Numbers of records in the file.')
    .meta({ name: 'WorkspaceExportCounts' }),
}).meta({ name: 'WorkspaceExport' });

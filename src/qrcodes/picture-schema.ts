import { emptyAsAbsent, flag, Joi, oneOf } from '../http/fields.ts';
import { destination } from '../short-links/url-field.ts';
import { designFields } from './design.ts';
import { FORMATS, type Format } from './render/design.ts';
import type { Cmyk } from './render/ink.ts';
import type { StoredDesign } from './render/stored-design.ts';

const ONE_SIZE = { 'object.oxor': 'size and sizeMm must not be given together' };

const saves = flag()
  .truthy('1')
  .falsy('0')
  .description('true or 1: browsers save the file. Default false.');

/** Parameters of an image. */
const pictureFields = {
  format: Joi.string()
    .lowercase()
    .replace(/^jpg$/, 'jpeg')
    .valid(...FORMATS)
    .default('png')
    .description('Format of the image; `jpg` is the same as `jpeg`.'),
  size: designFields.size.strict(false),
  sizeMm: Joi.number()
    .min(1)
    .max(2_000)
    .description(
      'Width of the picture in mm, instead of `size`: exact in SVG, PDF and EPS; whole px at `dpi` in other formats.',
    ),
  dpi: Joi.number()
    .integer()
    .min(72)
    .max(2_400)
    .description(
      'Resolution that PNG and JPEG state, and at which `size` is measured in PDF and EPS. Default with `sizeMm`: 300.',
    ),
  dimensions: flag().description(
    'false: an SVG has no width and height, so that the style of a page sets its size. Default true.',
  ),
  margin: Joi.number()
    .integer()
    .min(4)
    .max(100)
    .description('Width of the quiet zone in modules, 4 to 100. Default 4.'),
};

/** Parameters of an image file that do not change its drawing. */
export interface OutputQuery {
  sizeMm?: number | undefined;
  dpi?: number | undefined;
  /** False for an SVG without width and height. */
  dimensions?: boolean | undefined;
  colorSpace?: 'rgb' | 'cmyk';
  /** Percentages of cyan, magenta, yellow and black: `0,0,0,100`. */
  fgCmyk?: string;
  bgCmyk?: string;
  fgSpot?: string;
  /** In mm. */
  bleed?: number;
  cropMarks?: boolean;
}

export interface ImageQuery extends OutputQuery {
  format: Format;
  size?: number;
  margin?: number;
  download?: boolean;
}

const PERCENTAGES =
  /^(\d{1,3}(?:\.\d{1,2})?),(\d{1,3}(?:\.\d{1,2})?),(\d{1,3}(?:\.\d{1,2})?),(\d{1,3}(?:\.\d{1,2})?)$/;

/** Converts percentages, `0,0,0,100`, to shares. */
export const parseCmyk = (text: string): Cmyk => {
  const [c = 0, m = 0, y = 0, k = 0] = text.split(',').map((part) => Number(part) / 100);
  return [c, m, y, k];
};

const SPOT_NAME = /^[\x21-\x7e](?:[\x20-\x7e]{0,58}[\x21-\x7e])?$/;

const cmyk = () =>
  Joi.string().custom((value: string, { error }) => {
    const text = value.replaceAll(' ', '');
    return PERCENTAGES.test(text) && parseCmyk(text).every((share) => share <= 1)
      ? text
      : error('rule', { rule: 'must be four percentages from 0 to 100, such as 0,0,0,100' });
  });

/** Schema of the query string of a record's image. */
export const imageQuery = Joi.object<ImageQuery>({
  ...pictureFields,
  size: Joi.number()
    .integer()
    .min(1)
    .max(8_192)
    .description(
      'Width of the picture in px, at most 8,192 (4,096 as WebP); points in PDF and EPS. Default: the size of the record.',
    ),
  colorSpace: oneOf(['rgb', 'cmyk']).description(
    'Colors of PDF and EPS. Default rgb, in which black and greys use black ink alone.',
  ),
  fgCmyk: cmyk().description('Inks of `fgColor` as percentages: `100,72,0,6`.'),
  bgCmyk: cmyk().description('Inks of `bgColor` as percentages.'),
  fgSpot: Joi.string()
    .custom((value: string, { error }) =>
      SPOT_NAME.test(value)
        ? value
        : error('rule', { rule: 'must be a name of 1 to 60 printable characters in ASCII' }),
    )
    .description('Name of a spot color for `fgColor`, such as `PANTONE 286 C`.'),
  bleed: Joi.number().min(0).max(20).description('Bleed of PDF and EPS in mm, 0 to 20. Default 0.'),
  cropMarks: flag().description('true: PDF and EPS have crop marks. Default false.'),
  download: saves,
})
  .oxor('size', 'sizeMm')
  .messages(ONE_SIZE);

export interface QrQuery extends StoredDesign, Pick<OutputQuery, 'sizeMm' | 'dpi' | 'dimensions'> {
  url: string;
  format: Format;
  margin?: number;
  download?: boolean;
}

const {
  frameTextStyles: _,
  showLogo: __,
  excavate: ___,
  fgGradient: ____,
  bgGradient: _____,
  eyeGradient: ______,
  eyeColors: _______,
  logoPlate: ________,
  width,
  height,
  ...lookFields
} = designFields;

/** Schema of the query string of an image without a record. Colors may omit their `#`. */
export const qrQuery = Joi.object<QrQuery>({
  url: destination()
    .max(2_953)
    .required()
    .description('URL that the code holds, at most 2,953 characters.')
    .example('https://example.com/'),
  ...emptyAsAbsent(lookFields),
  width: width.strict(false),
  height: height.strict(false),
  excavate: flag().description('true: the modules behind the image are cleared. Default false.'),
  ...pictureFields,
  download: saves,
})
  .oxor('size', 'sizeMm')
  .messages(ONE_SIZE);

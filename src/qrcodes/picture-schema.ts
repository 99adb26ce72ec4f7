import { emptyAsAbsent, flag, Joi } from '../http/fields.ts';
import { destination } from '../short-links/url-field.ts';
import { designFields } from './design.ts';
import { FORMATS, type Format } from './render/design.ts';
import type { StoredDesign } from './render/stored-design.ts';

/** Parameters of an image. */
const pictureFields = {
  format: Joi.string()
    .lowercase()
    .replace(/^jpg$/, 'jpeg')
    .valid(...FORMATS)
    .default('png')
    .description('Format of the image; `jpg` is the same as `jpeg`.'),
  size: designFields.size.strict(false),
  margin: Joi.number()
    .integer()
    .min(4)
    .max(100)
    .description('Width of the quiet zone in modules, 4 to 100. Default 4.'),
};

export interface ImageQuery {
  format: Format;
  size?: number;
  margin?: number;
}

/** Schema of the query string of a record's image. */
export const imageQuery = Joi.object<ImageQuery>(pictureFields);

export interface QrQuery extends StoredDesign {
  url: string;
  format: Format;
  margin?: number;
}

const {
  frameTextStyles: _,
  showLogo: __,
  excavate: ___,
  width,
  height,
  ...lookFields
} = designFields;

/** Schema of the query string of an image without a record. Colors may omit their `#`. */
export const qrQuery = Joi.object<QrQuery>({
  url: destination()
    .max(2_953)
    .required()
    .description('URL that the code holds, at most 2,953 characters.'),
  ...emptyAsAbsent(lookFields),
  width: width.strict(false),
  height: height.strict(false),
  excavate: flag().description('true: the modules behind the image are cleared. Default false.'),
  ...pictureFields,
});

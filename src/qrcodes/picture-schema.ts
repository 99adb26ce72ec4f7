import { flag, Joi } from '../infra/fields.ts';
import { destination } from '../links/destination.ts';
import { designFields, type StoredDesign } from './design.ts';
import { FORMATS, type Format } from './render/design.ts';

/** How a picture may be asked for. */
const pictureFields = {
  format: Joi.string()
    .valid(...FORMATS)
    .default('png'),
  size: designFields.size,
  margin: Joi.number().integer().min(4).max(100).description('Quiet zone in modules, at least 4.'),
};

export interface ImageQuery {
  format: Format;
  size?: number;
  margin?: number;
}

/** Query of the picture of a record; everything else is the record's. */
export const imageQuery = Joi.object<ImageQuery>(pictureFields);

export interface QrQuery extends StoredDesign {
  url: string;
  format: Format;
  margin?: number;
}

const { frameTextStyles: _, showLogo: __, excavate: ___, ...lookFields } = designFields;

/** Query of a picture that belongs to no record. Colours may be written without their `#`. */
export const qrQuery = Joi.object<QrQuery>({
  url: destination().max(2_953).required().description('What the code shall hold.'),
  ...lookFields,
  excavate: flag().description('Whether the modules behind the image are cleared.'),
  ...pictureFields,
});

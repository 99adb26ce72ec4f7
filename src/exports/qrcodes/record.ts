import {
  Joi,
  nullable,
  nullableTime,
  oneOf,
  requiredCount,
  requiredText,
  requiredTime,
} from '../../http/fields.ts';
import { FORMATS } from '../../qrcodes/render/design.ts';
import { addressOf } from '../address.ts';
import { type PictureExport, STATES } from './model.ts';

/** A code that is not in the file. */
export interface ItemError {
  qrcodeId: string;
  message: string;
}

/** The public record of an export of images. */
export type ExportRecord = ReturnType<typeof toExport>;

/** Converts a row to the public record. @param errors the first codes that are not in the file */
export function toExport(row: PictureExport, errors: ItemError[] = []) {
  const isDone = row.state === 'done';
  return {
    id: row.id,
    type: 'qrcodes',
    format: row.options!.format,
    state: row.state,
    total: row.total,
    done: row.done,
    failed: row.failed,
    bytes: row.bytes,
    errors,
    failure: row.failure,
    url: isDone ? addressOf(row.id, row.expires_at).url : null,
    expiresAt: isDone ? row.expires_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
  };
}

const count = (description: string, example = 0) =>
  requiredCount.description(description).example(example);

/** Schema of the record. */
export const exportRecord = Joi.object({
  id: requiredText.description('Id of the export.').example('exp_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  type: oneOf(['qrcodes']).required().description('Content of the export.'),
  format: oneOf([...FORMATS, 'sheet'])
    .required()
    .description('Format of the images.'),
  state: oneOf(STATES)
    .required()
    .description('State; `failed`: there is no file, for the reason in `failure`.')
    .example('running'),
  total: count('Number of codes.', 120),
  done: count('Number of codes that are drawn, or that cannot be drawn.', 40),
  failed: count('Number of codes that are not in the file because they cannot be drawn.'),
  bytes: count('Size of the file so far, in bytes.', 61_440),
  errors: Joi.array()
    .items(
      Joi.object({
        qrcodeId: requiredText.description('Id of the code.').example('qr_4Jx2vQ0aTq'),
        message: requiredText.description('Reason.').example('size must be at least 99 px'),
      }).meta({ name: 'ExportError' }),
    )
    .required()
    .description('The first 100 codes that cannot be drawn. A ZIP file has all in `errors.csv`.'),
  failure: nullable.description('Reason why there is no file.'),
  url: nullable.description('URL of the file, which needs no key; null until the export is done.'),
  expiresAt: nullableTime.description('Time at which the URL expires.'),
  createdAt: requiredTime.description('Time of the request.'),
}).meta({ name: 'Export' });

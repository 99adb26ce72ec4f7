import { Joi, requiredText, requiredTime } from '../../http/fields.ts';
import type { FONT_COLUMNS, Font } from './model.ts';

/** The public record of a font. */
export type FontRecord = ReturnType<typeof toFont>;

/** Builds the public font record. */
export function toFont({
  id,
  name,
  characters,
  created_at,
}: Pick<Font, (typeof FONT_COLUMNS)[number]>) {
  return { id, name, characters, createdAt: created_at.toISOString() };
}

/** Schema of the font record, for the reference and for checking answers. */
export const fontRecord = Joi.object({
  id: requiredText.description('Id of the font.').example('font_5Rt9pXc1Ze'),
  name: requiredText.description('Name of the font.').example('Acme Sans Bold'),
  characters: Joi.number()
    .required()
    .description('Number of characters that texts can have.')
    .example(219),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'Font' });

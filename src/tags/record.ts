import { Joi, oneOf, requiredText } from '../http/fields.ts';
import type { Tag } from './model.ts';

/** Colors of tags. */
export const TAG_COLORS = ['red', 'yellow', 'green', 'blue', 'purple', 'pink', 'brown'] as const;

/** The tag record of the contract. */
export type TagRecord = ReturnType<typeof toTag>;

/** Schema of the tag record, for the reference and for checking answers. */
export const tagRecord = Joi.object({
  id: requiredText.description('Id of the tag.').example('tag_8hT3kLm2Qw'),
  name: requiredText
    .description('Name, unique in the workspace regardless of case.')
    .example('Summer campaign'),
  color: oneOf(TAG_COLORS).required().description('Color of the tag.'),
}).meta({ name: 'Tag' });

export function toTag({ id, name, color }: Pick<Tag, 'id' | 'name' | 'color'>) {
  return { id, name, color };
}

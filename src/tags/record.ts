import { Joi } from '../http/fields.ts';

/** Colors of tags. */
export const TAG_COLORS = ['red', 'yellow', 'green', 'blue', 'purple', 'pink', 'brown'] as const;

/** The tag record of the contract. */
export interface TagRecord {
  id: string;
  name: string;
  color: string;
}

/** Schema of the tag record, for the reference and for checking answers. */
export const tagRecord = Joi.object({
  id: Joi.string().required().description('Id of the tag.').example('tag_8hT3kLm2Qw'),
  name: Joi.string()
    .required()
    .description('Name, unique in the workspace regardless of case.')
    .example('Summer campaign'),
  color: Joi.string()
    .valid(...TAG_COLORS)
    .required()
    .description('Color of the tag.'),
}).meta({ name: 'Tag' });

export function toTag({ id, name, color }: TagRecord): TagRecord {
  return { id, name, color };
}

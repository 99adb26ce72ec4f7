import { Joi } from '../infra/fields.ts';

/** Colours of tags. */
export const TAG_COLORS = ['red', 'yellow', 'green', 'blue', 'purple', 'pink', 'brown'] as const;

/** A tag as other records mention it. */
export interface TagReference {
  id: string;
  name: string;
}

/** The tag record of the contract. */
export interface TagRecord extends TagReference {
  color: string;
}

/** The tag record, for the reference and for checking answers. */
export const tagRecord = Joi.object({
  id: Joi.string().required(),
  name: Joi.string().required(),
  color: Joi.string()
    .valid(...TAG_COLORS)
    .required(),
});

export function toTag({ id, name, color }: TagRecord): TagRecord {
  return { id, name, color };
}

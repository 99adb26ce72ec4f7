import { Joi, oneOf, requiredText, requiredTime } from '../http/fields.ts';
import type { View } from './model.ts';
import { LIST_NAMES } from './schema.ts';

/** A view: filters and order of a list, under a name. */
export type ViewRecord = ReturnType<typeof toView>;

export const viewRecord = Joi.object({
  id: requiredText.description('Id of the view.').example('view_5Rt9pXc1Ze'),
  list: oneOf(LIST_NAMES).required().description('List that the view is for.'),
  name: requiredText.description('Name of the view.').example('Spring launch'),
  query: requiredText
    .allow('')
    .description('Filters and order, as a query string of the list.')
    .example('search=spring&sort=clicks'),
  shared: Joi.boolean()
    .required()
    .description('Everyone in the workspace has it; else only the caller.'),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'View' });

export function toView({ id, list, name, query, user_id, created_at }: View) {
  return { id, list, name, query, shared: user_id === null, createdAt: created_at.toISOString() };
}

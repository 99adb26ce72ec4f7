import { Joi } from '../http/fields.ts';
import type { View } from './model.ts';
import { LIST_NAMES, type ListName } from './schema.ts';

/** A view: filters and order of a list, under a name. */
export interface ViewRecord {
  id: string;
  list: ListName;
  name: string;
  query: string;
  shared: boolean;
  createdAt: string;
}

export const viewRecord = Joi.object({
  id: Joi.string().required().description('Id of the view.').example('view_5Rt9pXc1Ze'),
  list: Joi.string()
    .valid(...LIST_NAMES)
    .required()
    .description('The list that it shows.'),
  name: Joi.string().required().description('Name of the view.').example('Spring launch'),
  query: Joi.string()
    .allow('')
    .required()
    .description('Filters and order, as a query string of the list.')
    .example('search=spring&sort=clicks'),
  shared: Joi.boolean()
    .required()
    .description('All people of the workspace have it; else only the person of this request.'),
  createdAt: Joi.string().isoDate().required().description('Time of creation.'),
}).meta({ name: 'View' });

export function toView({ id, list, name, query, user_id, created_at }: View): ViewRecord {
  return { id, list, name, query, shared: user_id === null, createdAt: created_at.toISOString() };
}

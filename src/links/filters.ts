import { Joi } from '../infra/fields.ts';
import {
  type FilterTable,
  part,
  type RoutedFilters,
  routedFilters,
  schemasOf,
  visits,
} from '../records/filters.ts';
import { LINK_TABLES } from './model.ts';

/** Filters of lists and counts of links, as the query names them. */
export interface LinkFilters extends RoutedFilters {
  geo?: object | null;
  ios?: string;
  android?: string;
  clicksMin?: number;
  clicksMax?: number;
}

/** A JSON object in a query: `{"DE":"https://…"}`, or `null`. */
const geoPairs = Joi.string().custom((value: string, { error }) => {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && !Array.isArray(parsed)) return parsed;
  } catch {
    // Answered below, as any other text that is no object.
  }
  return error('rule', { rule: 'must be a JSON object, or null' });
});

export const LINK_FILTERS: FilterTable<LinkFilters> = {
  ...routedFilters(LINK_TABLES),
  geo: {
    schema: geoPairs,
    where: (query, value) =>
      value === null
        ? query.whereNull('links.geo')
        : query.whereRaw('links.geo @> ?::jsonb', [JSON.stringify(value)]),
  },
  ios: part('links.ios'),
  android: part('links.android'),
  clicksMin: visits('>='),
  clicksMax: visits('<='),
};

/** Schemas of the filters, for the schema of a query. */
export const filterSchemas = schemasOf(LINK_FILTERS);

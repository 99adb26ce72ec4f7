import { id, Joi } from '../http/fields.ts';
import { parseJson } from '../infra/parse-json.ts';
import { geoField } from '../short-links/fields.ts';
import {
  containsText,
  type FilterTable,
  type SharedFilters,
  schemasOf,
  sharedFilters,
  visits,
} from '../short-links/filters.ts';
import {
  DESTINATION_STATES,
  type DestinationState,
  IS_IN_STATE,
  IS_UNCHECKED,
} from './destination-state.ts';
import { LINK_TABLES } from './model.ts';

/** Filters of lists and counts of links, under their names in the query string. */
export interface LinkFilters extends SharedFilters {
  geo?: object | null;
  ios?: string;
  android?: string;
  clicksMin?: number;
  clicksMax?: number;
  destinationState?: DestinationState | 'unchecked';
  importId?: string;
}

/** Maximum number of members of a JSON object in the query string; there are fewer countries. */
const MAX_VALUES = 1_000;

const geo = geoField();

/**
 * A JSON object in the query string that the `geo` of matching links contains, such as
 * `{"DE":"https://…"}`, or `null`.
 */
const geoPairs = Joi.string().custom((value: string, { error }) => {
  try {
    const parsed = parseJson(Buffer.from(value), MAX_VALUES);
    return Joi.attempt(parsed, geo.required()) as object | null;
  } catch {
    return error('rule', { rule: 'must be a JSON object of country codes and URLs, or null' });
  }
});

export const LINK_FILTERS: FilterTable<LinkFilters> = {
  ...sharedFilters(LINK_TABLES),
  geo: {
    schema: geoPairs.description(
      'JSON object of the link’s country codes and destination URLs; `null`: links without any.',
    ),
    where: (query, value) =>
      value === null
        ? query.whereNull('links.geo')
        : query.whereRaw('links.geo @> ?::jsonb', [JSON.stringify(value)]),
  },
  ios: containsText('links.ios', 'the destination URL for iOS'),
  android: containsText('links.android', 'the destination URL for Android'),
  clicksMin: visits('>='),
  clicksMax: visits('<='),
  destinationState: {
    schema: Joi.string()
      .valid(...DESTINATION_STATES, 'unchecked')
      .description(
        'Only links whose destination was in this state at the last check ' +
          '(`destinationCheck.state`), or `unchecked`.',
      )
      .meta({ extension: true }),
    where: (query, value) =>
      value === 'unchecked' ? query.whereRaw(IS_UNCHECKED) : query.whereRaw(IS_IN_STATE, [value]),
  },
  importId: {
    schema: id()
      .description('Id of an import: only links that it created.')
      .meta({ extension: true }),
    isIndexed: true,
    where: (query, value) =>
      query.whereRaw(
        `EXISTS (SELECT 1 FROM import_links i
                  WHERE i.project_id = links.project_id AND i.link_id = links.id AND i.import_id = ?)`,
        [value],
      ),
  },
};

/** Schemas of the filters, for the schema of a query string. */
export const filterSchemas = schemasOf(LINK_FILTERS);

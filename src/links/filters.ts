import { Joi } from '../http/fields.ts';
import { parseJson } from '../infra/parse-json.ts';
import { geoField } from '../short-links/fields.ts';
import {
  type FilterTable,
  part,
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

/** Filters of lists and counts of links, as the query names them. */
export interface LinkFilters extends SharedFilters {
  geo?: object | null;
  ios?: string;
  android?: string;
  clicksMin?: number;
  clicksMax?: number;
  destinationState?: DestinationState | 'unchecked';
}

/** Most values in the JSON of a query: more than there are countries. */
const MOST_VALUES = 1_000;

const geo = geoField();

/** A JSON object in a query, of what a body may have: `{"DE":"https://…"}`, or `null`. */
const geoPairs = Joi.string().custom((value: string, { error }) => {
  try {
    const parsed = parseJson(Buffer.from(value), MOST_VALUES);
    return Joi.attempt(parsed, geo.required()) as object | null;
  } catch {
    return error('rule', { rule: 'must be a JSON object of country codes and URLs, or null' });
  }
});

export const LINK_FILTERS: FilterTable<LinkFilters> = {
  ...sharedFilters(LINK_TABLES),
  geo: {
    schema: geoPairs.description(
      'JSON object of country codes and destination URLs that the link has, or `null`: without any.',
    ),
    where: (query, value) =>
      value === null
        ? query.whereNull('links.geo')
        : query.whereRaw('links.geo @> ?::jsonb', [JSON.stringify(value)]),
  },
  ios: part('links.ios', 'the destination URL for iOS'),
  android: part('links.android', 'the destination URL for Android'),
  clicksMin: visits('>='),
  clicksMax: visits('<='),
  destinationState: {
    schema: Joi.string()
      .valid(...DESTINATION_STATES, 'unchecked')
      .description(
        'What the last check found: only links whose destination is in this state (`destinationCheck.state`), or ' +
          '`unchecked`.',
      )
      .meta({ extension: true }),
    where: (query, value) =>
      value === 'unchecked' ? query.whereRaw(IS_UNCHECKED) : query.whereRaw(IS_IN_STATE, [value]),
  },
};

/** Schemas of the filters, for the schema of a query. */
export const filterSchemas = schemasOf(LINK_FILTERS);

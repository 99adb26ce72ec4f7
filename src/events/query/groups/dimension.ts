import { Joi } from '../../../http/fields.ts';
import { continentOf } from '../../../visitors/countries.ts';
import { type DimensionName, dimensionOf, partsOf } from '../../dimensions.ts';
import { eventsStore } from '../../store/index.ts';
import { type Numbers, numberNames, numberSchemas } from '../numbers.ts';
import type { Group, GroupList } from './group.ts';
import { listOf, placeList } from './list.ts';

/**
 * Makes a group that counts by a dimension; `toFields` converts the dimension's value to the fields
 * of a row.
 */
function groupBy(
  dimension: DimensionName,
  fields: readonly string[],
  toFields: (value: string) => Record<string, string>,
  list: GroupList,
): Group {
  return {
    answer: rowsOf(...fields),
    list,
    async read(query) {
      const rows = await eventsStore().countByValue(query, dimension);
      return rows.map(({ value, numbers }) => Object.assign(toFields(value), numbers));
    },
  };
}

/** Makes a group that counts by a dimension and returns its value in `field`. */
export const byDimension = (
  dimension: DimensionName,
  field: string,
  title: GroupList['title'],
  kind?: Parameters<typeof listOf>[2],
): Group =>
  groupBy(dimension, [field], (value) => ({ [field]: value }), listOf(title, field, kind));

/**
 * Makes a group that counts by a dimension of several columns, which become fields of the same
 * names in the given order.
 */
const byColumns = (dimension: DimensionName, fields: readonly string[], list: GroupList): Group =>
  groupBy(
    dimension,
    fields,
    (value) => {
      const parts = partsOf(value);
      const { columns } = dimensionOf(dimension);
      return Object.fromEntries(
        fields.map((field) => [field, parts[columns.findIndex((column) => column === field)]!]),
      );
    },
    list,
  );

/** Describes an array of rows with some texts and the numbers, for the reference. */
export const rowsOf = (...fields: string[]) =>
  Joi.array().items(
    Joi.object({
      ...Object.fromEntries(
        fields.map((field) => [
          field,
          Joi.string().allow('').required().description(`Value of the dimension: ${field}.`),
        ]),
      ),
      ...numberSchemas,
    }),
  );

export const countries = groupBy(
  'country',
  ['country', 'continent'],
  (country) => ({ country, continent: continentOf(country) ?? '' }),
  listOf('Countries', 'country', 'country'),
);

export const cities = byColumns(
  'city',
  ['city', 'country', 'region'],
  placeList('Cities', ['city', 'region']),
);
export const regions = byColumns('region', ['region', 'country'], placeList('Regions', ['region']));

/** Counts by continent, summed up from the counts by country. */
export const continents: Group = {
  answer: rowsOf('continent'),
  list: listOf('Continents', 'continent', 'continent'),
  async read(query) {
    const sums = new Map<string, Numbers>();
    for (const { value, numbers } of await eventsStore().countByValue(query, 'country')) {
      const continent = continentOf(value) ?? '';
      const sum = sums.get(continent) ?? {};
      for (const [name, number] of Object.entries(numbers)) {
        sum[name] = Math.min((sum[name] ?? 0) + number, Number.MAX_SAFE_INTEGER);
      }
      sums.set(continent, sum);
    }
    const [first] = numberNames(query.events);
    return [...sums]
      .map(([continent, numbers]) => ({ continent, numbers }))
      .toSorted(
        (a, b) => b.numbers[first!]! - a.numbers[first!]! || (a.continent < b.continent ? -1 : 1),
      )
      .map(({ continent, numbers }) => ({ continent, ...numbers }));
  },
};

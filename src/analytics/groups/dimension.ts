import type { DimensionName } from '../../events/rollups.ts';
import { continentOf } from '../../infra/countries.ts';
import { Joi } from '../../infra/fields.ts';
import { type Numbers, numberNames, numberSchemas, numbersSql } from '../events.ts';
import { ask, longValues, type Question, source } from '../source.ts';
import type { Group } from './group.ts';

/** Most rows of an answer. */
export const MAX_ROWS = 5_000;

/** A value of a dimension with its numbers. */
export interface ValueRow {
  value: string;
  numbers: Numbers;
}

/**
 * Counts by the values of a dimension, most first.
 *
 * @param expression SQL of what is counted by, over `value`
 * @param condition SQL of which values are meant
 */
export async function countByValue(
  question: Question,
  dimension: DimensionName,
  { expression = 'value', condition = 'true' } = {},
): Promise<ValueRow[]> {
  const { events, projectId } = question;
  const [first] = numberNames(events);
  const rows = await ask<Numbers & { value: never }>(
    source(question, dimension, 'none'),
    `SELECT ${expression} AS value, ${numbersSql(events)} FROM source
      WHERE value IS NOT NULL AND ${condition}
      GROUP BY 1 ORDER BY "${first}" DESC, 1 LIMIT ${MAX_ROWS}`,
  );
  const textOf = await longValues(
    projectId,
    rows.map(({ value }) => value),
  );
  return rows.map(({ value, ...numbers }) => ({ value: textOf(value), numbers }));
}

/** The fields that name a group, made of a value. */
type Naming = (value: string) => Record<string, string>;

/** Counts by a dimension; `name` is the field that holds the value, or makes all the fields that do. */
export function byDimension(
  dimension: DimensionName,
  name: string | { fields: readonly string[]; of: Naming; expression?: string },
): Group {
  const naming: { fields: readonly string[]; of: Naming; expression?: string } =
    typeof name === 'string' ? { fields: [name], of: (value) => ({ [name]: value }) } : name;
  return {
    answer: rowsOf(...naming.fields),
    async ask(question) {
      const { expression } = naming;
      const rows = await countByValue(
        question,
        dimension,
        expression === undefined ? {} : { expression },
      );
      return rows.map(({ value, numbers }) => ({ ...naming.of(value), ...numbers }));
    },
  };
}

/** An array of rows with some texts and the numbers, for the reference. */
export const rowsOf = (...fields: string[]) =>
  Joi.array().items(
    Joi.object({
      ...Object.fromEntries(fields.map((field) => [field, Joi.string().allow('').required()])),
      ...numberSchemas,
    }),
  );

export const countries = byDimension('country', {
  fields: ['country', 'continent'],
  of: (country) => ({ country, continent: continentOf(country) ?? '' }),
});

const parts = (value: string) => value.split('\t') as [string, string, string];

export const cities = byDimension('city', {
  fields: ['city', 'country', 'region'],
  of(value) {
    const [country, region, city] = parts(value);
    return { city, country, region };
  },
});

export const regions = byDimension('city', {
  fields: ['region', 'country'],
  expression: "split_part(value, E'\\t', 1) || E'\\t' || split_part(value, E'\\t', 2)",
  of(value) {
    const [country, region] = parts(value);
    return { region, country };
  },
});

/** Continents, by the countries that are in them. */
export const continents: Group = {
  answer: rowsOf('continent'),
  async ask(question) {
    const sums = new Map<string, Numbers>();
    for (const { value, numbers } of await countByValue(question, 'country')) {
      const continent = continentOf(value) ?? '';
      const sum = sums.get(continent) ?? {};
      for (const [name, number] of Object.entries(numbers)) {
        sum[name] = (sum[name] ?? 0) + number;
      }
      sums.set(continent, sum);
    }
    const [first] = numberNames(question.events);
    return [...sums]
      .map(([continent, numbers]) => ({ continent, numbers }))
      .toSorted(
        (a, b) => b.numbers[first!]! - a.numbers[first!]! || (a.continent < b.continent ? -1 : 1),
      )
      .map(({ continent, numbers }) => ({ continent, ...numbers }));
  },
};

import type { RollupDimension } from '../../events/store.ts';
import { continentOf } from '../../infra/countries.ts';
import { Joi } from '../../infra/fields.ts';
import { ask, source } from '../source.ts';
import type { Group } from './group.ts';

/** Most rows of an answer. */
const MAX_ROWS = 5_000;

/** Counts by the values of a dimension, most first; `name` is the field that holds the value. */
export function byDimension(dimension: RollupDimension, name: string): Group {
  const hasContinent = dimension === 'country';
  return {
    answer: Joi.array().items(
      Joi.object({
        [name]: Joi.string().allow('').required(),
        ...(hasContinent ? { continent: Joi.string().allow('').required() } : {}),
        clicks: Joi.number().required(),
      }),
    ),
    async ask({ projectId, span, filter, event }) {
      const rows = await ask<{ value: string; clicks: number }>(
        source(projectId, dimension, span, filter, event === undefined ? {} : { event }),
        `SELECT value, sum(n)::bigint AS clicks FROM source GROUP BY value ORDER BY 2 DESC, 1 LIMIT ${MAX_ROWS}`,
      );
      return rows.map(({ value, clicks }) => ({
        [name]: value,
        ...(hasContinent ? { continent: continentOf(value) ?? '' } : {}),
        clicks,
      }));
    },
  };
}

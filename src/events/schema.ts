import { Joi } from '../http/fields.ts';
import { KIND_PARAMETERS } from './kinds.ts';
import { filterSchemas, spanSchemas } from './query/filters.ts';
import { INTERVALS } from './span.ts';

/** Query parameters that select events: kind, time span and filters. */
export const eventSchemas = {
  event: Joi.string()
    .valid(...KIND_PARAMETERS)
    .default('clicks')
    .description('Kind of the events.'),
  interval: Joi.string()
    .valid(...INTERVALS.filter((name) => name !== '1h'))
    .description('Period; takes precedence over `start` and `end`. Default without them: 24h.'),
  ...filterSchemas,
  ...spanSchemas,
};

import { EVENTS } from '../analytics/events.ts';
import { filterSchemas, spanSchemas } from '../analytics/filters.ts';
import { INTERVALS } from '../analytics/interval.ts';
import { Joi } from '../infra/fields.ts';

/** Which events are meant, and when. */
export const eventSchemas = {
  event: Joi.string()
    .valid(...Object.keys(EVENTS).filter((name) => name !== 'composite'))
    .default('clicks'),
  interval: Joi.string()
    .valid(...INTERVALS.filter((name) => name !== '1h'))
    .description('Wins over start and end. Without any of them: 24h.'),
  ...filterSchemas,
  ...spanSchemas,
};

import { Joi } from '../../../http/fields.ts';
import { eventsStore } from '../../store/index.ts';
import type { Question } from '../../store/store.ts';
import { numberSchemas } from '../numbers.ts';
import type { Group } from './group.ts';

/** Counts by time, without gaps. */
export async function timeRows(question: Question): Promise<{ start: string }[]> {
  const steps = await eventsStore().countByTime(question);
  return steps.map(({ start, numbers }) => ({ start: start.toISOString(), ...numbers }));
}

/** Steps of time, for the reference. */
export const timeRowsSchema = Joi.array().items(
  Joi.object({
    start: Joi.string().isoDate().required().description('Beginning of the step.'),
    ...numberSchemas,
  }),
);

export const timeseries: Group = { answer: timeRowsSchema, ask: timeRows };

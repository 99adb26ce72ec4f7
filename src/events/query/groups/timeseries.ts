import { Joi, requiredTime } from '../../../http/fields.ts';
import { eventsStore } from '../../store/index.ts';
import type { CountQuery } from '../../store/store.ts';
import { numberSchemas } from '../numbers.ts';
import type { Group } from './group.ts';

/** Counts events by step of time, without gaps. */
export async function timeRows(query: CountQuery): Promise<{ start: string }[]> {
  const steps = await eventsStore().countByTime(query);
  return steps.map(({ start, numbers }) => ({ start: start.toISOString(), ...numbers }));
}

/** Rows of a time series, for the reference. */
export const timeRowsSchema = Joi.array().items(
  Joi.object({
    start: requiredTime.description('Start of the step.'),
    ...numberSchemas,
  }),
);

export const timeseries: Group = { answer: timeRowsSchema, read: timeRows };

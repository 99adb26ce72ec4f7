import { Joi } from '../../../http/fields.ts';
import { eventsStore } from '../../store/index.ts';
import type { Group } from './group.ts';
import { timeRows, timeRowsSchema } from './timeseries.ts';

const MINUTE_MS = 60_000;
const SHOWN_MINUTES = 30;
const HERE_MINUTES = 5;

/**
 * Counts of the last half hour by minute, and the number of distinct visitors in the last five
 * minutes.
 */
export const trendLive: Group = {
  answer: Joi.object({
    visitors: Joi.number()
      .integer()
      .required()
      .description('Number of different visitors in the last 5 minutes.'),
    minutes: timeRowsSchema.required().description('The last 30 minutes.'),
  }),
  async read(query) {
    const now = Date.now();
    const end = new Date(now + 1);
    const thisMinute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const { timezone } = query.span;
    const start = new Date(thisMinute - (SHOWN_MINUTES - 1) * MINUTE_MS);
    const span = { start, end, granularity: 'minute' as const, timezone };
    const recent = { ...span, start: new Date(now - HERE_MINUTES * MINUTE_MS) };
    const [minutes, visitors] = await Promise.all([
      timeRows({ ...query, span }),
      eventsStore().countVisitors({ ...query, span: recent }),
    ]);
    // Steps begin at a full hour of the zone; only those of the last half hour are returned.
    return {
      visitors,
      minutes: minutes.filter((minute) => minute.start >= start.toISOString()),
    };
  },
};

import { Joi } from '../../../http/fields.ts';
import { eventsStore } from '../../store/index.ts';
import type { Group } from './group.ts';
import { timeRows, timeRowsSchema } from './timeseries.ts';

const MINUTE_MS = 60_000;
const SHOWN_MINUTES = 30;
const HERE_MINUTES = 5;

/** The last half hour by the minute, and how many different visitors came in the last five minutes. */
export const trendLive: Group = {
  answer: Joi.object({
    visitors: Joi.number()
      .integer()
      .required()
      .description('Number of different visitors in the last 5 minutes.'),
    minutes: timeRowsSchema.required().description('The last 30 minutes.'),
  }),
  async ask(question) {
    const now = Date.now();
    const end = new Date(now + 1);
    const thisMinute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const { timezone } = question.span;
    const start = new Date(thisMinute - (SHOWN_MINUTES - 1) * MINUTE_MS);
    const span = { start, end, granularity: 'minute' as const, timezone };
    const recent = { ...span, start: new Date(now - HERE_MINUTES * MINUTE_MS) };
    const [minutes, visitors] = await Promise.all([
      timeRows({ ...question, span }),
      eventsStore().countVisitors({ ...question, span: recent }),
    ]);
    // Steps begin with the zone's hour; only those of the half hour are shown.
    return {
      visitors,
      minutes: minutes.filter((minute) => minute.start >= start.toISOString()),
    };
  },
};

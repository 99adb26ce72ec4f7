import { Joi } from '../../infra/fields.ts';
import { type Numbers, numberNames, numberSchemas, numbersSql } from '../events.ts';
import { ask, source } from '../source.ts';
import type { Group } from './group.ts';

const STEP = { minute: '1 minute', hour: '1 hour', day: '1 day', month: '1 month' };

/**
 * Counts by time, without gaps. Minutes and hours are steps of real time from the zone's first hour on, so that a
 * day of 23 or 25 hours has as many; days and months are those of the zone's calendar.
 */
export const timeseries: Group = {
  answer: Joi.array().items(
    Joi.object({ start: Joi.string().isoDate().required(), ...numberSchemas }),
  ),
  async ask(question) {
    const { span, events } = question;
    const { granularity, timezone, start, end } = span;
    const isCalendar = granularity === 'day' || granularity === 'month';
    const cut = isCalendar
      ? 'date_trunc(:unit, at AT TIME ZONE :timezone)'
      : 'date_bin(:step::interval, at, first)';
    const steps = isCalendar
      ? `SELECT local AT TIME ZONE :timezone AS start, local AS slot FROM generate_series(
           date_trunc(:unit, :start::timestamptz AT TIME ZONE :timezone),
           (:end::timestamptz - interval '1 microsecond') AT TIME ZONE :timezone, :step::interval) AS local`
      : `SELECT slot AS start, slot FROM origin, generate_series(
           first, :end::timestamptz - interval '1 microsecond', :step::interval) AS slot`;
    const names = numberNames(events);
    const rows = await ask<Numbers & { start: Date }>(
      source(question, 'all', granularity === 'minute' ? 'exact' : 'quarter'),
      `, origin AS (SELECT date_trunc(:unit, :start::timestamptz, :timezone) AS first),
         steps AS (${steps}),
         counted AS (SELECT ${cut} AS slot, ${numbersSql(events)} FROM source, origin GROUP BY 1)
       SELECT steps.start, ${names.map((name) => `coalesce(counted."${name}", 0) AS "${name}"`).join(', ')}
         FROM steps LEFT JOIN counted USING (slot) ORDER BY steps.slot`,
      { unit: granularity, step: STEP[granularity], timezone, start, end },
    );
    return rows.map((row) => ({ ...row, start: (row.start as unknown as Date).toISOString() }));
  },
};

import { Joi } from '../../infra/fields.ts';
import { ask, source } from '../source.ts';
import type { Group } from './group.ts';

const STEP = { minute: '1 minute', hour: '1 hour', day: '1 day', month: '1 month' };

/**
 * Counts by time, without gaps. Minutes and hours are steps of real time from the zone's first hour on, so that a
 * day of 23 or 25 hours has as many; days and months are those of the zone's calendar.
 */
export const timeseries: Group = {
  answer: Joi.array().items(
    Joi.object({ start: Joi.string().isoDate().required(), clicks: Joi.number().required() }),
  ),
  async ask({ projectId, span, filter, event = 'click' }) {
    const { granularity, timezone } = span;
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
    const rows = await ask<{ start: Date; clicks: number }>(
      source(projectId, 'all', span, filter, { exactTimes: granularity === 'minute', event }),
      `, origin AS (SELECT date_trunc(:unit, :start::timestamptz, :timezone) AS first),
         steps AS (${steps}),
         counted AS (SELECT ${cut} AS slot, sum(n)::bigint AS clicks FROM source, origin GROUP BY 1)
       SELECT steps.start, coalesce(counted.clicks, 0) AS clicks
         FROM steps LEFT JOIN counted USING (slot) ORDER BY steps.slot`,
      { unit: granularity, step: STEP[granularity], timezone },
    );
    return rows.map(({ start, clicks }) => ({ start: start.toISOString(), clicks }));
  },
};

import { conditionsOf, type EventFilter, FILTERS } from '../events/filters.ts';
import { TRAFFIC, type Traffic } from '../events/kinds.ts';
import { type Matcher, matcherOf } from '../events/live/matcher.ts';
import { bodyFlag, Joi } from '../http/fields.ts';

/*
 * The filter of a webhook selects visits, leads, sales and refunds, as the filters of events with the
 * same names do.
 */

/** The filter of a webhook; it must match in all of its fields. */
export interface WebhookFilter {
  country?: string[] | undefined;
  device?: string[] | undefined;
  /** True for scans of QR codes, false for everything else. */
  qr?: boolean | undefined;
  traffic?: Traffic | undefined;
}

/** Description of the field `filter`. */
export const FILTER_MEANING =
  'Visits, leads, sales and refunds that it receives, within its scope and kinds; null: all, ' +
  'except visits of suspects unless the workspace has `countSuspects`. Other events are not filtered.';

/** Schema of the filter in bodies and records. */
export const webhookFilter = Joi.object<WebhookFilter>({
  country: FILTERS.country.schema,
  device: FILTERS.device.schema,
  qr: bodyFlag().description(
    'true: only visits by a QR code, with their leads and sales; false: only others. The same as ' +
      '`type` of events.',
  ),
  traffic: Joi.string()
    .valid(...TRAFFIC)
    .description(
      'Visits of people, visits that may come from programs, or both. Leads, sales and refunds ' +
        'belong to people. Default: `person`, or `all` if the workspace has `countSuspects`.',
    ),
})
  .min(1)
  .allow(null)
  .meta({ name: 'WebhookFilter' });

/**
 * Makes a function that matches events against the filter of a webhook.
 *
 * @param countsSuspects true if suspects count like people in the workspace
 */
export const filterMatcher = (filter: WebhookFilter | null, countsSuspects: boolean): Matcher =>
  matcherOf(filterOf(filter, countsSuspects));

/** Converts the filter of a webhook to the filter of events that matches the same. */
export function filterOf(
  filter: WebhookFilter | null,
  countsSuspects: boolean,
): EventFilter & { traffic: Traffic } {
  const { qr, traffic = countsSuspects ? 'all' : 'person', ...values } = filter ?? {};
  const types = qr === undefined ? undefined : [qr ? 'qr' : 'link'];
  return { conditions: conditionsOf({ ...values, types }), traffic };
}

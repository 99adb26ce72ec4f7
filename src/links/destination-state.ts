import { Joi, nullable, oneOf, requiredCount, requiredText } from '../http/fields.ts';

/**
 * States of a destination, from best to worst. A destination fails several checks before its link
 * counts as broken.
 */
export const DESTINATION_STATES = ['ok', 'redirecting', 'unclear', 'failing', 'broken'] as const;

export type DestinationState = (typeof DESTINATION_STATES)[number];

/** The last check of a link's destination, as Postgres returns it in JSON. */
export interface StoredCheck {
  url: string;
  other_url: string | null;
  state: DestinationState;
  status: number | null;
  error: string | null;
  leads_to: string | null;
  failures: number;
  checked_at: string;
  broken_since: string | null;
}

/** SQL: the check of the present destination of a row of `links`; empty before the first check. */
const CHECK = `FROM destination_checks dc
   WHERE dc.project_id = links.project_id AND dc.link_id = links.id AND dc.url = links.url`;

/** SQL: column of queries over links with {@link StoredCheck}, or NULL. */
export const CHECK_COLUMN = `(SELECT to_json(dc) ${CHECK} AND dc.state IS NOT NULL) AS destination_check`;

/** SQL: condition that a link's destination is in the state bound to `?`. */
export const IS_IN_STATE = `EXISTS (SELECT 1 ${CHECK} AND dc.state = ?)`;

/** SQL: condition that a link's destination has not been checked. */
export const IS_UNCHECKED = `NOT EXISTS (SELECT 1 ${CHECK} AND dc.state IS NOT NULL)`;

/** Builds the last check in the record of a link. */
export const toDestinationCheck = (check: StoredCheck) => ({
  url: check.other_url ?? check.url,
  state: check.state,
  status: check.status,
  error: check.error,
  leadsTo: check.leads_to,
  failures: check.failures,
  checkedAt: new Date(check.checked_at).toISOString(),
  brokenSince: check.broken_since === null ? null : new Date(check.broken_since).toISOString(),
});

const time = () => Joi.string().isoDate();

/** Schema of {@link toDestinationCheck}. */
export const destinationCheckRecord = Joi.object({
  url: requiredText
    .description(
      'The destination with this result, the worst among `url`, `testVariants`, `ios`, `android`, ' +
        '`geo`, `rules` and `expiredUrl`.',
    )
    .example('https://example.org/spring'),
  state: oneOf(DESTINATION_STATES)
    .required()
    .description(
      '`ok`: the destination answers; `redirecting`: it answers, but redirects to another host; ' +
        '`unclear`: its host refuses automated requests, or only visitors can reach it; ' +
        '`failing`: the last check failed; `broken`: DESTINATION_FAILURES checks in a row failed.',
    )
    .example('broken'),
  status: requiredCount
    .allow(null)
    .description('HTTP status of the destination; null: there was no response.')
    .example(404),
  error: nullable
    .description('The rule that the destination broke, as in errors: it completes "url …".')
    .example('must respond with status 2xx, not 404'),
  leadsTo: nullable
    .description('Final URL, after all redirects of the destination.')
    .example('https://www.example.org/spring'),
  failures: requiredCount.description('Failed checks in a row.').example(3),
  checkedAt: time()
    .required()
    .description('Time of the check (ISO 8601, UTC).')
    .example('2026-04-02T03:00:00.000Z'),
  brokenSince: time()
    .allow(null)
    .required()
    .description('Time at which the link was first found broken, until a check succeeds.')
    .example('2026-04-01T03:00:00.000Z'),
})
  .allow(null)
  .required()
  .description('Last check of the destination; null: not checked yet, or checks are off.')
  .meta({ name: 'DestinationCheck', extension: true });

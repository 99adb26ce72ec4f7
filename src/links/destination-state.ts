import { Joi } from '../http/fields.ts';

/** What a check found, from best to worst. A destination fails a few times before its link counts as broken. */
export const DESTINATION_STATES = ['ok', 'redirecting', 'unclear', 'failing', 'broken'] as const;

export type DestinationState = (typeof DESTINATION_STATES)[number];

/** The last check of a link's destination, as Postgres has it in JSON. */
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

/** The check of the destination that a row of `links` has now; none while it was not checked. */
const CHECK = `FROM destination_checks dc
   WHERE dc.project_id = links.project_id AND dc.link_id = links.id AND dc.url = links.url`;

/** SQL of a column of queries over links: {@link StoredCheck}, or NULL. */
export const CHECK_COLUMN = `(SELECT to_json(dc) ${CHECK} AND dc.state IS NOT NULL) AS destination_check`;

/** SQL of the condition that a link's destination is in a state, which is bound to `?`. */
export const IS_IN_STATE = `EXISTS (SELECT 1 ${CHECK} AND dc.state = ?)`;

/** SQL of the condition that a link's destination was not checked. */
export const IS_UNCHECKED = `NOT EXISTS (SELECT 1 ${CHECK} AND dc.state IS NOT NULL)`;

/** The last check, as the record of a link has it. */
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

/** The schema of {@link toDestinationCheck}. */
export const destinationCheckRecord = Joi.object({
  url: Joi.string()
    .required()
    .description(
      'The destination that the result is about: the worst of the link, which has `url` and those of `testVariants`, ' +
        '`ios`, `android`, `geo`, `rules` and `expiredUrl`.',
    )
    .example('https://example.org/spring'),
  state: Joi.string()
    .valid(...DESTINATION_STATES)
    .required()
    .description(
      '`ok`: the destination answers; `redirecting`: it answers, but leads to another host; `unclear`: its host refuses ' +
        'automated requests, or only visitors can reach it; `failing`: the last check failed; `broken`: so many in a row ' +
        'did (DESTINATION_FAILURES).',
    )
    .example('broken'),
  status: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('HTTP status of the destination; null: there was no response.')
    .example(404),
  error: Joi.string()
    .allow(null)
    .required()
    .description('The rule that the destination broke, as in errors: it completes "url …".')
    .example('must respond with status 2xx, not 404'),
  leadsTo: Joi.string()
    .allow(null)
    .required()
    .description('Where the destination redirects to, after all redirects.')
    .example('https://www.example.org/spring'),
  failures: Joi.number().integer().required().description('Failed checks in a row.').example(3),
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
  .description('Last check of the destination; null: it was not checked yet, or checks are off.')
  .meta({ name: 'DestinationCheck', extension: true });

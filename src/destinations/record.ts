import {
  Joi,
  nullable,
  nullableTime,
  oneOf,
  requiredCount,
  requiredText,
  requiredTime,
} from '../http/fields.ts';
import { webhookFilter } from '../webhooks/filter.ts';
import { DESTINATION_TYPES, KINDS } from './kinds.ts';
import { type Backfill, DESTINATION_STATES, type Destination, TEST_STATES } from './model.ts';
import { FILTER_MEANING } from './schema.ts';

/** A row, and the time of the oldest event in its queue if it was read too. */
export type WaitingDestination = Destination & { pending_since?: Date | null | undefined };

const toBackfill = ({ start, end, unsentBefore, sent, finishedAt }: Backfill) => ({
  start,
  end,
  unsentBefore,
  sent,
  finishedAt,
});

/** Builds the public record of a destination. */
export function toDestination(row: WaitingDestination) {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    settings: row.settings,
    hasSecret: row.secret !== null,
    filter: row.filter,
    status: row.status,
    lastError: row.error,
    failingSince: row.failing_since?.toISOString() ?? null,
    pendingSince: row.pending_since?.toISOString() ?? null,
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
    refusedEvents: row.refused,
    lastRefusedAt: row.last_refused_at?.toISOString() ?? null,
    lastRefusal: row.last_refusal,
    backfill: row.backfill === null ? null : toBackfill(row.backfill),
    lastTest: row.test,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export type DestinationRecord = ReturnType<typeof toDestination>;

/** Schema of the record of a destination, for the reference and for checking answers. */
export const destinationRecord = Joi.object({
  id: requiredText.description('Id of the destination.').example('dest_2Kd8vQ1mZx'),
  type: oneOf(DESTINATION_TYPES).required().description('Kind of the receiver.'),
  name: requiredText.description('Name.').example('Web analytics'),
  settings: Joi.alternatives(...DESTINATION_TYPES.map((type) => KINDS[type].settings))
    .required()
    .description('Settings of its type.'),
  hasSecret: Joi.boolean().required().description('true: it has a secret, which is not shown.'),
  filter: webhookFilter.required().description(FILTER_MEANING),
  status: oneOf(DESTINATION_STATES)
    .required()
    .description(
      '`active`: events are sent; `paused`: its owner lets them wait; `disabled`: the receiver ' +
        'refused them for the reason in `lastError`, and they wait. Events wait for at most seven days.',
    ),
  lastError: nullable.description('Reason of the last failure; null after a success.'),
  failingSince: nullableTime.description('Time since which every attempt has failed.'),
  pendingSince: nullableTime.description('Time of the oldest event that waits; null: none waits.'),
  lastSentAt: nullableTime.description('Time of the last success.'),
  refusedEvents: requiredCount
    .description(
      'Number of events that the receiver refused one by one, and that are not sent again.',
    )
    .example(0),
  lastRefusedAt: nullableTime.description('Time of the last refusal of an event.'),
  lastRefusal: nullable
    .description('Reason of the last refusal of an event.')
    .example('The receiver must respond with status 2xx, not 400'),
  backfill: Joi.object({
    start: requiredTime.description('Start of the period.'),
    end: requiredTime.description('End of the period.'),
    unsentBefore: nullableTime.description(
      'Time before which the receiver accepts no events, so that earlier ones are not sent; null: ' +
        'all are sent.',
    ),
    sent: requiredCount.description('Number of events that were sent.').example(1_200),
    finishedAt: nullableTime.description('Time at which the last event was sent; null: running.'),
  })
    .allow(null)
    .required()
    .description('The last backfill; null: none.'),
  lastTest: Joi.object({
    id: requiredText.description('Id of the test event.').example('evt_2Kd8vQ1mZx'),
    state: oneOf(TEST_STATES)
      .required()
      .description('`pending`: being sent; `succeeded`: the receiver accepted it; `failed`.'),
    createdAt: requiredTime.description('Time of the request.'),
    durationMs: requiredCount
      .allow(null)
      .description('Time until the response, in ms.')
      .example(84),
    status: requiredCount
      .allow(null)
      .description('HTTP status of the response; null without a response, and for Redis.')
      .example(204),
    response: nullable.description('Start of the response, without the secret.'),
    error: nullable
      .description('Reason of a failure.')
      .example('The receiver must respond with status 2xx, not 403'),
  })
    .allow(null)
    .required()
    .description('The last test event; null: none.'),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
}).meta({ name: 'Destination' });

import {
  flag,
  Joi,
  nullable,
  nullableTime,
  requiredCount,
  requiredText,
  requiredTime,
} from '../http/fields.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import { hiddenHeaders, shownCredentials, toCredentials } from './credentials.ts';
import { FILTER_MEANING, webhookFilter } from './filter.ts';
import { FORMAT_NAMES, FORMATS } from './formats/index.ts';
import { WEBHOOK_KINDS } from './kinds.ts';
import { type Attempt, DELIVERY_STATES, type Delivery, type Webhook } from './model.ts';
import { shownScope, toScope } from './scope.ts';

/** Builds the public record of a webhook. */
export function toWebhook(row: Webhook) {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    kinds: row.kinds,
    ...toScope(row),
    filter: row.filter,
    format: row.format,
    ...toCredentials(row.project_id, row.credentials),
    enabled: row.disabled_at === null,
    disabledAt: row.disabled_at?.toISOString() ?? null,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    pausedUntil: row.paused_until?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export type WebhookRecord = ReturnType<typeof toWebhook>;

/** A webhook with its sealed secret, in the result of a job. */
export type WebhookWithSecret = WebhookRecord & {
  secret: Sealed;
  previousSecretUntil: string | null;
};

export function toWebhookWithSecret(row: Webhook): WebhookWithSecret {
  return {
    ...toWebhook(row),
    secret: { sealed: row.secret },
    previousSecretUntil: row.previous_secret_until?.toISOString() ?? null,
  };
}

/** Decrypts the secret for its owner. */
export const openSecret = (projectId: string, webhook: WebhookWithSecret): object => ({
  ...webhook,
  secret: openSealed(projectId, 'webhook secret', webhook.secret),
});

/** Builds the public record of an attempt: a request and its response. */
export function toAttempt(row: Attempt) {
  return {
    at: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    url: row.url,
    status: row.status,
    error: row.error,
    response:
      row.status === null
        ? null
        : { headers: row.response_headers ?? {}, body: row.response_body ?? '' },
  };
}

/** Builds the public record of a delivery in a list. */
export function toDelivery(row: Delivery) {
  return {
    id: row.id,
    kind: row.kind,
    recordId: row.record_id,
    sequence: row.sequence,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

export type DeliveryRecord = ReturnType<typeof toDelivery>;

/** Builds the public record of a delivery with its request and every attempt, newest first. */
export function toWholeDelivery(
  row: Delivery,
  attempts: readonly Attempt[],
  { url, format: name, project_id, credentials }: Webhook,
) {
  const { id, webhook_id: webhookId, record_id: recordId, payload } = row;
  const format = FORMATS[name];
  return {
    ...toDelivery(row),
    request: {
      method: 'POST',
      url,
      headers: {
        ...hiddenHeaders(project_id, credentials),
        'content-type': format.contentType,
        ...(format.isChat ? {} : { 'webhook-id': id }),
      },
      body: format.bodyOf({ id, webhookId, recordId, payload }),
    },
    log: attempts.map(toAttempt),
  };
}

/** Schema of the format of requests. */
export const webhookFormat = Joi.string()
  .valid(...FORMAT_NAMES)
  .description(
    'Format of requests: `standard` (Standard Webhooks) and `cloudevents` (CloudEvents 1.0), both ' +
      'signed; or a message for people: `slack`, `discord`, or `teams` (a workflow). Default: `standard`.',
  );

/** Schema of the webhook record, for the reference and for checking answers. */
export const webhookRecord = Joi.object({
  id: requiredText.description('Id of the webhook.').example('wh_1Lp5oIu8Yt'),
  name: requiredText.description('Name.').example('Shop'),
  url: requiredText
    .description('URL that receives deliveries.')
    .example('https://shop.example.com/hooks'),
  kinds: Joi.array()
    .items(
      Joi.string()
        .valid(...WEBHOOK_KINDS)
        .meta({ name: 'WebhookKind' }),
    )
    .required()
    .description('Kinds of events that it receives.'),
  ...shownScope,
  filter: webhookFilter.required().description(FILTER_MEANING),
  format: webhookFormat.required(),
  ...shownCredentials,
  enabled: flag().required().description('Deliveries are sent.').example(true),
  disabledAt: nullableTime.description('Time at which it was disabled.'),
  disabledReason: nullable.description('Reason why it was disabled.'),
  failingSince: nullableTime.description('Time of the first failure since the last success.'),
  pausedUntil: nullableTime.description(
    'Time at which sending resumes after several failures in a row.',
  ),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
}).meta({ name: 'Webhook' });

/** Schema of an answer that contains the secret. */
export const webhookWithSecret = webhookRecord
  .keys({
    secret: requiredText
      .description('Secret that signs deliveries. No other response has it.')
      .example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
    previousSecretUntil: nullableTime.description(
      'Time until which deliveries are also signed with the previous secret.',
    ),
  })
  .meta({ name: 'WebhookWithSecret' });

const deliveryFields = {
  id: requiredText
    .description('Id of the delivery, as in the header `webhook-id`; the same for all attempts.')
    .example('msg_0Qa2wSx4Ed'),
  kind: requiredText.description('Kind of the event.').example('link.created'),
  recordId: nullable.description('Id of the link or QR code.'),
  sequence: requiredCount
    .allow(null)
    .description('Sequence number of the event within its link or QR code, without gaps.'),
  state: Joi.string()
    .valid(...DELIVERY_STATES)
    .required()
    .description('State of the delivery.'),
  attempts: requiredCount.description('Number of attempts so far.'),
  nextAttemptAt: nullableTime.description('Time of the next attempt.'),
  createdAt: requiredTime.description('Time of creation.'),
};

const headers = Joi.object()
  .pattern(Joi.string(), Joi.string().allow(''))
  .required()
  .description('Headers, with names in lower case.')
  .example({ 'content-type': 'application/json' });

/** Schema of a delivery in a list. */
export const deliveryRecord = Joi.object(deliveryFields).meta({ name: 'Delivery' });

/** Schema of a delivery with its request and attempts. */
export const wholeDeliveryRecord = Joi.object({
  ...deliveryFields,
  request: Joi.object({
    method: requiredText.description('HTTP method.').example('POST'),
    url: requiredText.description('URL of the webhook.').example('https://shop.example.com/hooks'),
    headers,
    body: requiredText.description('Body, as JSON text.').example('{"type":"link.created"}'),
  })
    .required()
    .description('Request that is sent.'),
  log: Joi.array()
    .items(
      Joi.object({
        at: requiredTime.description('Time of the attempt.'),
        durationMs: requiredCount.description('Duration in ms.').example(120),
        url: requiredText
          .description('URL of the request.')
          .example('https://shop.example.com/hooks'),
        status: requiredCount
          .allow(null)
          .description('Status of the response; null: there was none.')
          .example(200),
        error: nullable.description('Reason of the failure.'),
        response: Joi.object({
          headers,
          body: Joi.string()
            .allow('')
            .required()
            .description('Body, at most 16 KiB of it.')
            .example('ok'),
        })
          .allow(null)
          .required()
          .description('Response; null: there was none.'),
      }).meta({ name: 'DeliveryAttempt' }),
    )
    .required()
    .description('Attempts, newest first.'),
}).meta({ name: 'DeliveryDetails' });

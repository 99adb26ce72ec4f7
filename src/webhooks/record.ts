import { flag, Joi } from '../infra/fields.ts';
import { unseal } from '../infra/secrets.ts';
import { WEBHOOK_KINDS } from './kinds.ts';
import { type Attempt, DELIVERY_STATES, type Delivery, type Webhook } from './model.ts';

/** The webhook as callers see it. */
export function toWebhook(row: Webhook) {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    kinds: row.kinds,
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

/** A webhook with its secret, as a job's result carries it: sealed. */
export type WebhookWithSecret = WebhookRecord & {
  secret: string;
  previousSecretUntil: string | null;
};

export function toWebhookWithSecret(row: Webhook): WebhookWithSecret {
  return {
    ...toWebhook(row),
    secret: row.secret,
    previousSecretUntil: row.previous_secret_until?.toISOString() ?? null,
  };
}

/** Opens the secret for its owner. */
export const openSecret = (webhook: WebhookWithSecret): WebhookWithSecret => ({
  ...webhook,
  secret: unseal(webhook.secret),
});

/** One request, and what came back. */
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

/** A delivery as lists have it. */
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

/** A delivery with its request and every attempt, the newest first. */
export function toWholeDelivery(row: Delivery, attempts: readonly Attempt[], url: string) {
  return {
    ...toDelivery(row),
    request: {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'webhook-id': row.id },
      body: row.payload,
    },
    log: attempts.map(toAttempt),
  };
}

const text = Joi.string().required();
const instant = Joi.string().isoDate().required();
const nullableInstant = Joi.string().isoDate().allow(null).required();

/** The webhook record, for the reference and for checking answers. */
export const webhookRecord = Joi.object({
  id: text,
  name: text,
  url: text,
  kinds: Joi.array()
    .items(Joi.string().valid(...WEBHOOK_KINDS))
    .required(),
  enabled: flag().required(),
  disabledAt: nullableInstant,
  disabledReason: Joi.string().allow(null).required().description('Why it was disabled.'),
  failingSince: nullableInstant.description('The first failure since the last success.'),
  pausedUntil: nullableInstant.description('Nothing is sent before: too much failed in a row.'),
  createdAt: instant,
  updatedAt: instant,
});

/** The answer that shows a secret. */
export const webhookWithSecret = webhookRecord.keys({
  secret: text.description('Signs deliveries; shown here only.'),
  previousSecretUntil: nullableInstant.description('The secret before signs too until then.'),
});

const deliveryFields = {
  id: text.description('The header `webhook-id`: the same however often it is sent.'),
  kind: text,
  recordId: Joi.string().allow(null).required(),
  sequence: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('Grows by one with everything that is told of the same link or QR code.'),
  state: Joi.string()
    .valid(...DELIVERY_STATES)
    .required(),
  attempts: Joi.number().integer().required(),
  nextAttemptAt: nullableInstant,
  createdAt: instant,
};

const headers = Joi.object().pattern(Joi.string(), Joi.string().allow(''));

/** A delivery of a list. */
export const deliveryRecord = Joi.object(deliveryFields);

/** A delivery by itself. */
export const wholeDeliveryRecord = Joi.object({
  ...deliveryFields,
  request: Joi.object({ method: text, url: text, headers, body: text }).required(),
  log: Joi.array()
    .items(
      Joi.object({
        at: instant,
        durationMs: Joi.number().integer().required(),
        url: text,
        status: Joi.number().integer().allow(null).required(),
        error: Joi.string().allow(null).required(),
        response: Joi.object({ headers, body: Joi.string().allow('').required() })
          .allow(null)
          .required(),
      }),
    )
    .required()
    .description('Every attempt, the newest first; answers are cut after 16 KiB.'),
});

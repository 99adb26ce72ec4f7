import type { Schema } from 'joi';
import { WEBHOOK_RECORDS, webhookDataSchema } from '../event-records/record.ts';
import { EVENT_KINDS, type EventKind, kindOf } from '../events/kinds.ts';
import { Joi, requiredTime } from '../http/fields.ts';
import { limitRecord } from '../settings/limits.ts';
import { summaryOf, WEBHOOK_KINDS, type WebhookKind } from '../webhooks/kinds.ts';
import { webhookRecord } from '../webhooks/record.ts';

/** Builds the schema of the body that webhooks receive for some kinds of events. */
const message = (name: string, data: Schema, ...kinds: WebhookKind[]): Schema =>
  Joi.object({
    type: Joi.string()
      .valid(...kinds)
      .required()
      .description('Kind of the event.'),
    timestamp: requiredTime.description('Time of the event.'),
    sequence: Joi.number()
      .integer()
      .allow(null)
      .required()
      .description('Sequence number of the event within its link or QR code, without gaps.')
      .example(7),
    data: data.required().description('Data of the event.'),
  }).meta({ name });

/** Finds the event kind that a webhook event publishes; none for changes of a link or QR code. */
const eventOf = (kind: WebhookKind): EventKind | undefined =>
  EVENT_KINDS.find((event) => kindOf(event).webhook === kind);

function kindsOfRecord(record: 'link' | 'qrcode' | 'webhook' | 'limit'): WebhookKind[] {
  return WEBHOOK_KINDS.filter(
    (kind) => kind.startsWith(`${record}.`) && eventOf(kind) === undefined,
  );
}

/** Schemas of changed records, by the first word of their kinds. */
const RECORDS = {
  link: message('LinkMessage', WEBHOOK_RECORDS.link, ...kindsOfRecord('link')),
  qrcode: message('QrCodeMessage', WEBHOOK_RECORDS.qrcode, ...kindsOfRecord('qrcode')),
  webhook: message('WebhookMessage', webhookRecord, ...kindsOfRecord('webhook')),
  limit: message('LimitMessage', limitRecord, ...kindsOfRecord('limit')),
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the schema name of a webhook event's data: `QrCodeScanned` for `qrcode.scanned`. */
const dataName = (kind: WebhookKind): string =>
  kind.split('.').map(capitalized).join('').replace('Qrcode', 'QrCode');

function messageOf(kind: WebhookKind): Schema {
  const event = eventOf(kind);
  if (event === undefined) {
    const [, ofRecord] =
      Object.entries(RECORDS).find(([name]) => kind.startsWith(`${name}.`)) ?? [];
    if (ofRecord === undefined) throw new Error(`RECORDS must describe the data of ${kind}`);
    return ofRecord;
  }
  const data = webhookDataSchema(event).meta({ name: dataName(kind) });
  return message(`${capitalized(event)}Message`, data, kind);
}

/** All kinds of webhook events with a summary and the body that webhooks receive. */
export const WEBHOOK_MESSAGES = WEBHOOK_KINDS.map((kind) => ({
  kind,
  summary: summaryOf(kind),
  message: messageOf(kind),
}));

import type { ObjectSchema, Schema, SchemaMap } from 'joi';
import { type CustomerRecord, eventCustomer } from '../customers/record.ts';
import { type ClickColumn, COLUMNS, clickFields, clickValues } from '../events/columns.ts';
import type { StoredEvent } from '../events/event.ts';
import {
  EVENT_KINDS,
  type EventKind,
  kindOf,
  kindOfStored,
  type RecordPart,
  type StoredKind,
} from '../events/kinds.ts';
import { Joi, requiredCount, requiredTime } from '../http/fields.ts';
import { linkRecord, type SealedLink } from '../links/record.ts';
import { type PageRecord, pageRecord } from '../pages/record.ts';
import { qrCodeRecord, type SealedQrCode } from '../qrcodes/record.ts';

/** A link or QR code as an event shows it. */
export type ShownRecord = Omit<SealedLink | SealedQrCode, 'password'>;

/** The current records that an event is about. */
export interface EventContext {
  /** The link or QR code; for a deleted one, the fields that the event has. */
  record: ShownRecord;
  /** `null` if there is none, or it was deleted. */
  page: PageRecord | null;
  customer: CustomerRecord | null;
}

/** Converts an event to its public record. */
export function toEvent(event: StoredEvent, context: EventContext): object {
  const timestamp = event.occurred_at.toISOString();
  const kind = kindOfStored(event.event);
  return { event: kind, timestamp, ...fieldsOf(kindOf(kind).record, event, context) };
}

/**
 * Converts an event for webhooks: without fields that their payload contains elsewhere, and without
 * deprecated ones.
 */
export const toEventData = (event: StoredEvent, context: EventContext): object =>
  fieldsOf(dataParts(event.event), event, context);

const dataParts = (kind: StoredKind): RecordPart[] =>
  kindOf(kind).record.filter((part) => part !== 'deprecatedFields');

const fieldsOf = (
  parts: readonly RecordPart[],
  event: StoredEvent,
  context: EventContext,
): object => Object.assign({}, ...parts.map((part) => PARTS[part].fieldsOf(event, context)));

const schemasOf = (parts: readonly RecordPart[], schemas: RecordSchemas): SchemaMap =>
  Object.assign({}, ...parts.map((part) => PARTS[part].schemasOf(schemas)));

/** Returns the schemas of some fields of `click`, by name. */
export const clickSchemas = (fields: readonly ClickColumn[]): Record<string, Schema> =>
  Object.fromEntries(
    fields.map(({ name, description, example, isExtension, isNullable }) => {
      const documented = text.description(description).example(example);
      const schema = isNullable ? documented.allow(null) : documented;
      return [name, isExtension ? schema.meta({ extension: true }) : schema];
    }),
  );

const text = Joi.string().allow('').required();

const CLICK_FIELDS = clickFields(COLUMNS);
const DEPRECATED_FIELDS = CLICK_FIELDS.filter(({ isDeprecatedToo }) => isDeprecatedToo);

const clickOf = (event: StoredEvent): object => ({
  id: event.click_id ?? event.id,
  ...clickValues(CLICK_FIELDS, event),
});

const clickSchema = Joi.object({
  id: text.description('Id of the click.').example('clk_6Tz1qAs4Df'),
  ...clickSchemas(CLICK_FIELDS),
}).meta({ name: 'Click' });

/** Schemas of the records of an event. */
interface RecordSchemas {
  link: ObjectSchema;
  qrcode: ObjectSchema;
}

const ofEvents: RecordSchemas = {
  link: linkRecord
    .fork(['id', 'userId'], (field) => field.allow(''))
    .description('The link as it is now; if it was deleted, as the event recorded it.'),
  qrcode: qrCodeRecord
    .fork(['id', 'userId'], (field) => field.allow(''))
    .description('The QR code as it is now; if it was deleted, as the event recorded it.'),
};

const withoutPassword = (record: ObjectSchema, name: string) =>
  record.fork(['password'], (field) => field.forbidden()).meta({ name });
const ofWebhooks: RecordSchemas = {
  link: withoutPassword(ofEvents.link, 'WebhookLink'),
  qrcode: withoutPassword(ofEvents.qrcode, 'WebhookQrCode'),
};

const deprecated = (example: string) =>
  text.description('Deprecated: use the fields of `click` and `link`.').example(example);

/** A part of the public record: its fields, and their schemas. */
interface Part {
  fieldsOf(event: StoredEvent, context: EventContext): object;
  schemasOf(records: RecordSchemas): SchemaMap;
}

const paymentSchemas = {
  amount: requiredCount.description('Amount in US cents; 0 with `pending`.').example(1_999),
  pending: Joi.boolean()
    .valid(true)
    .description('true: there is no exchange rate for the currency of the sale yet.'),
  currency: text.description('Always `usd`.').example('usd'),
  paymentProcessor: text.description('Payment processor.').example('stripe'),
  invoiceId: Joi.string().allow(null).required().description('Id of the invoice.').example('inv-1'),
};

const PARTS: Record<RecordPart, Part> = {
  eventName: {
    fieldsOf: (event) => ({ eventName: event.event_name ?? '' }),
    schemasOf: () => ({
      eventName: text.description('Name of the lead, sale or refund.').example('Sign up'),
    }),
  },
  customer: {
    fieldsOf: (_, { customer }) => ({ customer }),
    schemasOf: () => ({
      customer: eventCustomer
        .allow(null)
        .required()
        .description('Customer; null once their data was erased.'),
    }),
  },
  click: {
    fieldsOf: (event) => ({ click: clickOf(event) }),
    schemasOf: () => ({ click: clickSchema.required().description('The visit.') }),
  },
  attributedClick: {
    // A lead or sale without attribution has no click.
    fieldsOf: (event) => ({ click: event.click_id === null ? null : clickOf(event) }),
    schemasOf: () => ({
      click: clickSchema
        .allow(null)
        .required()
        .description('Click that it is attributed to; null: none.'),
    }),
  },
  page: {
    fieldsOf: (_, { page }) => ({ page }),
    schemasOf: () => ({
      page: pageRecord
        .allow(null)
        .required()
        .description('The page that was shown; null once it is deleted.'),
    }),
  },
  link: {
    fieldsOf: (_, { record }) => ({ link: record }),
    schemasOf: ({ link }) => ({ link: link.required() }),
  },
  qrcode: {
    fieldsOf: (_, { record }) => ({ qrcode: record }),
    schemasOf: ({ qrcode }) => ({ qrcode: qrcode.required() }),
  },
  linkOrQrCode: {
    fieldsOf({ link_id }, { record }) {
      if (link_id === null) return { link: null };
      return isQrCode(link_id) ? { link: null, qrcode: record } : { link: record };
    },
    schemasOf: ({ link, qrcode }) => ({ link: link.allow(null).required(), qrcode }),
  },
  metadata: {
    fieldsOf: ({ metadata }) => ({ metadata }),
    schemasOf: () => ({
      metadata: Joi.object()
        .unknown()
        .allow(null)
        .required()
        .description('Metadata, as sent.')
        .example({ plan: 'pro' }),
    }),
  },
  sale: {
    fieldsOf: ({ amount_cents, sale }) => ({
      sale: {
        amount: amount_cents ?? 0,
        pending: sale?.rate === null ? true : undefined,
        currency: 'usd',
        paymentProcessor: sale?.paymentProcessor ?? 'custom',
        invoiceId: sale?.invoiceId ?? null,
      },
    }),
    schemasOf: () => ({
      sale: Joi.object(paymentSchemas)
        .required()
        .description('Amount and invoice.')
        .meta({ name: 'Sale' }),
    }),
  },
  refund: {
    fieldsOf: ({ amount_cents, sale }) => ({
      refund: {
        amount: amount_cents ?? 0,
        pending: sale?.rate === null ? true : undefined,
        currency: 'usd',
        paymentProcessor: sale?.paymentProcessor ?? 'custom',
        invoiceId: sale?.invoiceId ?? null,
        refundId: sale?.refundId ?? null,
      },
    }),
    schemasOf: () => ({
      refund: Joi.object({
        ...paymentSchemas,
        refundId: Joi.string()
          .allow(null)
          .required()
          .description('Id of the refund, as sent.')
          .example('re-1'),
      })
        .required()
        .description('Amount and invoice of the refunded sale.')
        .meta({ name: 'Refund' }),
    }),
  },
  deprecatedFields: {
    fieldsOf: (event, { record }) => ({
      click_id: event.id,
      link_id: record.id,
      domain: event.domain,
      key: event.key,
      ...clickValues(DEPRECATED_FIELDS, event),
    }),
    schemasOf: () => ({
      click_id: deprecated('clk_6Tz1qAs4Df'),
      link_id: deprecated('link_4Jx2vQ0aTq'),
      domain: deprecated('go.example.com'),
      key: deprecated('summer'),
      ...Object.fromEntries(
        DEPRECATED_FIELDS.map(({ name, example }) => [name, deprecated(example)]),
      ),
    }),
  },
};

/** Returns true for ids of QR codes, false for ids of links. */
export const isQrCode = (recordId: string): boolean => recordId.startsWith('qr_');

/** Schema of events, for the reference and for checking answers. */
export const eventRecord = Joi.alternatives(
  ...EVENT_KINDS.map((kind) =>
    Joi.object({
      event: Joi.string().valid(kind).required().description('Kind of the event.'),
      timestamp: requiredTime.description('Time of the event.'),
      ...schemasOf(kindOf(kind).record, ofEvents),
    }).meta({ name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event` }),
  ),
).meta({ name: 'Event', discriminator: 'event' });

/** Data of webhook events of links and QR codes, for the reference. */
export const WEBHOOK_RECORDS = ofWebhooks;

/** Returns the schema of a webhook event's data, for the reference. */
export const webhookDataSchema = (kind: EventKind): ObjectSchema =>
  Joi.object(schemasOf(dataParts(kind), ofWebhooks));

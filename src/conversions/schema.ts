import { isCurrency, MAX_AMOUNT } from '../currency/convert.ts';
import { customerFields } from '../customers/fields.ts';
import { domainField } from '../http/domain-name.ts';
import { bodyFlag, dateTime, id, Joi, nullableText, oneOf, text } from '../http/fields.ts';

/** Maximum length of metadata, as JSON. */
const METADATA_LENGTH = 10_000;
/** Maximum age of an event that is reported later, in days. */
const MAX_AGE_DAYS = 90;
const DAY_MS = 86_400_000;
/** Maximum number of leads of one request. */
export const MAX_QUANTITY = 100;

export const PAYMENT_PROCESSORS = [
  'stripe',
  'shopify',
  'polar',
  'paddle',
  'revenuecat',
  'custom',
  'manual',
] as const;

/** Customer of a lead or sale in a body. */
export interface CustomerBody {
  customerExternalId: string;
  customerName?: string | null;
  customerEmail?: string | null;
  customerAvatar?: string | null;
}

export interface LeadBody extends CustomerBody {
  /** Absent: the latest click of the customer. */
  clickId?: string | undefined;
  eventName: string;
  /** Default 1. */
  quantity?: number;
  /** True: no lead is recorded, only the customer with the click. */
  deferred?: boolean;
  metadata?: Record<string, unknown> | null;
  /** Time in ISO 8601. Absent: now. */
  timestamp?: string;
}

export interface SaleBody extends CustomerBody {
  amount: number;
  currency: string;
  eventName: string;
  paymentProcessor: (typeof PAYMENT_PROCESSORS)[number];
  invoiceId: string | null;
  metadata: Record<string, unknown> | null;
  leadEventName: string | null;
  clickId: string | null;
  /** Time in ISO 8601. Absent: now. */
  timestamp?: string;
}

/** Body of `POST /track/sale`. */
export interface NewSaleBody extends SaleBody {
  /** True: a sale to an unknown customer is refused. */
  knownCustomer: boolean;
}

export interface RefundBody {
  invoiceId: string;
  /** Minor units of the currency of the sale. Absent: what is left of the sale. */
  amount?: number;
  refundId: string | null;
  eventName: string;
  metadata: Record<string, unknown> | null;
}

export interface ClickBody {
  linkId?: string;
  domain?: string;
  key?: string;
  url?: string;
  referer?: string;
  ip?: string;
  userAgent?: string;
}

const customer = {
  customerExternalId: text(100)
    .required()
    .description('Id of the customer in your system, at most 100 characters.')
    .example('user-1042'),
  customerName: customerFields.name.description(
    'Name, at most 100 characters. Default for a new customer: random.',
  ),
  customerEmail: customerFields.email,
  customerAvatar: customerFields.avatar,
};

const currency = () =>
  text(10).custom((value: string, { error }) =>
    isCurrency(value.toUpperCase())
      ? value
      : error('rule', { rule: `must be an ISO 4217 code, not "${value}"` }),
  );

/** Schema of the time of an event that is reported later. */
const timestamp = () =>
  dateTime()
    .custom((value: string, { error }) => {
      const ageMs = Date.now() - Date.parse(value);
      if (ageMs < 0) return error('rule', { rule: 'must not be in the future' });
      return ageMs > MAX_AGE_DAYS * DAY_MS
        ? error('rule', { rule: `must be at most ${MAX_AGE_DAYS} days ago` })
        : value;
    })
    .description(`Time (ISO 8601), at most ${MAX_AGE_DAYS} days ago. Default: now.`);

const metadata = () =>
  Joi.object()
    .unknown()
    .allow(null)
    .description('Any data, at most 10,000 characters as JSON.')
    .custom((value: object, { error }) =>
      JSON.stringify(value).length <= METADATA_LENGTH
        ? value
        : error('rule', { rule: `must not be longer than ${METADATA_LENGTH} characters as JSON` }),
    );

export const leadBody = Joi.object<LeadBody>({
  clickId: id()
    .description('Id of the click, from `click_id` (or `dub_id`). Default: the customer’s latest.')
    .example('clk_6Tz1qAs4Df'),
  eventName: text(255)
    .trim()
    .required()
    .description('Name of the lead, at most 255 characters.')
    .example('Sign up'),
  ...customer,
  quantity: Joi.number()
    .integer()
    .strict()
    .min(1)
    .max(MAX_QUANTITY)
    .description(`Number of recorded leads, such as seats; at most ${MAX_QUANTITY}. Default 1.`),
  deferred: bodyFlag().description(
    'true: records no lead, only the customer with the click, for a later lead without `clickId`. ' +
      'Default false.',
  ),
  metadata: metadata(),
  timestamp: timestamp(),
}).meta({ name: 'NewLead' });

export const saleBody = Joi.object<NewSaleBody>({
  ...customer,
  amount: Joi.number()
    .integer()
    .strict()
    .min(0)
    .max(MAX_AMOUNT)
    .required()
    .description(
      'Amount in minor units of the currency (cents, or whole yen; with `paymentProcessor` `stripe`, as Stripe sends it); at most 10^12, also in US cents once converted.',
    )
    .example(1_999),
  currency: currency()
    .lowercase()
    .default('usd')
    .description(
      'ISO 4217 code. The amount is stored in US cents, once there is an exchange rate.',
    ),
  eventName: text(255)
    .trim()
    .default('Purchase')
    .description('Name of the sale, at most 255 characters.'),
  paymentProcessor: oneOf(PAYMENT_PROCESSORS).default('custom').description('Payment processor.'),
  invoiceId: nullableText(255)
    .trim()
    .default(null)
    .description(
      'Id of the invoice. One sale is recorded for an invoice, however often it is sent.',
    ),
  metadata: metadata().default(null),
  leadEventName: nullableText(255)
    .trim()
    .default(null)
    .description('Name of the lead that the sale belongs to. Default: the latest of the customer.'),
  clickId: id()
    .allow(null)
    .default(null)
    .description('Id of the click to which the sale is attributed.'),
  knownCustomer: bodyFlag()
    .default(false)
    .description('true: a sale to a customer who does not exist is refused with 404.')
    .meta({ extension: true }),
  timestamp: timestamp().meta({ extension: true }),
}).meta({ name: 'NewSale' });

export const refundBody = Joi.object<RefundBody>({
  invoiceId: text(255)
    .trim()
    .required()
    .description('Id of the invoice of the sale.')
    .example('inv-1'),
  amount: Joi.number()
    .integer()
    .strict()
    .min(1)
    .max(MAX_AMOUNT)
    .description(
      'Amount in minor units of the currency of the sale. Default: what is left of the sale.',
    )
    .example(500),
  refundId: nullableText(255)
    .trim()
    .default(null)
    .description(
      'Id of the refund in your system, which identifies repeats. Without it, each request ' +
        'with an `amount` is another partial refund.',
    )
    .example('re-1'),
  eventName: text(255)
    .trim()
    .default('Refund')
    .description('Name of the refund, at most 255 characters.'),
  metadata: metadata().default(null),
}).meta({ name: 'NewRefund' });

export const clickBody = Joi.object<ClickBody>({
  linkId: id()
    .description('Id of the link or QR code, or its external id after `ext_`.')
    .example('link_4Jx2vQ0aTq'),
  domain: domainField().description('Domain of the short link; with `key`, instead of `linkId`.'),
  key: text(1_000).description('Key of the short link.'),
  url: Joi.string().uri().max(32_768).description('URL that was opened. Default: the destination.'),
  referer: text(2_000).description(
    'Referring URL. User name, password and fragment are not stored.',
  ),
  ip: Joi.string().ip({ cidr: 'forbidden' }).description('IP address of the visitor.'),
  userAgent: text(1_000).description(
    'User agent of the visitor, at most 1,000 characters. Bots are not counted.',
  ),
})
  .and('domain', 'key')
  .xor('linkId', 'domain')
  .messages({
    'object.and': 'domain and key must be given together',
    'object.missing': 'linkId, or domain with key, is required',
    'object.xor': 'linkId and domain must not be given together',
  })
  .meta({ name: 'NewClick' });

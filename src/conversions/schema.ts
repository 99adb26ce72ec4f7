import { MAX_AMOUNT } from '../currency/convert.ts';
import { customerFields } from '../customers/fields.ts';
import { domainField } from '../http/domain-name.ts';
import { bodyFlag, id, Joi, nullableText, oneOf, text } from '../http/fields.ts';

/** Maximum length of metadata, as JSON. */
const METADATA_LENGTH = 10_000;
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
  /** Absent: the first click of the customer. */
  clickId?: string;
  eventName: string;
  /** Default 1. */
  quantity?: number;
  /** True: no lead is recorded, only the customer with the click. */
  deferred?: boolean;
  metadata?: Record<string, unknown> | null;
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
    /^[a-z]{3}$/i.test(value)
      ? value
      : error('rule', { rule: `must be an ISO 4217 code, not "${value}"` }),
  );

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
    .description('Id of the click, from `click_id` (or `dub_id`). Default: the customer’s first.')
    .example('clk_6Tz1qAs4Df'),
  eventName: text(255)
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
      'Amount in minor units of the currency (cents, or whole yen); at most 10^12, also in US cents once converted.',
    )
    .example(1_999),
  currency: currency()
    .lowercase()
    .default('usd')
    .description('ISO 4217 code. The amount is stored in US cents.'),
  eventName: text(255).default('Purchase').description('Name of the sale, at most 255 characters.'),
  paymentProcessor: oneOf(PAYMENT_PROCESSORS).default('custom').description('Payment processor.'),
  invoiceId: nullableText(255)
    .default(null)
    .description(
      'Id of the invoice. One sale is recorded for an invoice, however often it is sent.',
    ),
  metadata: metadata().default(null),
  leadEventName: nullableText(255)
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
}).meta({ name: 'NewSale' });

export const refundBody = Joi.object<RefundBody>({
  invoiceId: text(255).required().description('Id of the invoice of the sale.').example('inv-1'),
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
    .default(null)
    .description(
      'Id of the refund in your system, which identifies repeats. Without it, each request ' +
        'with an `amount` is another partial refund.',
    )
    .example('re-1'),
  eventName: text(255).default('Refund').description('Name of the refund, at most 255 characters.'),
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

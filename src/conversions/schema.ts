import { customerFields } from '../customers/fields.ts';
import { domainField } from '../domains/schema.ts';
import { id, Joi, nullableText, text } from '../infra/fields.ts';

/** Longest metadata, as JSON. */
const METADATA_LENGTH = 10_000;

export const PAYMENT_PROCESSORS = [
  'stripe',
  'shopify',
  'polar',
  'paddle',
  'revenuecat',
  'custom',
  'manual',
] as const;

/** Who became a lead or bought, as a body says it. */
export interface CustomerBody {
  customerExternalId: string;
  customerName?: string | null;
  customerEmail?: string | null;
  customerAvatar?: string | null;
}

export interface LeadBody extends CustomerBody {
  clickId: string;
  eventName: string;
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
  customerExternalId: text(100).required().description('The caller’s own id of the customer.'),
  customerName: customerFields.name.description('Absent: a random name for a new customer.'),
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
    .custom((value: object, { error }) =>
      JSON.stringify(value).length <= METADATA_LENGTH
        ? value
        : error('rule', { rule: `must not be longer than ${METADATA_LENGTH} characters as JSON` }),
    );

export const leadBody = Joi.object<LeadBody>({
  clickId: id().required().description('Id of the click, from the parameter or cookie `click_id`.'),
  eventName: text(255).required(),
  ...customer,
  metadata: metadata(),
});

export const saleBody = Joi.object<SaleBody>({
  ...customer,
  amount: Joi.number()
    .integer()
    .strict()
    .min(0)
    .required()
    .description('In minor units of the currency: cents, or whole yen.'),
  currency: currency().default('usd').description('ISO 4217 code. Stored as US cents.'),
  eventName: text(255).default('Purchase'),
  paymentProcessor: Joi.string()
    .valid(...PAYMENT_PROCESSORS)
    .default('custom'),
  invoiceId: nullableText(255)
    .default(null)
    .description('Only one sale is recorded for an invoice, however often it is sent.'),
  metadata: metadata().default(null),
  leadEventName: nullableText(255)
    .default(null)
    .description('The lead that the sale belongs to; without, the customer’s latest.'),
  clickId: id().allow(null).default(null).description('The click that the sale is attributed to.'),
});

export const clickBody = Joi.object<ClickBody>({
  linkId: id().description('Id of link or QR code, or the caller’s own after `ext_`.'),
  domain: domainField(),
  key: text(1_000),
  url: Joi.string()
    .uri()
    .max(32_768)
    .description('Where the visitor was sent; without, the destination.'),
  referer: text(2_000),
  ip: Joi.string().ip({ cidr: 'forbidden' }).description('Of the visitor.'),
  userAgent: text(1_000).description('Of the visitor; those of bots are not counted.'),
})
  .and('domain', 'key')
  .xor('linkId', 'domain')
  .messages({
    'object.and': 'domain and key must be given together',
    'object.missing': 'linkId, or domain with key, is required',
    'object.xor': 'linkId and domain must not be given together',
  });

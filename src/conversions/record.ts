import { Refusal } from '../errors.ts';
import { Joi, nullable, requiredCount, requiredText } from '../http/fields.ts';

/** Result of a sale in the contract. */
export interface SaleResult {
  eventName: string;
  /** Customer id as the caller sent it. */
  customerId: string;
  /** Amount in US cents; 0 until there is a rate. */
  amount: number;
  paymentProcessor: string;
  invoiceId: string | null;
  currency: 'usd';
  metadata: Record<string, unknown> | null;
  /** Day of the exchange rate, if the sale was converted. */
  rateDate?: string | undefined;
  /** True while there is no rate. */
  pending?: true | undefined;
}

/** Response to a tracked refund. */
export interface RefundResult {
  eventName: string;
  /** `null` once the customer was erased. */
  customerId: string | null;
  /** Amount of this refund, in US cents; 0 until there is a rate. */
  amount: number;
  /** True while there is no rate. */
  pending?: true | undefined;
  currency: 'usd';
  paymentProcessor: string;
  invoiceId: string;
  refundId: string | null;
  metadata: Record<string, unknown> | null;
  /** Amount that can still be refunded, in minor units of the currency of the sale. */
  left: number;
}

/** Response to a tracked lead. */
export interface LeadResult {
  eventName: string;
  customerId: string;
  clickId: string;
  /** Link or QR code of the click; `null` for the root of a domain. */
  linkId: string | null;
  metadata: Record<string, unknown> | null;
}

export const noClick = (id: string) => new Refusal('not_found', `There is no click "${id}"`);

/** The refusal of a sale to a customer who must be known, by the customer's external id. */
export const noCustomer = (externalId: string) =>
  new Refusal('not_found', `There is no customer "${externalId}"`);

const metadata = Joi.object()
  .unknown()
  .allow(null)
  .required()
  .description('Metadata, as sent.')
  .example({ plan: 'pro' });
const eventName = requiredText.description('Name of the event.');
const customerId = Joi.string()
  .required()
  .description('Id of the customer in the caller’s system, as sent.')
  .example('user-1042');

const pending = Joi.boolean()
  .valid(true)
  .description(
    'true: there is no exchange rate for the currency yet. The amount counts once there is one.',
  );

export const saleResult = Joi.object({
  eventName: eventName.example('Purchase'),
  customerId,
  amount: requiredCount.description('Amount in US cents; 0 with `pending`.').example(1_999),
  paymentProcessor: requiredText.description('Payment processor.').example('stripe'),
  invoiceId: nullable.description('Id of the invoice.').example('inv-1'),
  currency: requiredText.description('Always `usd`.').example('usd'),
  metadata,
  rateDate: Joi.string()
    .description('Day of the exchange rate for the conversion; absent for a sale in US dollars.')
    .example('2026-03-02')
    .meta({ extension: true }),
  pending: pending.meta({ extension: true }),
}).meta({ name: 'SaleResult' });

export const refundResult = Joi.object({
  eventName: eventName.example('Refund'),
  customerId: customerId.allow(null).description('Id of the customer in the caller’s system.'),
  amount: requiredCount
    .description('Amount of this refund in US cents; 0 with `pending`.')
    .example(500),
  pending,
  currency: requiredText.description('Always `usd`.').example('usd'),
  paymentProcessor: requiredText.description('Payment processor of the sale.').example('stripe'),
  invoiceId: requiredText.description('Id of the invoice.').example('inv-1'),
  refundId: nullable.description('Id of the refund, as sent.').example('re-1'),
  metadata,
  left: requiredCount
    .description('Amount that is left of the sale, in minor units of its currency.')
    .example(1_499),
}).meta({ name: 'RefundResult' });

export const leadResult = Joi.object({
  eventName: eventName.example('Sign up'),
  customerId,
  clickId: requiredText.description('Id of the click.').example('clk_6Tz1qAs4Df'),
  linkId: nullable
    .description('Id of the link or QR code; null for the root of a domain.')
    .example('link_4Jx2vQ0aTq'),
  metadata,
}).meta({ name: 'LeadResult' });

export const clickResult = Joi.object({
  clickId: requiredText.description('Id of the click.').example('clk_6Tz1qAs4Df'),
}).meta({ name: 'ClickResult' });

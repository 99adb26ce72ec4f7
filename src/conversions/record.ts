import { Joi } from '../infra/fields.ts';

/** The sale event result of the contract. */
export interface SaleResult {
  eventName: string;
  /** As the caller sent it. */
  customerId: string;
  /** In US cents. */
  amount: number;
  paymentProcessor: string;
  invoiceId: string | null;
  currency: 'usd';
  metadata: Record<string, unknown> | null;
}

/** What became of a lead. */
export interface LeadResult {
  eventName: string;
  customerId: string;
  clickId: string;
  /** The link or QR code that the click was on; `null` for the root of a domain. */
  linkId: string | null;
  metadata: Record<string, unknown> | null;
}

const metadata = Joi.object().unknown().allow(null).required();

export const saleResult = Joi.object({
  eventName: Joi.string().required(),
  customerId: Joi.string().required().description('The caller’s own id, as sent.'),
  amount: Joi.number().integer().required().description('In US cents.'),
  paymentProcessor: Joi.string().required(),
  invoiceId: Joi.string().allow(null).required(),
  currency: Joi.string().required(),
  metadata,
});

export const leadResult = Joi.object({
  eventName: Joi.string().required(),
  customerId: Joi.string().required().description('The caller’s own id, as sent.'),
  clickId: Joi.string().required(),
  linkId: Joi.string().allow(null).required(),
  metadata,
});

/** Customer of a payment. */
export interface Payer {
  /** Id in the caller's system, or else of the payment processor. */
  externalId: string;
  /** Further ids of the customer, under which other deliveries name them. */
  otherIds: readonly string[];
  name: string | null;
  email: string | null;
}

/**
 * Kinds of facts. `link`: two ids are of one payment. `checkout`: a customer came from a click.
 * `trial`: a subscription began that is free at first. `sale`: a payment was received. `refund`: a
 * part of it was paid back.
 */
export type FactKind = 'link' | 'checkout' | 'trial' | 'sale' | 'refund';

/**
 * Further facts for which a sale waits. `click`: the checkout, which names the click. `payment`: the
 * id of the payment, under which a checkout may have reported it.
 */
export type Awaited = 'click' | 'payment';

/** Part of a fact that is deleted once the fact is recorded. */
export interface FactData {
  payer: Payer | null;
  /** Id under which a sale is recorded. */
  invoiceId: string | null;
  /** Id of the refund. */
  refundId: string | null;
  /** In minor units of the currency, as the payment processor sends it; 0 if no money moved. */
  amount: number;
  /** Upper-case ISO 4217 code; empty if no money moved. */
  currency: string;
  eventName: string;
  /** Time in ISO 8601. */
  at: string;
  awaits: readonly Awaited[];
}

/** A statement about a payment, read from a delivery of a payment processor. */
export interface PaymentFact extends FactData {
  kind: FactKind;
  /** Unique for the payment processor; the same in all deliveries that say the same. */
  id: string;
  /** Ids of the payment, which its facts share. */
  references: readonly string[];
  subscriptionId: string | null;
  clickId: string | null;
}

/** A fact without money, customer or click. */
export const NO_DETAILS = {
  payer: null,
  invoiceId: null,
  refundId: null,
  amount: 0,
  currency: '',
  eventName: '',
  awaits: [],
  subscriptionId: null,
  clickId: null,
} as const;

/** Maximum lengths of the fields of a customer. */
const [MAX_EXTERNAL_ID, MAX_NAME, MAX_EMAIL] = [100, 100, 100];

/** Ids and details of a customer in a delivery. */
interface NamedPayer {
  /** Id in the caller's system. */
  named?: string | undefined;
  /** Id of the payment processor. */
  processor: string | undefined;
  email: string | undefined;
  name: string | undefined;
  paymentId: string;
}

/**
 * Describes the customer of a payment. The first of these ids is the external id: that of the
 * caller's system, of the payment processor, the email address, the payment.
 */
export function payerOf({ named, processor, email, name, paymentId }: NamedPayer): Payer {
  const ids = [named, processor].filter((id) => id !== undefined && id.length <= MAX_EXTERNAL_ID);
  const address = email !== undefined && email.length <= MAX_EMAIL ? email : undefined;
  const [externalId = address?.toLowerCase() ?? paymentId.slice(0, MAX_EXTERNAL_ID), ...otherIds] =
    ids as string[];
  return {
    externalId,
    otherIds: otherIds.filter((id) => id !== externalId),
    name: name?.slice(0, MAX_NAME) ?? null,
    email: address ?? null,
  };
}

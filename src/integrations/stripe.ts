import { canBeClickId } from '../visitors/click-id.ts';
import { NO_DETAILS, type PaymentFact, payerOf } from './payment.ts';
import { countIn, currencyIn, type Fields, listIn, objectIn, textIn } from './read-json.ts';

/*
 * Deliveries of Stripe (https://docs.stripe.com/api/events/types), in the versions of its API from
 * 2022 on. One payment is the subject of several: the checkout, the invoice, the payment of the
 * invoice, refunds. A checkout with an invoice or a subscription says where the customer came from;
 * its money is that of the invoice, which Stripe delivers separately. A checkout without an invoice
 * is the sale itself.
 */

const NAMES = {
  sale: 'Purchase',
  renewal: 'Invoice paid',
  trial: 'Trial started',
  refund: 'Refund',
  dispute: 'Dispute lost',
} as const;

type Reader = (object: Fields, at: string) => PaymentFact[];

const READERS: Readonly<Record<string, Reader>> = {
  'checkout.session.completed': readCheckout,
  'checkout.session.async_payment_succeeded': readCheckout,
  'invoice.paid': readInvoice,
  'invoice.payment_succeeded': readInvoice,
  'invoice_payment.paid': readInvoicePayment,
  'customer.subscription.created': readSubscription,
  'charge.refunded': readCharge,
  'refund.created': readRefund,
  'refund.updated': readRefund,
  'charge.refund.updated': readRefund,
  'charge.dispute.closed': readDispute,
};

/**
 * Reads what a delivery of Stripe says about payments.
 *
 * @returns nothing for deliveries of other types, and for payments of nothing
 */
export function readStripe(event: Fields): PaymentFact[] {
  const type = textIn(event, 'type') ?? '';
  if (!Object.hasOwn(READERS, type)) return [];
  const seconds = countIn(event, 'created');
  if (seconds === undefined || seconds > MAX_SECONDS) return [];
  const object = objectIn(objectIn(event, 'data'), 'object');
  return READERS[type]!(object, new Date(seconds * 1_000).toISOString());
}

/** Last second that a date can have. */
const MAX_SECONDS = 8.64e12;

function readCheckout(session: Fields, at: string): PaymentFact[] {
  const id = textIn(session, 'id');
  if (id === undefined) return [];
  const ids = ['invoice', 'payment_intent'].flatMap((name) => idIn(session, name) ?? []);
  const subscriptionId = idIn(session, 'subscription') ?? null;
  const details = objectIn(session, 'customer_details');
  const reference = textIn(session, 'client_reference_id');
  const isClick = reference !== undefined && canBeClickId(reference);
  const common = {
    ...NO_DETAILS,
    id: `checkout:${id}`,
    references: ids,
    subscriptionId,
    payer: payer(session, details, ids[0] ?? id, isClick ? undefined : reference),
    clickId: (isClick ? reference : undefined) ?? clickIdIn(session) ?? null,
    at,
  };
  if (subscriptionId !== null || idIn(session, 'invoice') !== undefined) {
    return [{ ...common, kind: 'checkout' }];
  }
  const amount = countIn(session, 'amount_total') ?? 0;
  const currency = currencyIn(session);
  if (textIn(session, 'payment_status') !== 'paid' || amount === 0 || !currency) return [];
  const invoiceId = ids[0] ?? id;
  const sale = { invoiceId, references: [invoiceId], amount, currency, eventName: NAMES.sale };
  return [{ ...common, ...sale, kind: 'sale' }];
}

function readInvoice(invoice: Fields, at: string): PaymentFact[] {
  const invoiceId = textIn(invoice, 'id');
  const amount = countIn(invoice, 'amount_paid') ?? 0;
  const currency = currencyIn(invoice);
  if (invoiceId === undefined || amount === 0 || !currency) return [];
  const parent = objectIn(objectIn(invoice, 'parent'), 'subscription_details');
  // Versions of the API before 2025 have the subscription and the payment in the invoice itself.
  const holders = [invoice, parent, objectIn(invoice, 'subscription_details')];
  const subscriptionId = idIn(parent, 'subscription') ?? idIn(invoice, 'subscription') ?? null;
  const payments = listIn(objectIn(invoice, 'payments'), 'data').map((one) =>
    objectIn(one, 'payment'),
  );
  const clickId = clickIdIn(...holders) ?? null;
  const isRenewal =
    subscriptionId !== null && textIn(invoice, 'billing_reason') !== 'subscription_create';
  return [
    {
      ...NO_DETAILS,
      kind: 'sale',
      id: `invoice:${invoiceId}`,
      invoiceId,
      references: [...new Set([invoiceId, ...[invoice, ...payments].flatMap(paymentIds)])],
      subscriptionId,
      amount,
      currency,
      payer: payer(
        { ...invoice, metadata: Object.assign({}, ...holders.map(metadataOf)) as Fields },
        { name: invoice['customer_name'], email: invoice['customer_email'] },
        invoiceId,
      ),
      clickId,
      eventName: isRenewal ? NAMES.renewal : NAMES.sale,
      at,
      awaits: [
        ...(clickId === null ? (['click'] as const) : []),
        ...(subscriptionId === null ? (['payment'] as const) : []),
      ],
    },
  ];
}

function readInvoicePayment(payment: Fields, at: string): PaymentFact[] {
  const id = textIn(payment, 'id');
  const invoiceId = idIn(payment, 'invoice');
  const references = paymentIds(objectIn(payment, 'payment'));
  if (id === undefined || invoiceId === undefined || references.length === 0) return [];
  const link = { id: `payment:${id}`, references: [invoiceId, ...references], at };
  return [{ ...NO_DETAILS, ...link, kind: 'link' }];
}

function readSubscription(subscription: Fields, at: string): PaymentFact[] {
  const id = textIn(subscription, 'id');
  if (id === undefined || textIn(subscription, 'status') !== 'trialing') return [];
  const clickId = clickIdIn(subscription) ?? null;
  return [
    {
      ...NO_DETAILS,
      kind: 'trial',
      id: `trial:${id}`,
      references: [],
      subscriptionId: id,
      payer: payer(subscription, {}, id),
      clickId,
      eventName: NAMES.trial,
      at,
      awaits: clickId === null ? ['click'] : [],
    },
  ];
}

/** Versions of the API before November 2022 list the refunds of a charge in it. */
function readCharge(charge: Fields, at: string): PaymentFact[] {
  return listIn(objectIn(charge, 'refunds'), 'data').flatMap((refund) => readRefund(refund, at));
}

function readRefund(refund: Fields, at: string): PaymentFact[] {
  return textIn(refund, 'status') === 'succeeded' ? refundOf(refund, NAMES.refund, at) : [];
}

/** Only a lost dispute takes the money for good; a won one returns it. */
function readDispute(dispute: Fields, at: string): PaymentFact[] {
  return textIn(dispute, 'status') === 'lost' ? refundOf(dispute, NAMES.dispute, at) : [];
}

function refundOf(object: Fields, eventName: string, at: string): PaymentFact[] {
  const refundId = textIn(object, 'id');
  const amount = countIn(object, 'amount') ?? 0;
  const currency = currencyIn(object);
  const references = paymentIds(object);
  if (refundId === undefined || amount === 0 || !currency || references.length === 0) return [];
  const refund = { id: `refund:${refundId}`, refundId, references, amount, currency };
  return [{ ...NO_DETAILS, ...refund, eventName, at, kind: 'refund' }];
}

/** Returns the id of a field that has an id or, if it was expanded, the object. */
const idIn = (fields: Fields, name: string): string | undefined =>
  textIn(fields, name) ?? textIn(objectIn(fields, name), 'id');

const paymentIds = (fields: Fields): string[] =>
  ['payment_intent', 'charge'].flatMap((name) => idIn(fields, name) ?? []);

const metadataOf = (holder: Fields): Fields => objectIn(holder, 'metadata');

/** Finds the click id in `click_id` or `dub_id` of metadata. */
const clickIdIn = (...holders: readonly Fields[]): string | undefined =>
  holders
    .map(metadataOf)
    .flatMap((metadata) => ['click_id', 'dub_id'].flatMap((name) => textIn(metadata, name) ?? []))
    .find(canBeClickId);

/**
 * Describes the customer: by `customer_external_id` of the metadata or the reference of the
 * checkout, by the customer of Stripe, by email, or else by the payment.
 */
const payer = (object: Fields, details: Fields, paymentId: string, reference?: string) =>
  payerOf({
    named: textIn(metadataOf(object), 'customer_external_id') ?? reference,
    processor: idIn(object, 'customer'),
    email: textIn(details, 'email'),
    name: textIn(details, 'name'),
    paymentId,
  });

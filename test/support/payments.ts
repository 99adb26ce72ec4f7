import { type FakeStripe, type StripeEvent } from './stripe.ts';

/** Ids that no other scenario has. */
let scenarios = 0;

/** Counts and sums of a click after all deliveries of a scenario. */
export const EXPECTED = {
  leads: 1,
  sales: 5,
  saleAmount: 2_850,
  refunds: 4,
  refundAmount: 2_300,
} as const;

/**
 * Makes the deliveries about a customer who begins two subscriptions, one with a trial, and buys
 * something twice, once with an invoice: in US cents, payments of 1,000, 2,000, 1,500, 400 and 250, of
 * which 300 and then the remaining 700, a dispute of 1,000 and a refund of 300 are lost.
 */
export function aCustomerOf(stripe: FakeStripe, clickId: string): StripeEvent[] {
  scenarios += 1;
  const id = (name: string) => `${name}_${process.pid}_${scenarios}`;
  const [customer, first, second] = [id('cus'), id('sub_a'), id('sub_b')];
  return [
    stripe.checkout({
      id: id('cs_a'),
      mode: 'subscription',
      client_reference_id: clickId,
      customer,
      invoice: id('in_a1'),
      subscription: first,
      amount_total: 1_000,
    }),
    stripe.invoice({
      id: id('in_a1'),
      customer,
      subscription: first,
      amount_paid: 1_000,
      billing_reason: 'subscription_create',
    }),
    stripe.invoicePayment(id('inpay_a1'), id('in_a1'), id('pi_a1')),
    stripe.invoice({ id: id('in_a2'), customer, subscription: first, amount_paid: 2_000 }),
    stripe.invoicePayment(id('inpay_a2'), id('in_a2'), id('pi_a2')),
    stripe.refund({ id: id('re_1'), payment_intent: id('pi_a1'), amount: 300 }),
    stripe.refund({ id: id('re_2'), payment_intent: id('pi_a1'), amount: 700 }),
    stripe.refund({ id: id('re_1'), payment_intent: id('pi_a1'), amount: 300 }, 'refund.updated'),
    stripe.dispute({ id: id('dp_1'), payment_intent: id('pi_a2'), amount: 1_000 }),
    stripe.dispute({
      id: id('dp_2'),
      payment_intent: id('pi_a1'),
      amount: 1_000,
      status: 'won',
    }),
    stripe.checkout({
      id: id('cs_b'),
      mode: 'subscription',
      client_reference_id: clickId,
      customer,
      payment_status: 'no_payment_required',
      subscription: second,
      amount_total: 0,
    }),
    stripe.subscription({ id: second, customer }),
    stripe.invoice({ id: id('in_b1'), customer, subscription: second, amount_paid: 1_500 }),
    stripe.checkout({
      id: id('cs_c'),
      client_reference_id: clickId,
      customer,
      payment_intent: id('pi_c'),
      amount_total: 400,
    }),
    stripe.refund({ id: id('re_3'), payment_intent: id('pi_c'), amount: 300 }),
    stripe.checkout({
      id: id('cs_d'),
      client_reference_id: clickId,
      customer,
      payment_intent: id('pi_d'),
      amount_total: 250,
    }),
    stripe.invoice({ id: id('in_d'), customer, amount_paid: 250 }),
    stripe.invoicePayment(id('inpay_d'), id('in_d'), id('pi_d')),
  ];
}

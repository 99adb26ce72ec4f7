import { Stripe } from 'stripe';

/*
 * A fake of Stripe: objects of its published schemas (https://docs.stripe.com/api), of which the
 * types of its library describe the fields, in events that are signed as its library signs them.
 */

/** The library, which never sends a request here. */
export const stripe = new Stripe('sk_test_unused');

/** An event of a type, with the fields of its object that a scenario sets. */
export interface StripeEvent {
  type: string;
  object: { id: string };
  /** Seconds since 1970. */
  created: number;
}

/** A field that Stripe sends as an id unless it is expanded. */
type Sent<Object extends { id: string }> = Partial<Object> & { id: string };

/** Events of one account. */
export class FakeStripe {
  #created: number;

  /** @param created time of the first event, in seconds since 1970 */
  constructor(created = Math.floor(Date.now() / 1_000) - 600) {
    this.#created = created;
  }

  #event<Sample extends { id: string }>(type: Stripe.Event.Type, object: Sample): StripeEvent {
    this.#created += 1;
    return { type, object, created: this.#created };
  }

  checkout(session: Sent<Stripe.Checkout.Session>): StripeEvent {
    return this.#event('checkout.session.completed', {
      object: 'checkout.session',
      currency: 'usd',
      customer: null,
      invoice: null,
      metadata: {},
      mode: 'payment',
      payment_intent: null,
      payment_status: 'paid',
      status: 'complete',
      subscription: null,
      ...session,
    } satisfies Sent<Stripe.Checkout.Session>);
  }

  invoice(
    invoice: Sent<Stripe.Invoice> & { subscription?: string },
    type: 'invoice.paid' | 'invoice.payment_succeeded' = 'invoice.paid',
  ): StripeEvent {
    const { subscription, ...fields } = invoice;
    return this.#event(type, {
      object: 'invoice',
      billing_reason: subscription === undefined ? 'manual' : 'subscription_cycle',
      currency: 'usd',
      customer_email: null,
      customer_name: null,
      metadata: {},
      parent:
        subscription === undefined
          ? null
          : {
              quote_details: null,
              subscription_details: { metadata: {}, subscription },
              type: 'subscription_details',
            },
      status: 'paid',
      ...fields,
    } satisfies Sent<Stripe.Invoice>);
  }

  invoicePayment(id: string, invoice: string, payment_intent: string): StripeEvent {
    return this.#event('invoice_payment.paid', {
      id,
      object: 'invoice_payment',
      invoice,
      payment: { payment_intent, type: 'payment_intent' },
      status: 'paid',
    } satisfies Sent<Stripe.InvoicePayment>);
  }

  subscription(subscription: Sent<Stripe.Subscription>): StripeEvent {
    return this.#event('customer.subscription.created', {
      object: 'subscription',
      metadata: {},
      status: 'trialing',
      ...subscription,
    } satisfies Sent<Stripe.Subscription>);
  }

  refund(
    refund: Sent<Stripe.Refund>,
    type: 'refund.created' | 'refund.updated' | 'charge.refund.updated' = 'refund.created',
  ): StripeEvent {
    return this.#event(type, {
      object: 'refund',
      currency: 'usd',
      status: 'succeeded',
      ...refund,
    } satisfies Sent<Stripe.Refund>);
  }

  dispute(dispute: Sent<Stripe.Dispute>): StripeEvent {
    return this.#event('charge.dispute.closed', {
      object: 'dispute',
      currency: 'usd',
      status: 'lost',
      ...dispute,
    } satisfies Sent<Stripe.Dispute>);
  }
}

/** Body of the delivery of an event. */
export const bodyOf = ({ type, object, created }: StripeEvent): string =>
  JSON.stringify({
    id: `evt_${created}_${object.id}`,
    object: 'event',
    api_version: '2026-10-28.clover',
    created,
    data: { object },
    livemode: true,
    pending_webhooks: 1,
    request: null,
    type,
  });

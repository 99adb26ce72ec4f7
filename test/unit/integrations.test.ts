import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { readShopify } from '../../src/integrations/shopify.ts';
import { isSignedByShopify, isSignedByStripe } from '../../src/integrations/signatures.ts';
import { readStripe } from '../../src/integrations/stripe.ts';
import { stripe } from '../support/stripe.ts';

const CLICK = `clk_${'a'.repeat(24)}`;
const AT = 1_750_000_000;
const TIME = '2025-06-15T15:06:40.000Z';

describe('signatures of payment processors', () => {
  const payload = '{"id":"evt_1","object":"event"}';
  const body = Buffer.from(payload);
  const header = stripe.webhooks.generateTestHeaderString({
    payload,
    secret: 'whsec_test',
    timestamp: AT,
  });
  const isSigned = (text: string, ageSeconds = 0, secret = 'whsec_test') =>
    isSignedByStripe(secret, body, text, (AT + ageSeconds) * 1_000);

  it('of Stripe hold for five minutes, for this body and secret, like in its library', () => {
    const isAccepted = (text: string, age: number, secret: string) => {
      try {
        stripe.webhooks.constructEvent(payload, text, secret, 300, undefined, AT * 1_000 + age);
        return true;
      } catch {
        return false;
      }
    };
    for (const [age, expected] of [
      [0, true],
      [299, true],
      [302, false],
    ] as const) {
      expect(isSigned(header, age), String(age)).to.equal(expected);
    }
    expect(isSigned(header, -302)).to.equal(false);
    for (const secret of ['whsec_test', 'whsec_other']) {
      expect(isSigned(header, 0, secret)).to.equal(isAccepted(header, 0, secret));
    }
    const v1 = header.split('v1=')[1]!;
    expect(isSigned(`t=${AT},v1=00,v1=${v1},v0=00`)).to.equal(true);
    for (const bad of [
      '',
      `v1=${v1}`,
      `t=,v1=${v1}`,
      `t=${AT},v0=${v1}`,
      `t=${AT}1,v1=${v1}`,
      ',,=',
    ]) {
      expect(isSigned(bad), bad).to.equal(false);
    }
  });

  it('of Shopify hold for this body and secret', () => {
    const signature = createHmac('sha256', 'secret').update(body).digest('base64');
    expect(isSignedByShopify('secret', body, signature)).to.equal(true);
    expect(isSignedByShopify('other', body, signature)).to.equal(false);
    expect(isSignedByShopify('secret', body, '')).to.equal(false);
  });
});

describe('deliveries of Stripe', () => {
  const read = (type: string, object: object) =>
    readStripe({ type, created: AT, data: { object } });
  const session = {
    id: 'cs_1',
    payment_status: 'paid',
    amount_total: 1_999,
    currency: 'eur',
    client_reference_id: CLICK,
    payment_intent: 'pi_1',
    invoice: null,
    customer: 'cus_1',
    customer_details: { name: 'Ada', email: 'Ada@example.com' },
  };

  it('are a sale of the click of a checkout without an invoice', () => {
    expect(read('checkout.session.completed', session)).to.deep.equal([
      {
        kind: 'sale',
        id: 'checkout:cs_1',
        invoiceId: 'pi_1',
        refundId: null,
        references: ['pi_1'],
        subscriptionId: null,
        amount: 1_999,
        currency: 'EUR',
        payer: { externalId: 'cus_1', otherIds: [], name: 'Ada', email: 'Ada@example.com' },
        clickId: CLICK,
        eventName: 'Purchase',
        at: TIME,
        awaits: [],
      },
    ]);
    const guest = { ...session, metadata: { click_id: CLICK }, customer: null };
    const [unnamed] = read('checkout.session.completed', { ...guest, client_reference_id: null });
    expect(unnamed).to.deep.include({
      clickId: CLICK,
      payer: { externalId: 'ada@example.com', otherIds: [], name: 'Ada', email: 'Ada@example.com' },
    });
    const [named] = read('checkout.session.async_payment_succeeded', {
      ...session,
      client_reference_id: 'user-7',
    });
    expect(named).to.deep.nested.include({
      clickId: null,
      'payer.externalId': 'user-7',
      'payer.otherIds': ['cus_1'],
    });
  });

  it('about one invoice share its id, in old and new versions of the API', () => {
    const [checkout] = read('checkout.session.completed', {
      ...session,
      payment_intent: null,
      invoice: { id: 'in_1' },
      subscription: 'sub_1',
    });
    expect(checkout).to.deep.include({
      kind: 'checkout',
      references: ['in_1'],
      subscriptionId: 'sub_1',
      clickId: CLICK,
      amount: 0,
    });
    const common = { id: 'in_1', amount_paid: 1_999, currency: 'eur', customer: 'cus_1' };
    const details = { metadata: { click_id: CLICK }, subscription: 'sub_1' };
    const [recent] = read('invoice.paid', {
      ...common,
      parent: { subscription_details: details },
      payments: { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] },
    });
    const [earlier] = read('invoice.payment_succeeded', {
      ...common,
      subscription_details: { metadata: details.metadata },
      subscription: 'sub_1',
      payment_intent: 'pi_1',
      charge: 'ch_1',
    });
    const sale = { invoiceId: 'in_1', clickId: CLICK, subscriptionId: 'sub_1', awaits: [] };
    expect(recent).to.deep.include({ ...sale, references: ['in_1', 'pi_1'] });
    expect(earlier).to.deep.include({ ...sale, references: ['in_1', 'pi_1', 'ch_1'] });
    const [single] = read('invoice.paid', common);
    expect(single).to.deep.include({ awaits: ['click', 'payment'], eventName: 'Purchase' });
    const payment = { id: 'inpay_1', invoice: 'in_1', payment: { payment_intent: 'pi_1' } };
    const [link] = read('invoice_payment.paid', payment);
    expect(link).to.deep.include({ kind: 'link', references: ['in_1', 'pi_1'] });
  });

  it('are refunds once they succeeded, and lost disputes', () => {
    const refund = {
      id: 're_1',
      amount: 500,
      currency: 'eur',
      status: 'succeeded',
      payment_intent: 'pi_1',
    };
    const expected = { kind: 'refund', references: ['pi_1'], amount: 500, currency: 'EUR' };
    for (const type of ['refund.created', 'refund.updated', 'charge.refund.updated']) {
      const [fact] = read(type, refund);
      const ids = { id: 'refund:re_1', refundId: 're_1', eventName: 'Refund' };
      expect(fact).to.deep.include({ ...expected, ...ids });
      expect(read(type, { ...refund, status: 'pending' })).to.deep.equal([]);
    }
    expect(read('charge.refunded', { id: 'ch_1', amount_refunded: 500 })).to.deep.equal([]);
    const charge = { id: 'ch_1', refunds: { data: [refund] } };
    expect(read('charge.refunded', charge)).to.have.deep.nested.property('[0].id', 'refund:re_1');
    const dispute = { ...refund, id: 'dp_1', status: 'lost' };
    expect(read('charge.dispute.closed', dispute)[0]).to.deep.include({
      ...expected,
      refundId: 'dp_1',
      eventName: 'Dispute lost',
    });
    expect(read('charge.dispute.closed', { ...dispute, status: 'won' })).to.deep.equal([]);
  });

  it('are a lead of a trial', () => {
    const subscription = { id: 'sub_1', customer: 'cus_1', metadata: { click_id: CLICK } };
    const type = 'customer.subscription.created';
    const [trial] = read(type, { ...subscription, status: 'trialing' });
    expect(trial).to.include({ kind: 'trial', clickId: CLICK, subscriptionId: 'sub_1' });
    expect(read(type, { ...subscription, status: 'active' })).to.deep.equal([]);
  });

  it('of other shapes mean nothing', () => {
    const shapes = [
      {},
      { id: 1 },
      { ...session, payment_status: 'unpaid' },
      { ...session, id: `a\0` },
      { ...session, id: 'a'.repeat(256) },
    ];
    for (const object of shapes) {
      for (const type of [
        'checkout.session.completed',
        'invoice.paid',
        'refund.created',
        'constructor',
      ]) {
        expect(read(type, object)).to.deep.equal([]);
      }
    }
    expect(readStripe({})).to.deep.equal([]);
  });
});

describe('deliveries of Shopify', () => {
  const order = {
    id: 7,
    currency: 'EUR',
    total_price: '9.00',
    total_price_set: { presentment_money: { amount: '1000', currency_code: 'JPY' } },
    processed_at: '2026-03-02T12:00:00+09:00',
    note_attributes: [
      { name: 'gift', value: 'yes' },
      { name: 'click_id', value: CLICK },
    ],
    customer: { id: 8, email: 'ada@example.com', first_name: 'Ada' },
  };

  it('are sales and their refunds, in minor units of the currency of the customer', () => {
    expect(readShopify('orders/paid', order)).to.deep.equal([
      {
        kind: 'sale',
        id: 'order:7',
        invoiceId: '7',
        refundId: null,
        references: ['7'],
        subscriptionId: null,
        amount: 1_000,
        currency: 'JPY',
        payer: { externalId: '8', otherIds: [], name: 'Ada', email: 'ada@example.com' },
        clickId: CLICK,
        eventName: 'Purchase',
        at: '2026-03-02T03:00:00.000Z',
        awaits: [],
      },
    ]);
    const transaction = { kind: 'refund', status: 'success', amount: '12.5', currency: 'EUR' };
    const refund = {
      id: 9,
      order_id: 7,
      created_at: '2026-03-03T00:00:00Z',
      transactions: [transaction, { ...transaction, status: 'failure' }],
    };
    expect(readShopify('refunds/create', refund)[0]).to.deep.include({
      kind: 'refund',
      id: 'refund:9',
      references: ['7'],
      refundId: '9',
      amount: 1_250,
      currency: 'EUR',
    });
    expect(readShopify('orders/create', order)).to.deep.equal([]);
    expect(readShopify('orders/paid', { ...order, test: true })).to.deep.equal([]);
  });

  it('have the click of the page with which the customer entered the shop', () => {
    const { total_price_set: _, note_attributes: __, ...plain } = order;
    const landed = { ...plain, landing_site: `/products/a?utm_source=x&click_id=${CLICK}` };
    const [sale] = readShopify('orders/paid', landed);
    expect(sale).to.include({ clickId: CLICK, amount: 900, currency: 'EUR' });
    expect(readShopify('orders/paid', plain)[0]).to.include({ clickId: null });
  });
});

import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { paymentHandlers } from '../../src/integrations/commands.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aCustomerOf, EXPECTED } from '../support/payments.ts';
import { stack } from '../support/stack.ts';
import { bodyOf, FakeStripe, type StripeEvent, stripe } from '../support/stripe.ts';
import { aWorkspace, type World } from '../support/world.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const A = 'https://shop.example/';

describe('deliveries of payment processors', () => {
  let world: World;
  let fake: FakeStripe;
  let connection: { id: string; url: string };
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
    fake = new FakeStripe();
    connection = await connect();
  });

  const connect = async (fields: object = {}) => {
    const body = { type: 'stripe', name: 'Shop', secret: SECRET, ...fields };
    return (await world.api.post('/integrations', body)).body;
  };

  const connectionNow = async () => (await world.api.get(`/integrations/${connection.id}`)).body;
  const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

  async function send(path: string, body: string, headers: Record<string, string>) {
    const response = await fetch(stack().apiUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- as in the client
    return { status: response.status, body: (await response.json()) as any };
  }

  const signed = (payload: string, secret = SECRET) => ({
    'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret }),
  });

  /** Delivers an event as Stripe does, and resolves once it is accepted. */
  async function deliver(event: StripeEvent): Promise<void> {
    const payload = bodyOf(event);
    const headers = signed(payload);
    stripe.webhooks.constructEvent(payload, headers['stripe-signature'], SECRET);
    const answer = await send(pathOf(connection), payload, headers);
    expect(answer).to.deep.equal({ status: 200, body: { received: true } });
  }

  /** Clicks a new link. */
  async function aClick() {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    visitor += 1;
    const { headers } = await world.visit(`/${link.key}`, { userAgent: browser(visitor) });
    return { link, clickId: new URL(headers.location!).searchParams.get('click_id')! };
  }

  const linkNow = async ({ id }: { id: string }) => (await world.api.get(`/links/${id}`)).body;
  const events = async (event: string) => (await world.api.get('/events', { event })).body;
  const waiting = async () =>
    db()('payment_facts').where({ project_id: world.projectId }).whereNull('done_at');

  it('record the sale of a checkout once, and its refund, also if that came first', async () => {
    const { link, clickId } = await aClick();
    const checkout = fake.checkout({
      id: 'cs_1',
      client_reference_id: clickId,
      payment_intent: 'pi_1',
      amount_total: 1_999,
      currency: 'eur',
      customer: 'cus_1',
      customer_details: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
      } as never,
    });
    const refund = fake.refund({
      id: 're_1',
      payment_intent: 'pi_1',
      charge: 'ch_1',
      amount: 999,
      currency: 'eur',
    });
    await deliver(refund);
    await eventually(async () => expect(await waiting()).to.have.length(1));
    for (const event of [checkout, checkout, refund]) await deliver(event);
    await eventually(async () => {
      const { sales, saleAmount, refundAmount } = await linkNow(link);
      // €19.99 and €9.99 at 1.0705.
      expect({ sales, saleAmount, refundAmount }).to.deep.equal({
        sales: 1,
        saleAmount: 2_140 - 1_069,
        refundAmount: 1_069,
      });
    });
    const [sale] = await events('sales');
    expect(sale).to.deep.nested.include({
      eventName: 'Purchase',
      'sale.invoiceId': 'pi_1',
      'sale.paymentProcessor': 'stripe',
      'customer.externalId': 'cus_1',
      'customer.name': 'Ada Lovelace',
      'click.id': clickId,
      timestamp: new Date(checkout.created * 1_000).toISOString(),
    });
    expect(await waiting()).to.deep.equal([]);
    expect(await events('leads')).to.deep.equal([]);
    // The names of the customer are deleted once the payment is recorded.
    const facts = await db()('payment_facts').where({ project_id: world.projectId });
    expect(facts.map(({ data, payers }) => [data, payers])).to.deep.equal([
      [null, []],
      [null, []],
    ]);
  });

  it('have the same result in every order, also if some are repeated', async function () {
    const property = fc.asyncProperty(
      fc.noShrink(fc.array(fc.nat(), { minLength: 24, maxLength: 24 })),
      async (numbers) => {
        const { link, clickId } = await aClick();
        const all = aCustomerOf(fake, clickId);
        const twice = [...all, ...all.slice(0, numbers.length - all.length)];
        const shuffled = twice
          .map((event, n) => ({ event, at: numbers[n]! }))
          .toSorted((a, b) => a.at - b.at);
        for (const { event } of shuffled) await deliver(event);
        await eventually(async () => {
          expect(await linkNow(link)).to.include({
            leads: EXPECTED.leads,
            sales: EXPECTED.sales,
            saleAmount: EXPECTED.saleAmount,
            refundAmount: EXPECTED.refundAmount,
          });
          expect(await waiting()).to.deep.equal([]);
        });
        const query = { linkId: link.id, interval: 'all' };
        expect((await world.api.get('/analytics', query)).body).to.include(EXPECTED);
      },
    );
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
  });

  it('give a payment without a click to its customer, whom a request or checkout named', async () => {
    const { link, clickId } = await aClick();
    const lead = { clickId, customerExternalId: 'user-1', eventName: 'Sign up' };
    await world.api.post('/track/lead', lead);
    const reference = { client_reference_id: 'user-1', customer: 'cus_1' };
    await deliver(
      fake.invoice({ id: 'in_1', customer: 'cus_1', amount_paid: 500, subscription: 's' }),
    );
    await deliver(fake.checkout({ id: 'cs_1', ...reference, invoice: 'in_1', subscription: 's' }));
    await eventually(async () => {
      expect(await linkNow(link)).to.include({ leads: 1, sales: 1, saleAmount: 500 });
    });
    // The customer of Stripe is another name of the customer from now on.
    const { body: customer } = await world.api.get('/customers/ext_cus_1');
    expect(customer).to.include({ externalId: 'user-1' });
    const { body: timeline } = await world.api.get('/customers/ext_cus_1/timeline');
    const kinds = timeline.map(({ event }: { event: string }) => event);
    expect(kinds.toSorted()).to.deep.equal(['click', 'lead', 'sale']);
    await deliver(
      fake.checkout({ id: 'cs_2', customer: 'cus_1', payment_intent: 'pi_2', amount_total: 70 }),
    );
    await eventually(async () => expect(await linkNow(link)).to.include({ saleAmount: 570 }));
  });

  it('wait an hour for the checkout of an invoice, and count nobody without a click', async () => {
    const { link, clickId } = await aClick();
    await world.api.post('/track/lead', {
      clickId,
      customerExternalId: 'cus_1',
      eventName: 'Sign up',
    });
    await deliver(fake.invoice({ id: 'in_1', customer: 'cus_1', amount_paid: 500 }));
    await deliver(fake.invoice({ id: 'in_2', customer: 'cus_2', amount_paid: 600 }));
    await eventually(async () => expect(await waiting()).to.have.length(2));
    await db()('payment_facts')
      .where({ project_id: world.projectId })
      .update({ due_at: new Date(Date.now() - 1_000) });
    const settle = paymentHandlers.find(({ job }) => job.name === 'payments.settle')!;
    await settle.run(
      { type: 'stripe' },
      {
        jobId: newId('job'),
        projectId: world.projectId,
        isRepeat: false,
        log: pino({ level: 'silent' }),
      },
    );
    expect(await linkNow(link)).to.include({ sales: 1, saleAmount: 500 });
    expect((await events('sales')).length).to.equal(1);
    expect((await waiting()).map(({ id }) => id)).to.deep.equal(['invoice:in_2']);
    expect((await world.api.get('/customers/ext_cus_2')).status).to.equal(404);
  });

  it('with a wrong signature are refused, and store nothing', async () => {
    const { clickId } = await aClick();
    const sold = { client_reference_id: clickId, payment_intent: 'pi_1', amount_total: 5 };
    const payload = bodyOf(fake.checkout({ id: 'cs_1', ...sold }));
    const path = pathOf(connection);
    const good = signed(payload);
    const old = Math.floor(Date.now() / 1_000) - 400;
    const tries: [string, string, Record<string, string>][] = [
      [path, payload, {}],
      [path, payload, signed(payload, 'whsec_other')],
      [path, `${payload} `, good],
      [
        path,
        payload,
        {
          'stripe-signature': stripe.webhooks.generateTestHeaderString({
            payload,
            secret: SECRET,
            timestamp: old,
          }),
        },
      ],
      [path.replace('stripe', 'shopify'), payload, good],
      [`${path}x`, payload, good],
      ['/integrations/stripe/int_%00', payload, good],
      [path, 'not JSON', {}],
    ];
    for (const [to, body, headers] of tries) {
      const answer = await send(to, body, headers);
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        400,
        'The signature is not of this connection and body',
      ]);
    }
    await eventually(async () => {
      const { lastRefusal, lastRefusedAt, lastDeliveryAt } = await connectionNow();
      expect(lastRefusal).to.match(/^The signature was not made with the secret/);
      expect(lastRefusedAt).to.be.a('string');
      expect(lastDeliveryAt).to.equal(null);
    });
    const bad = await send(path, 'not JSON', signed('not JSON'));
    expect([bad.status, bad.body.error.code]).to.deep.equal([400, 'bad_request']);
    const large = 'a'.repeat(2 * 1024 * 1024 + 1);
    expect((await send(path, large, signed(large))).status).to.equal(400);
    expect(await db()('payment_facts').where({ project_id: world.projectId })).to.deep.equal([]);
    expect(await events('sales')).to.deep.equal([]);
  });

  it('of other types are accepted and ignored', async () => {
    for (const body of ['{"type":"customer.created","id":"evt_1"}', '[]', 'null', '7']) {
      const answer = await send(pathOf(connection), body, signed(body));
      expect(answer.status, body).to.equal(200);
    }
    await eventually(async () => {
      expect(await connectionNow())
        .to.include({ lastRefusal: null })
        .and.property('lastDeliveryAt')
        .not.equal(null);
    });
  });

  it('that cannot be recorded are shown, and others are recorded', async () => {
    const { link, clickId } = await aClick();
    const sold = { client_reference_id: clickId, amount_total: 5 };
    const foreign = fake.checkout({ id: 'cs_1', ...sold, payment_intent: 'pi_1', currency: 'xxy' });
    await deliver(foreign);
    await eventually(async () => {
      const { lastRefusal } = await connectionNow();
      expect(lastRefusal).to.equal('checkout:cs_1: currency must be an ISO 4217 code, not "XXY"');
    });
    await deliver(fake.checkout({ id: 'cs_2', ...sold, payment_intent: 'pi_2' }));
    await eventually(async () => expect(await linkNow(link)).to.include({ sales: 1 }));
    const refund = { payment_intent: 'pi_2', amount: 5 };
    await deliver(fake.refund({ id: 're_1', ...refund, currency: 'eur' }));
    await eventually(async () => {
      const { lastRefusal } = await connectionNow();
      expect(lastRefusal).to.equal('refund:re_1: currency must be USD, like the sale');
    });
  });

  it('share an invoice with requests, so that a sale counts once', async () => {
    const { link, clickId } = await aClick();
    const sale = { clickId, customerExternalId: 'user-1', amount: 500, invoiceId: 'pi_1' };
    expect((await world.api.post('/track/sale', sale)).status).to.equal(200);
    const sold = { client_reference_id: clickId, payment_intent: 'pi_1', amount_total: 500 };
    await deliver(fake.checkout({ id: 'cs_1', customer: 'cus_1', ...sold }));
    await deliver(fake.refund({ id: 're_1', payment_intent: 'pi_1', amount: 200 }));
    await eventually(async () => {
      expect(await linkNow(link)).to.include({ sales: 1, saleAmount: 300, refundAmount: 200 });
    });
  });

  it('are forgotten with their customer', async () => {
    const { clickId } = await aClick();
    await deliver(fake.invoice({ id: 'in_1', customer: 'cus_1', amount_paid: 500 }));
    await eventually(async () => expect(await waiting()).to.have.length(1));
    await world.api.post('/customers', { externalId: 'cus_1' });
    const { status } = await world.api.delete('/customers/ext_cus_1');
    expect(status).to.equal(200);
    expect(await waiting()).to.deep.equal([]);
    expect(clickId).to.match(/^clk_/);
  });

  it('of a workspace with a lower plan are refused', async () => {
    await db()('workspaces').where({ id: world.projectId }).update({ plan: 'pro' });
    const payload = bodyOf(fake.refund({ id: 're_1', payment_intent: 'pi_1', amount: 5 }));
    const answer = await send(pathOf(connection), payload, signed(payload));
    expect(answer.status).to.equal(403);
    expect(await waiting()).to.deep.equal([]);
  });

  it('of Shopify are sales and refunds by the click of the cart', async () => {
    const { link, clickId } = await aClick();
    const shop = await connect({ type: 'shopify', secret: 'shop-secret' });
    const at = new Date().toISOString();
    const order = {
      id: 820_982_911_946,
      currency: 'USD',
      total_price: '199.00',
      processed_at: at,
      note_attributes: [{ name: 'click_id', value: clickId }],
      customer: { id: 115_310_627, email: 'ada@example.com', first_name: 'Ada' },
    };
    const transaction = { kind: 'refund', status: 'success', amount: '99.00', currency: 'USD' };
    const refund = { id: 9, order_id: order.id, created_at: at, transactions: [transaction] };
    const shopify = async (topic: string, object: object, secret = 'shop-secret') => {
      const payload = JSON.stringify(object);
      const hmac = createHmac('sha256', secret).update(payload).digest('base64');
      const headers = { 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': hmac };
      return (await send(pathOf(shop), payload, headers)).status;
    };
    expect(await shopify('orders/paid', order, 'other')).to.equal(400);
    for (let time = 0; time < 2; time += 1) {
      expect(await shopify('refunds/create', refund)).to.equal(200);
      expect(await shopify('orders/paid', order)).to.equal(200);
    }
    await eventually(async () => {
      const numbers = { sales: 1, saleAmount: 10_000, refundAmount: 9_900 };
      expect(await linkNow(link)).to.include(numbers);
    });
    const [sale] = await events('sales');
    expect(sale).to.deep.nested.include({
      'sale.paymentProcessor': 'shopify',
      'sale.invoiceId': '820982911946',
      'customer.externalId': '115310627',
    });
  });
});

describe('connections to payment processors', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const NEW = { type: 'stripe', name: 'Shop', secret: SECRET };

  it('are created, listed, changed and deleted, and never show their secret', async () => {
    const made = await world.api.post('/integrations', NEW);
    expect(made.status).to.equal(201);
    expect(made.headers.get('location')).to.equal(`/integrations/${made.body.id}`);
    expect(made.body).to.deep.include({ type: 'stripe', name: 'Shop', lastRefusal: null });
    expect(made.body.url).to.match(/^http.*\/integrations\/stripe\/int_\w+$/);
    expect(made.body).not.to.have.property('secret');
    const path = `/integrations/${made.body.id}`;
    expect((await world.api.get(path)).body).to.deep.equal(made.body);
    expect((await world.api.get('/integrations')).body).to.deep.equal([made.body]);
    const changed = await world.api.patch(path, { name: 'Other' });
    expect([changed.status, changed.body.name]).to.deep.equal([200, 'Other']);
    const stored = await db()('integrations').where({ id: made.body.id }).first();
    expect(stored.secret).to.match(/^sealed:v2:/);
    expect((await world.api.delete(path)).body).to.deep.equal({ id: made.body.id });
    expect((await world.api.get(path)).status).to.equal(404);
  });

  it('accept the previous secret for a day after it was replaced', async () => {
    const { body } = await world.api.post('/integrations', NEW);
    await world.api.patch(`/integrations/${body.id}`, { secret: 'whsec_new' });
    const payload = '{"type":"customer.created"}';
    const post = async (secret: string) => {
      const response = await fetch(stack().apiUrl + new URL(body.url).pathname, {
        method: 'POST',
        headers: {
          'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret }),
        },
        body: payload,
      });
      return response.status;
    };
    expect([await post('whsec_new'), await post(SECRET), await post('x')]).to.deep.equal([
      200, 200, 400,
    ]);
    await db()('integrations')
      .where({ id: body.id })
      .update({ previous_secret_until: new Date(Date.now() - 1_000) });
    expect([await post('whsec_new'), await post(SECRET)]).to.deep.equal([200, 400]);
  });

  it('are refused with other fields, without the scope, and beyond twenty', async () => {
    for (const [fields, rule] of [
      [{ type: 'paypal' }, /^type must be one of/],
      [{ name: '' }, /^name/],
      [{ secret: undefined }, /^secret is required/],
      [{ secret: ' ' }, /^secret/],
      [{ url: A }, /^url is not a known field/],
    ] as const) {
      const { status, body } = await world.api.post('/integrations', { ...NEW, ...fields });
      expect([status, body.error.code]).to.deep.equal([422, 'unprocessable_entity']);
      expect(body.error.message).to.match(rule);
    }
    const { body } = await world.api.post('/integrations', NEW);
    expect((await world.api.patch(`/integrations/${body.id}`, {})).status).to.equal(422);
    const other = await world.withScopes('customers.write');
    expect((await other.get('/integrations')).status).to.equal(403);
    for (let n = 1; n < 20; n += 1) await world.api.post('/integrations', NEW);
    expect((await world.api.post('/integrations', NEW)).status).to.equal(422);
  });
});

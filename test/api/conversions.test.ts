import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://shop.example/';
const SALE = { customerExternalId: 'cus-1', amount: 1999 };
const NO_REFUNDS = { refunds: 0, refundAmount: 0 };
const LEAD = { customerExternalId: 'cus-1', eventName: 'Sign up' };

describe('conversions', () => {
  let world: World;
  let visitor = 5_000;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Clicks a link and resolves with the click id from the redirect. */
  async function aClick(link: { key: string }): Promise<string> {
    visitor += 1;
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const { headers: answer } = await world.visit(`/${link.key}`, {
      userAgent: browser(visitor),
      headers,
    });
    return new URL(answer.location!).searchParams.get('click_id')!;
  }

  async function aLink(fields: object = {}) {
    const { body } = await world.api.post('/links', { url: A, trackConversion: true, ...fields });
    return body;
  }

  const lead = (fields: object) => world.api.post('/track/lead', { ...LEAD, ...fields });
  const sale = (fields: object = {}) => world.api.post('/track/sale', { ...SALE, ...fields });
  const linkNow = async (id: string) => (await world.api.get(`/links/${id}`)).body;
  const events = async (event: string) => (await world.api.get('/events', { event })).body;

  it('do not store or count the click id in the URL', async () => {
    const own = `${A}?click_id=own&x=%20#part`;
    await world.api.post('/links', { url: own, key: 'plain' });
    await world.api.post('/links', { url: `${A}?x=1#part`, key: 'tracked', trackConversion: true });
    for (const key of ['plain', 'plain', 'tracked', 'tracked', 'tracked']) await aClick({ key });

    await eventually(async () => {
      const { body } = await world.api.get('/analytics', { groupBy: 'top_urls' });
      expect(body).to.deep.equal([{ url: A, clicks: 5, visitors: 5 }]);
    });
    const urls = (await events('clicks')).map(({ url }: { url: string }) => url);
    expect(new Set(urls)).to.deep.equal(new Set([`${A}?x=1#part`, own]));
  });

  it('are recorded for one sale: redirect, lead, sale, events, analytics, counters', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'campaign' });
    const link = await aLink({ tagIds: [tag.id] });
    const clickId = await aClick(link);

    const signedUp = await lead({
      clickId,
      customerName: 'Ada Lovelace',
      customerEmail: 'ada@example.com',
      metadata: { plan: 'pro' },
    });
    expect([signedUp.status, signedUp.body]).to.deep.equal([
      200,
      {
        eventName: 'Sign up',
        customerId: 'cus-1',
        clickId,
        linkId: link.id,
        metadata: { plan: 'pro' },
      },
    ]);
    const sold = await sale({ currency: 'eur', invoiceId: 'inv-1', paymentProcessor: 'stripe' });
    expect([sold.status, sold.body]).to.deep.equal([
      200,
      {
        eventName: 'Purchase',
        customerId: 'cus-1',
        // €19.99 at 1.0705.
        amount: 2140,
        currency: 'usd',
        paymentProcessor: 'stripe',
        invoiceId: 'inv-1',
        metadata: null,
        rateDate: '2024-06-28',
      },
    ]);

    const [leadEvent] = await events('leads');
    expect(leadEvent).to.deep.include({
      event: 'lead',
      eventName: 'Sign up',
      metadata: { plan: 'pro' },
    });
    expect(leadEvent.customer).to.include({
      externalId: 'cus-1',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
    });
    expect(leadEvent.click).to.include({ id: clickId, country: 'DE', city: 'Berlin' });
    expect(leadEvent.link.id).to.equal(link.id);
    const [saleEvent] = await events('sales');
    expect(saleEvent.sale).to.deep.equal({
      amount: 2140,
      currency: 'usd',
      paymentProcessor: 'stripe',
      invoiceId: 'inv-1',
    });
    expect(saleEvent).to.include({ event: 'sale', eventName: 'Purchase' });
    expect(saleEvent.click.id).to.equal(clickId);

    const numbers = { clicks: 1, leads: 1, sales: 1, saleAmount: 2140 };
    expect(await linkNow(link.id)).to.include(numbers);
    const ask = async (query: Record<string, string>) =>
      (await world.api.get('/analytics', query)).body;
    for (const filter of [{}, { linkId: link.id }, { tagId: tag.id }, { domain: world.domain }]) {
      const query = filter as Record<string, string>;
      expect(await ask(query)).to.deep.equal({
        ...numbers,
        ...NO_REFUNDS,
        scans: 0,
        viwes: 0,
        visitors: 1,
      });
      expect(await ask({ ...query, groupBy: 'composite' })).to.deep.equal({
        ...numbers,
        ...NO_REFUNDS,
        visitors: 1,
      });
      expect(await ask({ ...query, groupBy: 'countries', event: 'sales' })).to.deep.equal([
        { country: 'DE', continent: 'EU', sales: 1, saleAmount: 2140, ...NO_REFUNDS },
      ]);
    }
    expect(await ask({ interval: 'all_unfiltered' })).to.include(numbers);
    expect(await ask({ groupBy: 'top_events' })).to.deep.equal([
      { eventName: 'Purchase', count: 1 },
      { eventName: 'Sign up', count: 1 },
    ]);
    const [stored] = await db()('events').where({ project_id: world.projectId, event: 'sale' });
    expect(stored.sale).to.include({
      amount: 1999,
      currency: 'EUR',
      rate: '1.0705/1',
      rateDate: '2024-06-28',
    });
  });

  it('record an invoice once under concurrent requests', async () => {
    const link = await aLink();
    await lead({ clickId: await aClick(link) });
    // On a busy machine, a request can be answered before its job has ended, or get no connection.
    let isRepeated = false;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        eventually(async () => {
          const answer = await sale({ invoiceId: 'inv-1', metadata: { a: 1 } });
          if ([202, 503].includes(answer.status)) {
            isRepeated = true;
            throw new Error(`${answer.status}`);
          }
          return answer;
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    // The one that was not replayed may have had a 202.
    expect(replayed).to.have.lengthOf.within(99, isRepeated ? 100 : 99);
    expect(await linkNow(link.id)).to.include({ sales: 1, saleAmount: 1999 });
    expect(await events('sales')).to.have.lengthOf(1);
  });

  it('refuse a repeated invoice with other data with 409', async () => {
    await sale({ invoiceId: 'inv-1' });
    for (const other of [{ amount: 2000 }, { currency: 'eur' }, { customerExternalId: 'cus-2' }]) {
      const { status, body } = await sale({ invoiceId: 'inv-1', ...other });
      expect([status, body.error.code]).to.deep.equal([409, 'conflict']);
    }
    expect((await sale({ invoiceId: 'inv-2' })).status).to.equal(200);
    expect(await events('sales')).to.have.lengthOf(2);
  });

  it('recognize a repeated sale in any order of members and with explicit defaults', async () => {
    const first = await sale({ invoiceId: 'inv-1', metadata: { a: 1, b: { c: 2, d: [3] } } });
    const bodies = [
      '{"metadata":{"b":{"d":[3],"c":2},"a":1},"invoiceId":"inv-1","amount":1999,"customerExternalId":"cus-1"}',
      '{ "customerExternalId": "cus-1", "amount": 1999.0,\n "invoiceId": "inv-1", "metadata": {"a": 1, "b": {"c": 2, "d": [3]}} }',
      JSON.stringify({
        ...SALE,
        currency: 'USD',
        eventName: 'Purchase',
        paymentProcessor: 'custom',
        invoiceId: 'inv-1',
        metadata: { a: 1, b: { c: 2, d: [3] } },
        leadEventName: null,
        clickId: null,
        customerName: null,
      }),
    ];
    for (const body of bodies) {
      const again = await world.api.post('/track/sale', body);
      expect([again.status, again.body]).to.deep.equal([200, first.body]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
    }
    const other = await sale({ invoiceId: 'inv-1', metadata: { a: 1, b: { c: 2, d: ['3'] } } });
    expect(other.status).to.equal(409);
    expect(await events('sales')).to.have.lengthOf(1);
  });

  it('store metadata of many members', async () => {
    const metadata = { items: Array.from({ length: 4_990 }, (_, n) => n % 10) };
    const { status, body } = await sale({ metadata });
    expect([status, body.metadata]).to.deep.equal([200, metadata]);
  });

  it('recognize invoices that were recorded when the order of members mattered', async () => {
    await sale({ invoiceId: 'inv-1' });
    const sent = {
      ...SALE,
      invoiceId: 'inv-1',
      currency: 'USD',
      eventName: 'Purchase',
      paymentProcessor: 'custom',
      metadata: null,
      leadEventName: null,
      clickId: null,
    };
    const fingerprint = createHash('sha256').update(JSON.stringify(sent)).digest('base64url');
    await db()('invoices').where({ project_id: world.projectId }).update({ fingerprint });
    const again = await sale({ invoiceId: 'inv-1' });
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect((await sale({ invoiceId: 'inv-1', amount: 1 })).status).to.equal(409);
  });

  it('record a lead once, however often and concurrently it is sent', async () => {
    const link = await aLink();
    const clickId = await aClick(link);
    const sent = { clickId, metadata: { plan: 'pro' }, customerName: 'Ada' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => lead(sent)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(replayed).to.have.lengthOf(19);
    const later = await lead({ clickId, metadata: { plan: 'free' }, customerName: 'Eve' });
    expect([later.body, later.headers.get('idempotent-replayed')]).to.deep.equal([
      answers[0]!.body,
      'true',
    ]);
    expect((await world.api.get('/customers/ext_cus-1')).body.name).to.equal('Ada');
    expect(await linkNow(link.id)).to.include({ leads: 1 });
    expect(await events('leads')).to.have.lengthOf(1);
    // A different event name, click or customer is a new lead.
    await lead({ clickId, eventName: 'Trial' });
    await lead({ clickId, customerExternalId: 'cus-2' });
    await lead({ clickId: await aClick(link) });
    expect(await linkNow(link.id)).to.include({ leads: 4 });
  });

  it('attribute a sale to the named lead, else the latest, else the first click', async () => {
    const [a, b, c] = [await aLink(), await aLink(), await aLink()];
    await lead({ clickId: await aClick(a), eventName: 'Trial' });
    await lead({ clickId: await aClick(b), eventName: 'Sign up' });
    await sale({ leadEventName: 'Trial' });
    await sale();
    await sale({ clickId: await aClick(c) });
    expect(await linkNow(a.id)).to.include({ sales: 1, leads: 1 });
    expect(await linkNow(b.id)).to.include({ sales: 1, leads: 1 });
    expect(await linkNow(c.id)).to.include({ sales: 1, leads: 0 });
    for (const leadEventName of ['trial', 'Nope']) {
      const { status, body } = await sale({ leadEventName });
      expect([status, body.error.code]).to.deep.equal([404, 'not_found']);
    }
    expect(await events('sales')).to.have.lengthOf(3);
  });

  it('record a direct sale with its lead', async () => {
    const link = await aLink();
    const clickId = await aClick(link);
    await sale({ clickId, customerName: null });
    expect(await linkNow(link.id)).to.include({ leads: 1, sales: 1, saleAmount: 1999 });
    const [directLead] = await events('leads');
    expect(directLead.eventName).to.equal('Direct sale');
    expect(directLead.customer.name).to.match(/^\w+ \w+$/);
    const other = await aClick(await aLink());
    await sale({ clickId: other, customerExternalId: 'cus-2', leadEventName: 'Walk-in' });
    expect((await events('leads'))[0].eventName).to.equal('Walk-in');
    // The only click of this customer is the one from the earlier sale.
    await sale({ customerExternalId: 'cus-2' });
    expect((await events('sales'))[0].click.id).to.equal(other);
  });

  it('record a sale of a customer without a click', async () => {
    const { status } = await sale({ amount: 0 });
    expect(status).to.equal(200);
    const [event] = await events('sales');
    expect([event.click, event.link]).to.deep.equal([null, null]);
    expect((await world.api.get('/analytics')).body).to.include({ sales: 1, saleAmount: 0 });
  });

  const currencies: [currency: string, amount: number, cents: number][] = [
    ['usd', 1999, 1999],
    ['USD', 1999, 1999],
    ['jpy', 500, 311],
    ['krw', 10_000, 726],
    ['gbp', 1, 1],
    ['huf', 39_510, 107],
  ];
  for (const [currency, amount, cents] of currencies) {
    it(`convert ${amount} ${currency} to ${cents} cents`, async () => {
      expect((await sale({ currency, amount })).body).to.include({
        amount: cents,
        currency: 'usd',
      });
    });
  }

  const bad: [what: string, path: string, body: object, status: number, names: RegExp][] = [
    ['no customer', 'sale', { amount: 1 }, 422, /customerExternalId is required/],
    ['no amount', 'sale', { customerExternalId: 'a' }, 422, /amount is required/],
    ['half a cent', 'sale', { ...SALE, amount: 1.5 }, 422, /amount/],
    ['an amount as text', 'sale', { ...SALE, amount: '100' }, 422, /amount/],
    ['a negative amount', 'sale', { ...SALE, amount: -1 }, 422, /amount/],
    ['an invalid currency', 'sale', { ...SALE, currency: 'euro' }, 422, /currency/],
    [
      'an invalid currency and amount',
      'sale',
      { ...SALE, amount: -1, currency: 'euro' },
      422,
      /^amount must be at least 0; currency must be an ISO 4217 code, not "euro"$/,
    ],
    [
      'too much',
      'sale',
      { ...SALE, amount: 1e12 + 1 },
      422,
      /^amount must be at most 1000000000000$/,
    ],
    ['an unsafe integer', 'sale', { ...SALE, amount: 2 ** 63 }, 422, /^amount must be/],
    [
      'an amount too large after conversion',
      'sale',
      { ...SALE, amount: 1e12, currency: 'gbp' },
      422,
      /^amount must be at most 1000000000000 US cents once converted$/,
    ],
    ['an unknown currency', 'sale', { ...SALE, currency: 'XTS' }, 422, /ISO 4217 code, not "xts"/],
    [
      'a sale of the future',
      'sale',
      { ...SALE, timestamp: '2199-01-01T00:00:00Z' },
      422,
      /^timestamp must not be in the future$/,
    ],
    [
      'a lead of long ago',
      'lead',
      { ...LEAD, clickId: 'clk_a', timestamp: '2020-01-01' },
      422,
      /^timestamp must be at most 90 days ago$/,
    ],
    ['no time', 'sale', { ...SALE, timestamp: '2026-02-30' }, 422, /^timestamp must be/],
    ['a name of spaces', 'sale', { ...SALE, eventName: '  ' }, 422, /eventName/],
    [
      'an unknown processor',
      'sale',
      { ...SALE, paymentProcessor: 'cash' },
      422,
      /paymentProcessor/,
    ],
    ['an unknown field', 'sale', { ...SALE, colour: 'red' }, 422, /colour/],
    ['a bad email', 'sale', { ...SALE, customerEmail: 'x' }, 422, /customerEmail/],
    ['a long name', 'sale', { ...SALE, customerName: 'x'.repeat(101) }, 422, /customerName/],
    [
      'a long id',
      'sale',
      { ...SALE, customerExternalId: 'x'.repeat(101) },
      422,
      /customerExternalId/,
    ],
    ['a long event', 'sale', { ...SALE, eventName: 'x'.repeat(256) }, 422, /eventName/],
    [
      'too much metadata',
      'sale',
      { ...SALE, metadata: { a: 'x'.repeat(10_000) } },
      422,
      /metadata/,
    ],
    ['metadata in a list', 'sale', { ...SALE, metadata: [1] }, 422, /metadata/],
    ['a refund without an invoice', 'refund', {}, 422, /^invoiceId is required/],
    [
      'a refund of nothing',
      'refund',
      { invoiceId: 'a', amount: 0 },
      422,
      /^amount must be at least 1/,
    ],
    ['half a cent back', 'refund', { invoiceId: 'a', amount: 0.5 }, 422, /^amount must be/],
    ['a refund of no sale', 'refund', { invoiceId: 'inv-0' }, 404, /sale with the invoice "inv-0"/],
    ['an unknown click', 'sale', { ...SALE, clickId: 'clk_nope' }, 404, /click "clk_nope"/],
    ['a lead without a click', 'lead', LEAD, 422, /^clickId is required/],
    ['no leads', 'lead', { ...LEAD, clickId: 'clk_a', quantity: 0 }, 422, /^quantity must be/],
    ['too many leads', 'lead', { ...LEAD, quantity: 101 }, 422, /^quantity must be at most 100/],
    ['a wrong word', 'lead', { ...LEAD, deferred: 'yes' }, 422, /^deferred must be/],
    [
      'a sale to an unknown customer who must be known',
      'sale',
      { ...SALE, knownCustomer: true },
      404,
      /^There is no customer "cus-1"$/,
    ],
    [
      'such a sale with a lead',
      'sale',
      { ...SALE, knownCustomer: true, leadEventName: 'Sign up' },
      404,
      /^There is no customer "cus-1"$/,
    ],
    [
      'a lead of an unknown click',
      'lead',
      { eventName: 'a', customerExternalId: 'a', clickId: 'clk_nope' },
      404,
      /click "clk_nope"/,
    ],
    ['a click without a link', 'click', {}, 422, /linkId, or domain with key, is required/],
    ['a click of an unknown link', 'click', { linkId: 'link_nope' }, 404, /no such link/],
    ['a click with an invalid ip', 'click', { linkId: 'a', ip: 'here' }, 422, /ip/],
  ];
  for (const [what, path, body, status, names] of bad) {
    it(`are refused with ${status}, and nothing is recorded: ${what}`, async () => {
      const answer = await world.api.post(`/track/${path}`, body);
      expect(answer.status).to.equal(status);
      expect(answer.body.error.message).to.match(names);
      expect(await db()('events').where({ project_id: world.projectId })).to.have.lengthOf(0);
      expect(await db()('customers').where({ project_id: world.projectId })).to.have.lengthOf(0);
    });
  }

  it('take an amount of 10^12 cents, and count it exactly', async () => {
    expect((await sale({ amount: 1e12 })).body).to.include({ amount: 1e12 });
    await sale({ amount: 1 });
    expect((await world.api.get('/analytics')).body).to.include({ saleAmount: 1e12 + 1 });
  });

  it('require a plan and a scope', async () => {
    const pro = await aWorkspace({ plan: 'pro' });
    const { status, body } = await pro.api.post('/track/sale', SALE);
    expect(status).to.equal(403);
    expect(body.error.message).to.contain('business');
    const reader = await world.withScopes('events.read');
    expect((await reader.post('/track/sale', SALE)).status).to.equal(403);
  });

  it('count a click reported by another redirect service like any other', async () => {
    const link = await aLink();
    const report = {
      linkId: link.id,
      ip: '192.0.2.9',
      userAgent: browser(1),
      referer: 'https://news.example/',
    };
    const { body } = await world.api.post('/track/click', report);
    const { body: again } = await world.api.post('/track/click', report);
    expect(again).to.deep.equal(body);
    const [event] = await events('clicks');
    expect(event.click).to.include({ id: body.clickId, country: 'DE', referer: 'news.example' });
    expect(await linkNow(link.id)).to.include({ clicks: 1 });
    expect((await lead({ clickId: body.clickId })).status).to.equal(200);
  });
});

describe('refunds', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const sale = (fields: object = {}) =>
    world.api.post('/track/sale', { ...SALE, invoiceId: 'inv-1', ...fields });
  const refund = (fields: object = {}) =>
    world.api.post('/track/refund', { invoiceId: 'inv-1', ...fields });
  const ask = async (query: Record<string, string> = {}) =>
    (await world.api.get('/analytics', query)).body;

  /** Sells to the visitor of a new link. */
  async function aSaleOfALink(fields: object = {}) {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    const { headers } = await world.visit(`/${link.key}`, {
      userAgent: browser(1),
      headers: { 'x-forwarded-for': '192.0.2.1' },
    });
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    expect((await sale({ clickId, ...fields })).status).to.equal(200);
    return { link, clickId };
  }

  it('reduce the amount of their sale in every answer, and leave the number of sales', async () => {
    const { link, clickId } = await aSaleOfALink({ paymentProcessor: 'stripe' });
    const { status, body } = await refund({ amount: 500, refundId: 're-1', metadata: { a: 1 } });
    expect([status, body]).to.deep.equal([
      200,
      {
        eventName: 'Refund',
        customerId: 'cus-1',
        amount: 500,
        currency: 'usd',
        paymentProcessor: 'stripe',
        invoiceId: 'inv-1',
        refundId: 're-1',
        metadata: { a: 1 },
        left: 1499,
      },
    ]);
    const sums = { saleAmount: 1499, refundAmount: 500 };
    const numbers = { sales: 1, refunds: 1, ...sums };
    const none = { clicks: 1, leads: 1, scans: 0, viwes: 0 };
    expect(await ask()).to.deep.equal({ ...none, ...numbers, visitors: 1 });
    expect(await ask({ interval: 'all_unfiltered' })).to.deep.equal({ ...none, ...numbers });
    for (const groupBy of ['sales', 'count', 'composite']) {
      expect(await ask({ groupBy }), groupBy).to.include(numbers);
    }
    expect(await ask({ groupBy: 'refunds' })).to.deep.equal({ refunds: 1, refundAmount: 500 });
    expect(await ask({ groupBy: 'countries', event: 'sales', linkId: link.id })).to.deep.equal([
      { country: 'DE', continent: 'EU', ...numbers },
    ]);
    const [top] = await ask({ groupBy: 'top_links', event: 'sales' });
    expect(top).to.include({ id: link.id, ...numbers });
    for (const interval of ['24h', '1h']) {
      const steps = await ask({ groupBy: 'timeseries', event: 'composite', interval });
      expect(steps.filter((step: { refunds: number }) => step.refunds > 0)).to.have.lengthOf(1);
      const sum = steps.reduce(
        (all: number, step: { saleAmount: number }) => all + step.saleAmount,
        0,
      );
      expect(sum, interval).to.equal(1499);
    }
    expect(
      (await ask({ groupBy: 'top_events' })).map((row: { count: number }) => row.count),
    ).to.deep.equal([1, 1]);
    expect((await world.api.get(`/links/${link.id}`)).body).to.include({ sales: 1, ...sums });
    const customer = await world.api.get('/customers/ext_cus-1', { withSales: 'true' });
    expect(customer.body).to.include({ sales: 1, ...sums });
    const [event] = (await world.api.get('/events', { event: 'refunds' })).body;
    expect(event).to.deep.include({
      event: 'refund',
      eventName: 'Refund',
      metadata: { a: 1 },
      refund: {
        amount: 500,
        currency: 'usd',
        paymentProcessor: 'stripe',
        invoiceId: 'inv-1',
        refundId: 're-1',
      },
    });
    expect(event.click.id).to.equal(clickId);
    expect([event.link.id, event.customer.externalId]).to.deep.equal([link.id, 'cus-1']);
  });

  it('add up to exactly the sale, in US cents at its rate', async () => {
    // ¥7 are 4.35 cents: parts that were rounded alone would add up to another sum.
    expect((await sale({ amount: 7, currency: 'jpy' })).body.amount).to.equal(4);
    const cents: number[] = [];
    for (let n = 0; n < 6; n += 1) cents.push((await refund({ amount: 1 })).body.amount);
    const { body } = await refund();
    expect(body).to.include({ left: 0 });
    expect([...cents, body.amount].reduce((sum, one) => sum + one, 0)).to.equal(4);
    expect(await ask()).to.include({ sales: 1, refunds: 7, saleAmount: 0, refundAmount: 4 });
  });

  it('differ from repeats by refundId; one of all that is left is its own repeat', async () => {
    await sale();
    const first = await refund({ amount: 500, refundId: 're-1' });
    const again = await refund({ refundId: 're-1', amount: 500, eventName: 'Refund' });
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await refund({ amount: 400, refundId: 're-1' });
    expect([other.status, other.body.error.message]).to.deep.equal([
      409,
      'The refund "re-1" was already recorded with other contents',
    ]);
    expect((await refund({ amount: 500 })).body.left).to.equal(999);
    expect((await refund({ amount: 500 })).body.left).to.equal(499);
    const rest = await refund();
    expect(rest.body).to.include({ amount: 499, left: 0 });
    const restAgain = await refund();
    expect([restAgain.status, restAgain.body]).to.deep.equal([200, rest.body]);
    expect(restAgain.headers.get('idempotent-replayed')).to.equal('true');
    expect(await ask()).to.include({ refunds: 4, saleAmount: 0 });
  });

  it('are refused beyond what is left of the sale, also at the same moment', async () => {
    await sale({ currency: 'eur' });
    const tooMuch = await refund({ amount: 2000 });
    expect([tooMuch.status, tooMuch.body.error.message]).to.deep.equal([
      422,
      'amount must be at most 1999 (EUR), which is left of the sale "inv-1"',
    ]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refund({ amount: 400 })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, 200, 200, 200, ...Array.from({ length: 6 }, () => 422)]);
    await refund({ refundId: 'rest' });
    const none = await refund({ amount: 1 });
    expect([none.status, none.body.error.message]).to.deep.equal([
      422,
      'invoiceId must be the invoice of a sale that is not refunded in full',
    ]);
    expect(await ask()).to.include({ refunds: 5, saleAmount: 0, refundAmount: 2140 });
  });

  it('of a sale without a click have none, and of an erased customer name nobody', async () => {
    await sale();
    const { body } = await refund({ amount: 1 });
    expect(body.customerId).to.equal('cus-1');
    await world.api.delete('/customers/ext_cus-1');
    const after = await refund({ amount: 2, metadata: { note: 'secret' } });
    expect(after.body).to.include({ customerId: null, left: 1996 });
    const events = (await world.api.get('/events', { event: 'refunds' })).body;
    expect(
      events.map(({ click, link }: { click: null; link: null }) => [click, link]),
    ).to.deep.equal([
      [null, null],
      [null, null],
    ]);
    expect(JSON.stringify(events)).to.not.match(/secret|cus-1|inv-1/);
  });

  it('find sales that earlier releases recorded', async () => {
    await aSaleOfALink();
    await db()('invoices').where({ project_id: world.projectId }).update({ event_id: null });
    expect((await refund({ amount: 500 })).body).to.include({ left: 1499 });
  });
});

describe('a conversion whose click was answered and is not stored', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  type Answered = Awaited<ReturnType<typeof world.api.post>>;

  /** Resolves with the status and error code of an answer or, after a 202, of its job. */
  async function outcomeOf(answering: Answered | Promise<Answered>) {
    const { status, body, headers } = await answering;
    if (status !== 202) return { status, code: body.error?.code ?? '' };
    let job: { status: string; error?: { code: string } } = { status: 'queued' };
    await eventually(async () => {
      job = (await world.api.get(headers.get('location')!)).body;
      expect(job.status).to.be.oneOf(['done', 'failed']);
    });
    return { status, code: job.error?.code ?? '' };
  }

  async function clicksOf(link: { key: string }, count: number): Promise<string[]> {
    const answers = Array.from({ length: count }, (_, n) =>
      world.visit(`/${link.key}`, { userAgent: browser(9_000 + n) }),
    );
    return (await Promise.all(answers)).map(
      ({ headers }) => new URL(headers.location!).searchParams.get('click_id')!,
    );
  }

  it('waits for it, as a sale does for its lead, while ids of no click are refused', async () => {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    stack().signal('worker_clicks', 'SIGSTOP');
    const sent: ReturnType<typeof outcomeOf>[] = [];
    const send = (route: string, body: object, options = {}) => {
      const answering = world.api.post(route, body, options);
      sent.push(outcomeOf(answering));
      return answering;
    };
    const sendLeadAndSale = async (customerExternalId: string, clickId: string) => {
      const lead = { customerExternalId, clickId, eventName: 'Sign up' };
      const { status } = await send('/track/lead', lead, { headers: { prefer: 'respond-async' } });
      expect(status).to.equal(202);
      void send('/track/sale', { ...SALE, customerExternalId, leadEventName: 'Sign up' });
    };
    let unknown: ReturnType<typeof outcomeOf>;
    try {
      const clickIds = await clicksOf(link, 30);
      const sending = clickIds.map(async (clickId, n) => {
        const customerExternalId = `cus-${n}`;
        if (n % 2 === 0) return sendLeadAndSale(customerExternalId, clickId);
        void send('/track/sale', { ...SALE, customerExternalId, clickId });
      });
      const other = { ...SALE, customerExternalId: 'other', clickId: `clk_${'0'.repeat(24)}` };
      unknown = outcomeOf(world.api.post('/track/sale', other));
      const impossible = await world.api.post('/track/sale', { ...other, clickId: 'clk_0' });
      expect([impossible.status, impossible.body.error.code]).to.deep.equal([404, 'not_found']);
      await Promise.all(sending);
      await delay(2_000);
    } finally {
      stack().signal('worker_clicks', 'SIGCONT');
    }
    for (const { status, code } of await Promise.all(sent)) {
      expect([200, 202]).to.include(status);
      expect(code).to.equal('');
    }
    expect((await unknown).code).to.equal('not_found');
    const { body: after } = await world.api.get(`/links/${link.id}`);
    // Half of the leads are recorded by direct sales.
    expect(after).to.include({ clicks: 30, leads: 30, sales: 30 });
  });
});

describe('customers', () => {
  it('are listed, updated and erased', async () => {
    const { api, projectId } = await aWorkspace();
    const bought = {
      ...SALE,
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
      invoiceId: 'inv-1',
      metadata: { address: 'secret street' },
    };
    const keyed = { headers: { 'idempotency-key': 'key' } };
    await api.post('/track/sale', bought, keyed);
    const refund = { invoiceId: 'inv-1', amount: 100, refundId: 're-1' };
    await api.post('/track/refund', { ...refund, metadata: { note: 'secret street' } });
    const [customer] = (await api.get('/customers', { search: 'ada@' })).body;
    expect(customer).to.include({ externalId: 'cus-1', name: 'Ada', email: 'ada@example.com' });
    expect((await api.get('/customers', { search: 'nobody' })).body).to.deep.equal([]);
    expect((await api.get('/customers/ext_cus-1')).body).to.deep.equal(customer);
    const changed = await api.patch(`/customers/${customer.id}`, { name: 'Ada L.', email: null });
    expect(changed.body).to.include({ name: 'Ada L.', email: null });
    expect((await api.patch(`/customers/${customer.id}`, { email: 'x' })).status).to.equal(422);

    expect((await api.delete('/customers/ext_cus-1')).body).to.deep.equal({ id: customer.id });
    expect((await api.get(`/customers/${customer.id}`)).status).to.equal(404);
    expect((await api.get('/analytics')).body).to.include({ sales: 1, saleAmount: 1999 - 100 });
    const [event] = (await api.get('/events', { event: 'sales' })).body;
    expect([event.customer, event.metadata]).to.deep.equal([null, null]);
    const tables = ['events', 'customers', 'invoices', 'refunds', 'jobs'];
    for (const table of tables) {
      const rows = JSON.stringify(await db()(table).where({ project_id: projectId }));
      expect(rows, table).not.to.match(/Ada|ada@|secret street/);
    }
    const again = await api.post('/track/sale', bought, keyed);
    expect([again.status, again.body.error.message]).to.deep.equal([
      404,
      'The customer has been forgotten',
    ]);
  });
});

describe('a sale in US dollars', () => {
  it('needs no exchange rates: it is recorded while worker_currency is stopped', async () => {
    const { api } = await aWorkspace();
    stack().signal('worker_currency', 'SIGSTOP');
    try {
      for (const currency of [{}, { currency: 'usd' }, { currency: 'USD' }]) {
        expect((await api.post('/track/sale', { ...SALE, ...currency })).status).to.equal(200);
      }
    } finally {
      stack().signal('worker_currency', 'SIGCONT');
    }
  });
});

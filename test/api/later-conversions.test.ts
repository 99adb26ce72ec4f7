import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { pino } from 'pino';
import { conversionMaintenanceHandlers } from '../../src/conversions/convert-later.ts';
import { readRates } from '../../src/currency/read.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://shop.example/';
const DAY_MS = 86_400_000;
const FILE = readFileSync('test/data/eurofxref-daily.xml', 'utf8');

describe('conversions that are reported later', () => {
  let world: World;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const track = (kind: string, body: object) => world.api.post(`/track/${kind}`, body);
  const sale = (fields: object = {}) =>
    track('sale', { customerExternalId: 'cus-1', amount: 100, ...fields });

  async function aClick(): Promise<{ clickId: string; link: { id: string } }> {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    visitor += 1;
    const { headers } = await world.visit(`/${link.key}`, { userAgent: browser(visitor) });
    return { link, clickId: new URL(headers.location!).searchParams.get('click_id')! };
  }

  it('have the time that they are sent with, also weeks ago', async () => {
    const { clickId } = await aClick();
    const days = [1, 40, 89];
    for (const age of days) {
      const timestamp = new Date(Date.now() - age * DAY_MS).toISOString();
      const lead = { clickId, customerExternalId: `cus-${age}`, eventName: 'Sign up', timestamp };
      expect((await track('lead', lead)).status).to.equal(200);
      expect((await sale({ customerExternalId: `cus-${age}`, timestamp })).status).to.equal(200);
      for (const event of ['leads', 'sales']) {
        const query = { event, interval: 'all', order: 'asc' } as const;
        const [oldest] = (await world.api.get('/events', query)).body;
        expect(oldest.timestamp, event).to.equal(timestamp);
      }
    }
    const { body: all } = await world.api.get('/analytics', { interval: 'all' });
    expect(all).to.include({ leads: 3, sales: 3, saleAmount: 300 });
    expect((await world.api.get('/analytics', { interval: '30d' })).body).to.include({ sales: 1 });
  });

  it('belong to the latest click of the customer, if leads name none', async () => {
    const [first, second] = [await aClick(), await aClick()];
    const lead = { customerExternalId: 'cus-1', eventName: 'Sign up' };
    for (const { clickId } of [first, second, first]) {
      await track('lead', { ...lead, clickId, deferred: true });
    }
    const { status, body } = await track('lead', lead);
    expect([status, body.clickId, body.linkId]).to.deep.equal([
      200,
      second.clickId,
      second.link.id,
    ]);
    const third = await aClick();
    await sale({ clickId: third.clickId });
    expect((await track('lead', { ...lead, eventName: 'Trial' })).body.clickId).to.equal(
      third.clickId,
    );
    // Customers of earlier releases have no latest click of their own.
    await db()('customers').where({ project_id: world.projectId }).update({ last_click_id: null });
    expect((await track('lead', { ...lead, eventName: 'Paid' })).body.clickId).to.equal(
      third.clickId,
    );
  });

  it('have names and invoices without spaces around them', async () => {
    const first = await sale({ invoiceId: ' inv-1\t', eventName: ' Order ' });
    expect(first.body).to.include({ invoiceId: 'inv-1', eventName: 'Order' });
    const again = await sale({ invoiceId: 'inv-1', eventName: 'Order' });
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect((await track('refund', { invoiceId: 'inv-1 ' })).status).to.equal(200);
  });

  it('have the decimals of Stripe, if it is the payment processor', async () => {
    // 500 are 5 krónur, 3.59 cents.
    const paid = { amount: 500, currency: 'isk' };
    expect((await sale({ ...paid, paymentProcessor: 'stripe' })).body.amount).to.equal(4);
    expect((await sale(paid)).body.amount).to.equal(359);
    // So do refunds, and those of a sale that an earlier release recorded have the decimals of then.
    const [recent, earlier] = ['inv-1', 'inv-2'].map((invoiceId) => ({ ...paid, invoiceId }));
    await sale({ ...recent, paymentProcessor: 'stripe' });
    await sale(earlier);
    await db().raw(
      `UPDATE events SET sale = sale - 'decimals' || '{"paymentProcessor": "stripe"}'
        WHERE project_id = ? AND sale->>'invoiceId' = 'inv-2'`,
      [world.projectId],
    );
    for (const [invoiceId, amount] of [
      ['inv-1', 4],
      ['inv-2', 359],
    ]) {
      expect((await track('refund', { invoiceId })).body).to.include({ amount, left: 0 });
    }
  });
});

describe('a sale in a currency without a rate', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const run = () =>
    conversionMaintenanceHandlers[0]!.run(
      {},
      { jobId: newId('job'), projectId: '', isRepeat: false, log: pino({ level: 'silent' }) },
    );

  /** Publishes the rates of the European Central Bank, together with some of other currencies. */
  async function withRates(others: Record<string, string>, test: () => Promise<void>) {
    const { perBase } = readRates(FILE, 'ecb');
    const stored = await db()('rates').select('currency', 'per_base', 'day', 'source');
    expect(stored.map(({ currency }) => currency)).to.include.members([...perBase.keys()]);
    const { day, source } = stored[0]!;
    const added = Object.entries(others).map(([currency, per_base]) => ({ currency, per_base }));
    await db()('rates').insert(added.map((row) => ({ ...row, day, source })));
    try {
      await test();
    } finally {
      await db()('rates').whereIn('currency', Object.keys(others)).delete();
    }
  }

  it('is kept, counts, and gets its amount once there is a rate; so do its refunds', async () => {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    const { headers } = await world.visit(`/${link.key}`);
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    const paid = { customerExternalId: 'cus-1', clickId, amount: 3_673, currency: 'aed' };
    const { status, body } = await world.api.post('/track/sale', { ...paid, invoiceId: 'inv-1' });
    expect(status).to.equal(200);
    expect(body)
      .to.include({ amount: 0, pending: true, currency: 'usd' })
      .and.not.property('rateDate');
    const again = await world.api.post('/track/sale', { ...paid, invoiceId: 'inv-1' });
    expect([again.status, again.body]).to.deep.equal([200, body]);
    const refund = await world.api.post('/track/refund', { invoiceId: 'inv-1', amount: 1_000 });
    expect(refund.body).to.include({ amount: 0, pending: true, left: 2_673 });
    const [event] = (await world.api.get('/events', { event: 'sales' })).body;
    expect(event.sale).to.include({ amount: 0, pending: true });
    const numbers = async () => (await world.api.get('/analytics')).body;
    expect(await numbers()).to.include({ sales: 1, refunds: 1, saleAmount: 0, refundAmount: 0 });

    await run();
    expect(await numbers()).to.include({ saleAmount: 0 });
    // 3,673 dirhams are 1,000 dollars and a euro 1.0705 dollars.
    await withRates({ AED: '3.9319465' }, async () => {
      await Promise.all([run(), run()]);
      await eventually(async () => {
        expect(await numbers()).to.include({ saleAmount: 728, refundAmount: 272 });
      });
      await run();
    });
    const [sold] = (await world.api.get('/events', { event: 'sales' })).body;
    expect(sold.sale).to.include({ amount: 1_000 }).and.not.property('pending');
    expect((await world.api.get(`/links/${link.id}`)).body).to.include({
      sales: 1,
      saleAmount: 728,
      refundAmount: 272,
    });
    const rest = await world.api.post('/track/refund', { invoiceId: 'inv-1' });
    expect(rest.body).to.include({ amount: 728, left: 0 });
    expect(await numbers()).to.include({ saleAmount: 0, refundAmount: 1_000, refunds: 2 });
    const waiting = await db()('pending_amounts').where({ project_id: world.projectId });
    expect(waiting).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { announcedBy, type RecordEvents } from '../../src/conversions/announced.ts';
import { mergeCustomers } from '../../src/customers/merge.ts';
import type { EventRow } from '../../src/events/event.ts';
import { newId } from '../../src/ids.ts';
import { type Db, db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://shop.example/';

describe('merged customers', () => {
  let world: World;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const sale = (customerExternalId: string, fields: object = {}) =>
    world.api.post('/track/sale', { customerExternalId, amount: 100, ...fields });
  const merge = (customerIds: string[], into: string) =>
    world.api.post('/customers/merge', { customerIds, into });
  const customer = async (ref: string) =>
    (await world.api.get(`/customers/${ref}`, { withSales: 'true' })).body;

  /** Records a lead of a new visitor, and resolves with their click. */
  async function aLead(customerExternalId: string, fields: object = {}): Promise<string> {
    const { body: link } = await world.api.post('/links', { url: A, trackConversion: true });
    visitor += 1;
    const { headers } = await world.visit(`/${link.key}`, {
      userAgent: browser(visitor),
      headers: { 'x-forwarded-for': '192.0.2.1' },
    });
    const clickId = new URL(headers.location!).searchParams.get('click_id')!;
    const lead = { clickId, customerExternalId, eventName: 'Sign up', ...fields };
    expect((await world.api.post('/track/lead', lead)).status).to.equal(200);
    return clickId;
  }

  it('leave one, with the events, invoices, details and external ids of all', async () => {
    const clickId = await aLead('guest', { customerEmail: 'ada@example.com' });
    await sale('guest', { invoiceId: 'inv-1' });
    await sale('user', { customerName: 'Ada', invoiceId: 'inv-2' });
    const { id: guest } = await customer('ext_guest');
    const { id: user } = await customer('ext_user');

    const { status, body } = await merge(['ext_guest'], user);
    expect(status).to.equal(200);
    expect(body).to.include({ id: user, externalId: 'user', name: 'Ada' });
    expect(body).to.include({ email: 'ada@example.com', country: 'DE' });
    for (const ref of ['ext_guest', 'ext_user', guest, user]) {
      expect(await customer(ref), ref).to.include({ id: user, sales: 2, saleAmount: 200 });
    }
    expect((await world.api.get('/customers')).body).to.have.lengthOf(1);
    const named = (await world.api.get('/customers', { externalId: 'ext_guest' })).body;
    expect(named.map(({ id }: { id: string }) => id)).to.deep.equal([user]);
    for (const event of ['leads', 'sales']) {
      const events = (await world.api.get('/events', { event })).body;
      for (const one of events) expect(one.customer.id, event).to.equal(user);
    }
    // The lead of the merged customer, and their click.
    await sale('user', { invoiceId: 'inv-3' });
    const [newest] = (await world.api.get('/events', { event: 'sales' })).body;
    expect(newest.click.id).to.equal(clickId);
    expect((await world.api.post('/track/refund', { invoiceId: 'inv-1' })).body).to.include({
      customerId: 'user',
      left: 0,
    });
  });

  it('are found by leads and sales with their earlier external ids', async () => {
    await aLead('guest');
    await sale('user');
    await merge(['ext_guest'], 'ext_user');
    expect((await sale('guest')).body.customerId).to.equal('guest');
    await aLead('guest');
    await Promise.all(Array.from({ length: 5 }, () => sale('guest', { customerName: 'Ada' })));
    expect((await world.api.get('/customers')).body).to.have.lengthOf(1);
    expect(await customer('ext_user')).to.include({ sales: 7, name: 'Ada' });
    const taken = await world.api.post('/customers', { externalId: 'guest' });
    expect([taken.status, taken.body.error.message]).to.deep.equal([
      409,
      'externalId "guest" belongs to another customer',
    ]);
  });

  it('can be merged again, several at once, and a repeat changes nothing', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await sale(name);
    await merge(['ext_a'], 'ext_b');
    const first = await merge(['ext_b', 'ext_c'], 'ext_d');
    const again = await merge(['ext_a', 'ext_b', 'ext_c'], 'ext_d');
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await customer(`ext_${name}`)).to.include({ externalId: 'd', sales: 4 });
    }
  });

  it('lose no sale that is sent during the merge', async () => {
    await Promise.all(['a', 'b'].map((name) => sale(name)));
    const sending = Array.from({ length: 20 }, (_, n) => sale(n % 2 === 0 ? 'a' : 'b'));
    const merging = merge(['ext_a'], 'ext_b');
    expect((await merging).status).to.equal(200);
    for (const { status } of await Promise.all(sending)) expect(status).to.equal(200);
    expect(await customer('ext_a')).to.include({ externalId: 'b', sales: 22 });
    expect((await world.api.get('/customers')).body).to.have.lengthOf(1);
  });

  it('are erased together', async () => {
    await sale('guest', { customerName: 'Ada', invoiceId: 'inv-1' });
    await sale('user');
    await merge(['ext_guest'], 'ext_user');
    expect((await world.api.delete('/customers/ext_guest')).status).to.equal(200);
    for (const ref of ['ext_guest', 'ext_user']) {
      expect((await world.api.get(`/customers/${ref}`)).status).to.equal(404);
    }
    for (const table of ['customers', 'customer_aliases', 'events', 'invoices', 'jobs']) {
      const rows = await db()(table).where({ project_id: world.projectId });
      expect(JSON.stringify(rows), table).to.not.match(/Ada|guest/);
    }
    expect((await world.api.get('/analytics')).body).to.include({ sales: 2, saleAmount: 200 });
  });

  it('keep a first click whose time is known before one without a time', async () => {
    await aLead('imported');
    const clickId = await aLead('user');
    // As after the import of an archive without times of first clicks.
    const { id } = await customer('ext_imported');
    await db()('customers').where({ id }).update({ first_click_at: null, first_click: null });
    const { body } = await merge(['ext_user'], 'ext_imported');
    expect(body.firstClick).to.include({ id: clickId });
    expect(body.firstClick.timestamp).to.be.a('string');
  });

  describe('in the transaction of conversions', () => {
    const inTransaction = (command: (trx: Db, recordEvents: RecordEvents) => Promise<unknown>) =>
      announcedBy((run) => db().transaction(run), command);
    const saleOf = (customerId: string): EventRow =>
      anEvent(world.projectId, {
        id: newId('event'),
        occurred_at: new Date().toISOString(),
        event: 'sale',
        customer_id: customerId,
        amount_cents: 100,
      });

    it('are counted last, so that no other conversion of a customer waits meanwhile', async () => {
      await sale('user');
      const { projectId } = world;
      const { id: customerId } = await customer('ext_user');
      const at = new Date(Date.now() + 60_000);
      await inTransaction(async (_trx, recordEvents) => {
        await recordEvents([], { projectId, customerId, at });
        await recordEvents([saleOf(customerId)]);
        await inTransaction((_other, record) => record([saleOf(customerId)]));
        await recordEvents([saleOf(customerId)]);
      });
      expect(await customer('ext_user')).to.include({
        sales: 4,
        saleAmount: 400,
        lastSeenAt: at.toISOString(),
      });
    });

    it('are counted for those into whom they are merged after it', async () => {
      for (const name of ['a', 'b', 'c']) await sale(name);
      const ids = await Promise.all(['a', 'b', 'c'].map((name) => customer(`ext_${name}`)));
      const [a, b, c] = ids.map(({ id }) => id as string) as [string, string, string];
      await inTransaction(async (trx, recordEvents) => {
        await recordEvents([saleOf(a), saleOf(b), saleOf(c)]);
        await mergeCustomers(trx, world.projectId, [a, b], c);
      });
      expect(await customer('ext_a')).to.include({ id: c, sales: 6, saleAmount: 600 });
    });
  });

  it('are refused into themselves, and if one does not exist', async () => {
    await sale('a');
    await sale('b');
    const { id } = await customer('ext_a');
    const refused = async (customerIds: string[], into: string) => {
      const { status, body } = await merge(customerIds, into);
      return [status, body.error.message];
    };
    expect(await refused(['ext_a'], id)).to.deep.equal([
      422,
      'customerIds must not contain "ext_a", the customer that remains',
    ]);
    expect(await refused(['ext_b', id], id)).to.deep.equal([
      422,
      `customerIds must not contain "${id}", the customer that remains`,
    ]);
    expect(await refused(['ext_b', 'ext_x'], id)).to.deep.equal([
      404,
      'There is no customer "ext_x"',
    ]);
    expect(await refused(['ext_b'], 'cus_x')).to.deep.equal([404, 'There is no customer "cus_x"']);
    expect((await refused([], id))[0]).to.equal(422);
    expect((await world.api.get('/customers')).body).to.have.lengthOf(2);
  });
});

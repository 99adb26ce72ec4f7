import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { conversionMaintenanceHandlers } from '../../src/conversions/convert-later.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { archiveOf, changed, taken } from '../support/archives.ts';
import { browser } from '../support/browser.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://shop.example/';
const DAY_MS = 86_400_000;

interface Customer {
  id: string;
  externalId: string;
  leads: number;
  sales: number;
  saleAmount: number;
  refundAmount: number;
  lastSeenAt: string | null;
  firstClick: { id: string; timestamp: string } | null;
}

describe('customers', () => {
  let world: World;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const track = async (kind: string, body: object) => {
    const answer = await world.api.post(`/track/${kind}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const customer = async (externalId: string): Promise<Customer> =>
    (await world.api.get(`/customers/ext_${externalId}`)).body;
  const list = async (query: Record<string, string | number | string[]> = {}) => {
    const { status, body } = await world.api.get('/customers', query);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as Customer[]).map(({ externalId }) => externalId);
  };

  async function aLink(): Promise<{ id: string; key: string; shortLink: string }> {
    return (await world.api.post('/links', { url: A, trackConversion: true })).body;
  }

  async function click(link: { key: string }, headers: Record<string, string> = {}) {
    visitor += 1;
    const answer = await world.visit(`/${link.key}`, {
      userAgent: browser(visitor),
      headers: { 'x-forwarded-for': '192.0.2.1', ...headers },
    });
    return new URL(answer.headers.location!).searchParams.get('click_id')!;
  }

  /** Converts amounts in dirhams, which have no rate otherwise. */
  async function convertDirhams(): Promise<void> {
    const [rate] = await db()('rates').select('day', 'source').limit(1);
    await db()('rates')
      .insert({ currency: 'AED', per_base: '3.9319465', ...rate })
      .onConflict('currency')
      .merge();
    const job = { jobId: newId('job'), projectId: '', isRepeat: false };
    try {
      await conversionMaintenanceHandlers[0]!.run({}, { ...job, log: pino({ level: 'silent' }) });
    } finally {
      await db()('rates').where({ currency: 'AED' }).delete();
    }
  }

  it('have revenue, leads, sales, their first click and the time they were last seen', async () => {
    const link = await aLink();
    const clickId = await click(link, { referer: 'https://www.google.com/' });
    await track('lead', { clickId, customerExternalId: 'c', eventName: 'Sign up' });
    await track('sale', { customerExternalId: 'c', amount: 1_000, invoiceId: 'inv-1' });
    await track('sale', { customerExternalId: 'c', amount: 500, invoiceId: 'inv-2' });
    await track('refund', { invoiceId: 'inv-1', amount: 300 });
    const found = await customer('c');
    expect(found).to.include({ leads: 1, sales: 2, saleAmount: 1_200, refundAmount: 300 });
    expect(found.firstClick).to.deep.include({
      id: clickId,
      linkId: link.id,
      shortLink: link.shortLink,
      country: 'DE',
      source: 'Google',
    });
    const sales = (await world.api.get('/events', { event: 'sales' })).body;
    expect(found.lastSeenAt).to.equal(sales[0].timestamp);
    const [click_] = (await world.api.get('/events', { event: 'clicks' })).body;
    expect(found.firstClick!.timestamp).to.equal(click_.timestamp);
    expect((await world.api.get('/customers')).body).to.deep.equal([found]);
    const changed = await world.api.patch(`/customers/${found.id}`, { name: 'Ada' });
    expect(changed.body).to.deep.equal({
      ...found,
      name: 'Ada',
      updatedAt: changed.body.updatedAt,
    });
  });

  it('have none of these before they do anything', async () => {
    const { body } = await world.api.post('/customers', { externalId: 'c' });
    expect(body).to.include({ leads: 0, sales: 0, saleAmount: 0, refundAmount: 0 });
    expect(body).to.include({ firstClick: null, lastSeenAt: null });
    expect(await customer('c')).to.deep.equal(body);
  });

  it('keep the earliest click, whichever is reported first, also over merges', async () => {
    const link = await aLink();
    const clicks = [await click(link), await click(link), await click(link)];
    for (const [n, clickId] of clicks.entries()) {
      const at = new Date(Date.now() - (10 - n) * DAY_MS);
      await db()('events').where({ id: clickId }).update({ occurred_at: at });
    }
    const [first, second, third] = clicks;
    const lead = { eventName: 'Sign up' };
    await track('lead', { ...lead, customerExternalId: 'c', clickId: second });
    await track('lead', { ...lead, customerExternalId: 'c', clickId: third });
    expect((await customer('c')).firstClick!.id).to.equal(second);
    await track('lead', { ...lead, customerExternalId: 'c', clickId: first });
    expect((await customer('c')).firstClick!.id).to.equal(first);
    await track('lead', { ...lead, customerExternalId: 'later', clickId: third });
    await world.api.post('/customers/merge', { customerIds: ['ext_c'], into: 'ext_later' });
    expect((await customer('later')).firstClick!.id).to.equal(first);
    // The click is no longer stored, and the customer keeps it.
    await db()('events').where({ id: first }).delete();
    expect((await customer('c')).firstClick!.id).to.equal(first);
  });

  it('were seen at a click whose lead comes later', async () => {
    const clickId = await click(await aLink());
    const deferred = { clickId, customerExternalId: 'c', eventName: 'Sign up', deferred: true };
    await track('lead', deferred);
    const [{ timestamp }] = (await world.api.get('/events')).body;
    expect(await customer('c')).to.include({ leads: 0, lastSeenAt: timestamp });
    const early = new Date(Date.now() - DAY_MS).toISOString();
    await track('sale', { customerExternalId: 'c', amount: 1, timestamp: early });
    expect(await customer('c')).to.include({ sales: 1, lastSeenAt: timestamp });
  });

  it('count as their events, after refunds, late amounts, merges, resets and erasures', async () => {
    const names = ['a', 'b', 'c'];
    const invoices = new Set<string>();
    const links = [await aLink(), await aLink()];
    const steps = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          step: fc.constant('sale'),
          who: fc.nat(2),
          amount: fc.nat(900),
          isLate: fc.boolean(),
          isForeign: fc.boolean(),
          link: fc.option(fc.nat(1)),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ step: fc.constant('lead'), who: fc.nat(2), link: fc.nat(1) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          step: fc.constant('refund'),
          invoice: fc.nat(),
          amount: fc.option(fc.integer({ min: 1, max: 99 })),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ step: fc.constant('merge'), who: fc.nat(2), into: fc.nat(2) }),
      },
      { weight: 1, arbitrary: fc.record({ step: fc.constant('reset'), link: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ step: fc.constant('erase'), who: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ step: fc.constant('convert') }) },
    );
    type Step = Record<string, number | boolean | string | null | undefined>;
    const run = async (step: Step): Promise<void> => {
      const { api } = world;
      const customerExternalId = names[Number(step['who'] ?? 0)]!;
      const link = links[Number(step['link'] ?? 0)]!;
      switch (String(step['step'])) {
        case 'sale': {
          const invoiceId = `inv-${invoices.size}`;
          invoices.add(invoiceId);
          const clickId = step['link'] == null ? undefined : await click(link);
          const at = Date.now() - (step['isLate'] === true ? DAY_MS : 0);
          const currency = step['isForeign'] === true ? 'aed' : 'usd';
          const times = { timestamp: new Date(at).toISOString() };
          await api.post('/track/sale', {
            customerExternalId,
            amount: step['amount'],
            invoiceId,
            currency,
            clickId,
            ...times,
          });
          return;
        }
        case 'lead':
          await api.post('/track/lead', {
            customerExternalId,
            eventName: `${Math.random()}`,
            clickId: await click(link),
          });
          return;
        case 'refund': {
          const invoiceId = `inv-${Number(step['invoice']) % Math.max(1, invoices.size)}`;
          await api.post('/track/refund', { invoiceId, amount: step['amount'] ?? undefined });
          return;
        }
        case 'merge': {
          const into = `ext_${names[Number(step['into'])]!}`;
          await api.post('/customers/merge', { customerIds: [`ext_${customerExternalId}`], into });
          return;
        }
        case 'erase':
          await api.delete(`/customers/ext_${customerExternalId}`);
          return;
        case 'convert':
          await convertDirhams();
          return;
        default:
          await api.post(`/links/${link.id}/reset`);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 14 }), async (all) => {
        // Two at a time, so that they also run at once.
        for (let n = 0; n < all.length; n += 2) {
          await Promise.all(all.slice(n, n + 2).map((step) => run(step)));
        }
        const { body } = await world.api.get('/customers');
        const stored = await eventsStore().sumCustomers(
          db(),
          world.projectId,
          (body as Customer[]).map(({ id }) => id),
        );
        for (const one of body as Customer[]) {
          const sums = stored.get(one.id);
          expect(one, JSON.stringify(all)).to.include({
            leads: sums?.leads ?? 0,
            sales: sums?.sales ?? 0,
            saleAmount: sums?.saleAmountCents ?? 0,
            refundAmount: sums?.refundAmountCents ?? 0,
          });
        }
      }),
      { numRuns: 8 },
    );
  });

  describe('in a list', () => {
    const amounts = [500, 0, 500, 100, 2_000, 0, 100];

    beforeEach(async () => {
      for (const [n, amount] of amounts.entries()) {
        const country = [null, 'DE', 'FR'][n % 3];
        const details = {
          externalId: `c${n}`,
          name: `Name ${n}`,
          email: `c${n}@example.com`,
          country,
        };
        await world.api.post('/customers', details);
        const timestamp = new Date(Date.now() - n * DAY_MS).toISOString();
        if (amount > 0) await track('sale', { customerExternalId: `c${n}`, amount, timestamp });
      }
    });

    it('are sorted by each field, page by page', async () => {
      const valueOf: Record<string, (one: Customer) => number | string> = {
        createdAt: ({ id }) => id,
        saleAmount: ({ saleAmount }) => saleAmount,
        sales: ({ sales }) => sales,
        leads: ({ leads }) => leads,
        lastSeenAt: ({ lastSeenAt }) => lastSeenAt ?? '',
        firstClick: ({ firstClick }) => firstClick?.timestamp ?? '',
        country: (one) => (one as unknown as { country: string | null }).country ?? '',
      };
      for (const [sortBy, value] of Object.entries(valueOf)) {
        for (const sortOrder of ['asc', 'desc']) {
          const sign = sortOrder === 'asc' ? 1 : -1;
          const { body } = await world.api.get('/customers', { sortBy, sortOrder });
          const expected = (body as Customer[]).toSorted(
            (a, b) =>
              sign *
              (value(a) < value(b) ? -1 : Number(value(a) > value(b)) || (a.id < b.id ? -1 : 1)),
          );
          expect(body, `${sortBy} ${sortOrder}`).to.deep.equal(expected);
          const pages: Customer[] = [];
          for (let after: string | null = ''; after !== null; ) {
            const query: Record<string, string> = { sortBy, sortOrder, pageSize: '2' };
            if (after !== '') query['after'] = after;
            const page = await world.api.get('/customers', query);
            expect(page.status, JSON.stringify(page.body)).to.equal(200);
            pages.push(...page.body);
            after = page.headers.get('x-next-cursor');
          }
          expect(pages, `${sortBy} ${sortOrder}`).to.deep.equal(body);
        }
      }
    });

    it('are filtered by revenue, country, time and text', async () => {
      expect(await list({ minSaleAmount: 500 })).to.deep.equal(['c4', 'c2', 'c0']);
      expect(await list({ minSaleAmount: 100, maxSaleAmount: 499 })).to.deep.equal(['c6', 'c3']);
      expect(await list({ maxSaleAmount: 0 })).to.deep.equal(['c5', 'c1']);
      expect(await list({ country: 'DE' })).to.deep.equal(['c4', 'c1']);
      expect(await list({ country: 'FR,Unknown' })).to.deep.equal(['c6', 'c5', 'c3', 'c2', 'c0']);
      const seenSince = new Date(Date.now() - 3.5 * DAY_MS).toISOString();
      expect(await list({ seenSince })).to.deep.equal(['c3', 'c2', 'c0']);
      expect(await list({ search: 'NAME 4' })).to.deep.equal(['c4']);
      expect(await list({ search: 'c5@exa' })).to.deep.equal(['c5']);
      expect(await list({ search: 'c', sortBy: 'saleAmount', pageSize: 1 })).to.deep.equal(['c4']);
      const combined = {
        country: ['DE', 'FR'],
        minSaleAmount: 1,
        sortBy: 'saleAmount',
        sortOrder: 'asc',
      };
      expect(await list(combined)).to.deep.equal(['c2', 'c4']);
      expect(await list({ search: '%' })).to.deep.equal([]);
    });

    it('are refused with other fields, values and positions', async () => {
      const [{ id }] = (await world.api.get('/customers')).body;
      const refused: [query: Record<string, string>, message: RegExp][] = [
        [{ sortBy: 'name' }, /^sortBy must be one of/],
        [{ sortOrder: 'up' }, /^sortOrder must be one of/],
        [{ minSaleAmount: '1.5' }, /^minSaleAmount must be an integer/],
        [{ maxSaleAmount: '1e3' }, /^maxSaleAmount must be/],
        [{ minSaleAmount: '99999999999999999999' }, /^minSaleAmount must be/],
        [{ country: 'XX' }, /^country(?:\[0])? must be one of/],
        [{ seenSince: 'yesterday' }, /^seenSince must be/],
        [{ sortBy: 'saleAmount', after: id }, /^after must be the cursor of a page in this order/],
        [{ sortBy: 'saleAmount', before: id }, /^before must not be given with another order/],
        [{ sortOrder: 'asc', before: id }, /^before must not be given with another order/],
        [{ revenue: '1' }, /^revenue is not a known/],
      ];
      for (const [query, message] of refused) {
        const { status, body } = await world.api.get('/customers', query);
        expect([status, body.error?.message], JSON.stringify(query)).to.satisfy(
          ([code, text]: [number, string]) => code === 422 && message.test(text),
        );
      }
    });
  });

  it('have their first click after the import of an archive that lacks it', async () => {
    const link = await aLink();
    const clickId = await click(link);
    await track('lead', { clickId, customerExternalId: 'user', eventName: 'Sign up' });
    await track('sale', { clickId: await click(link), customerExternalId: 'user', amount: 50 });
    const gone = await click(link);
    await track('lead', { clickId: gone, customerExternalId: 'gone', eventName: 'Sign up' });
    const archive = changed(await archiveOf(world), (lines) => {
      for (const { data } of lines.filter(({ kind }) => kind === 'customer')) {
        delete data.firstClickAt;
        delete data.firstClick;
      }
      const at = lines.findIndex(({ data }) => data?.id === gone);
      lines.splice(at, 1);
      lines[0].counts.event -= 1;
    });
    const target = await aWorkspace();
    const done = await taken(target, archive);
    expect([done.state, done.errors]).to.deep.equal(['done', []]);
    const read = async ({ api }: World, name: string) =>
      (await api.get(`/customers/ext_${name}`)).body.firstClick;
    const { id: _, linkId: __, shortLink: ___, ...known } = await read(world, 'user');
    expect(await read(target, 'user')).to.deep.include(known);
    // The time of a click that is not in the archive is that of its lead.
    const { body: leads } = await world.api.get('/events', { event: 'leads', interval: 'all' });
    const lead = leads.find((one: { customer: Customer }) => one.customer.externalId === 'gone');
    expect((await read(target, 'gone')).timestamp).to.equal(lead.timestamp);
  });

  describe('have a timeline', () => {
    const timeline = async (ref: string, query: Record<string, string> = {}) => {
      const answer = await world.api.get(`/customers/${ref}/timeline`, query);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return answer;
    };

    it('of clicks, leads, sales, refunds and merges, newest first, page by page', async () => {
      const link = await aLink();
      const clickId = await click(link);
      await track('lead', { clickId, customerExternalId: 'guest', eventName: 'Sign up' });
      await track('sale', { customerExternalId: 'guest', amount: 100, invoiceId: 'inv-1' });
      const second = await click(link);
      await track('sale', { clickId: second, customerExternalId: 'user', amount: 50 });
      await world.api.post('/customers/merge', { customerIds: ['ext_guest'], into: 'ext_user' });
      await track('refund', { invoiceId: 'inv-1' });
      const { body } = await timeline('ext_user');
      const kinds = body.map(({ event }: { event: string }) => event);
      const all = [
        'click',
        'lead',
        'sale',
        'click',
        'lead',
        'sale',
        'merge',
        'refund',
      ].toReversed();
      // A direct sale and its lead have one time.
      expect(kinds.toSorted()).to.deep.equal(all.toSorted());
      expect([kinds[0], kinds[1], kinds.at(-1)]).to.deep.equal(['refund', 'merge', 'click']);
      expect(body[1]).to.include({ externalId: 'guest' });
      const times = body.map(({ timestamp }: { timestamp: string }) => timestamp);
      expect(times).to.deep.equal(times.toSorted().toReversed());
      const pages: object[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page = await timeline('ext_user', {
          pageSize: '3',
          ...(after === '' ? {} : { after }),
        });
        pages.push(...page.body);
        after = page.headers.get('x-next-cursor');
      }
      expect(pages).to.deep.equal(body);
      expect((await timeline('ext_user', { pageSize: '3', page: '2' })).body).to.deep.equal(
        body.slice(3, 6),
      );
    });

    it('that is empty for a new customer, and missing for none', async () => {
      const { body } = await world.api.post('/customers', { externalId: 'new' });
      expect((await timeline(body.id)).body).to.deep.equal([]);
      expect((await world.api.get('/customers/ext_none/timeline')).status).to.equal(404);
      const reader = await world.withScopes('customers.read');
      expect((await reader.get(`/customers/${body.id}/timeline`)).status).to.equal(403);
    });
  });
});

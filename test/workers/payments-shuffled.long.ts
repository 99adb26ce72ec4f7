import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { paymentHandlers } from '../../src/integrations/commands.ts';
import { readStripe } from '../../src/integrations/stripe.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aCustomerOf, EXPECTED } from '../support/payments.ts';
import { bodyOf, FakeStripe } from '../support/stripe.ts';
import { aWorkspace, type World } from '../support/world.ts';

const log = pino({ level: 'silent' });
/** Number of orders in which the deliveries come. */
const RUNS = 60;

describe('payments in every order', () => {
  let world: World;
  let visitor = 0;

  before(async () => {
    world = await aWorkspace();
  });

  async function aClick() {
    const body = { url: 'https://shop.example/', trackConversion: true };
    const { body: link } = await world.api.post('/links', body);
    visitor += 1;
    const visited = await world.visit(`/${link.key}`, { userAgent: browser(visitor) });
    const { status, headers } = visited;
    expect(status, JSON.stringify([link, visited])).to.equal(302);
    const clickId = new URL(headers.location!).searchParams.get('click_id')!;
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    });
    return { link, clickId };
  }

  /** Runs the job of a delivery, as its worker does. */
  const receive = (event: object) => {
    const { run } = paymentHandlers.find(({ job }) => job.name === 'payment.receive')!;
    const data = { id: 'int_1', type: 'stripe', facts: readStripe(event as never) };
    return run(data, { jobId: newId('job'), projectId: world.projectId, isRepeat: false, log });
  };

  it('have the same sums and counts', async () => {
    const numbers = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
    const property = fc.asyncProperty(numbers, fc.nat({ max: 20 }), async (order, repeats) => {
      const { link, clickId } = await aClick();
      const all = aCustomerOf(new FakeStripe(), clickId);
      const sent = [...all, ...all.slice(0, repeats)];
      const shuffled = sent
        .map((event, n) => ({ event, at: order[n]! }))
        .toSorted((a, b) => a.at - b.at);
      for (const { event } of shuffled) await receive(JSON.parse(bodyOf(event)));
      const query = { linkId: link.id, interval: 'all' };
      expect((await world.api.get('/analytics', query)).body).to.include(EXPECTED);
      const waiting = db()('payment_facts').where({ project_id: world.projectId });
      expect(await waiting.whereNull('done_at')).to.deep.equal([]);
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });
});

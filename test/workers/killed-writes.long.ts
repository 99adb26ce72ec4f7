import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { staggered, whileKilling } from '../support/while-killing.ts';
import { aWorkspace } from '../support/world.ts';

describe('while workers are killed', () => {
  it('POST /links with an Idempotency-Key creates one link for each key', async () => {
    const { api } = await aWorkspace();
    const create = (key: string) =>
      api.post('/links', { url: 'https://example.com/a' }, { headers: { 'idempotency-key': key } });
    const statuses = await whileKilling(['worker_writes'], () =>
      staggered(60, 50, async (n) => (await create(`key-${n % 20}`)).status),
    );
    expect(statuses.filter((status) => ![201, 202].includes(status))).to.deep.equal([]);
    const ids = await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(`key-${n}`)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
      return answers.map(({ body }) => body.id);
    });
    expect(new Set(ids).size).to.equal(20);
    expect((await api.get('/links')).body).to.have.lengthOf(20);
  });

  it('POST /track/sale records a sale once', async () => {
    const { api } = await aWorkspace();
    const sale = {
      customerExternalId: 'cus-1',
      amount: 1999,
      currency: 'jpy',
      invoiceId: 'inv-1',
    };
    const statuses = await whileKilling(['worker_writes', 'worker_currency'], () =>
      staggered(20, 100, async () => (await api.post('/track/sale', sale)).status),
    );
    // A 503 says that the amount was not converted in time.
    expect(statuses.filter((status) => ![200, 202, 500, 503].includes(status))).to.deep.equal([]);
    await eventually(async () => {
      const { status, headers } = await api.post('/track/sale', sale);
      expect([status, headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    });
    expect((await api.get('/analytics')).body).to.include({ sales: 1 });
    expect((await api.get('/events', { event: 'sales' })).body).to.have.lengthOf(1);
  });
});

import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { config } from '../../src/config.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { RedisNode } from '../support/redis-node.ts';
import { stack } from '../support/stack.ts';
import { entriesOf, type StreamEntry } from '../support/streams.ts';
import { aWorkspace, type World } from '../support/world.ts';

const URL_A = 'https://shop.example/a?utm_source=news';
const PASSWORD = 'stream-password';

describe('destinations', () => {
  let world: World;
  let node: RedisNode;
  let visitor = 0;

  before(async () => {
    node = new RedisNode(await freePort(), [`requirepass ${PASSWORD}`]);
    await node.start();
  });
  after(() => node.stop());

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const settings = (fields: object = {}) => ({
    url: `redis://127.0.0.1:${node.port}`,
    stream: world.projectId,
    ...fields,
  });

  async function connect(fields: object = {}) {
    const body = { type: 'redis', name: 'Stream', settings: settings(), secret: PASSWORD };
    const answer = await world.api.post('/destinations', { ...body, ...fields });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  }

  const now = async ({ id }: { id: string }) => (await world.api.get(`/destinations/${id}`)).body;
  const entries = (stream = world.projectId): Promise<StreamEntry[]> =>
    entriesOf(node.port, PASSWORD, stream);

  async function aLink(fields: object = {}) {
    const { body } = await world.api.post('/links', { url: URL_A, ...fields });
    return body;
  }

  async function click(key: string, headers: Record<string, string> = {}) {
    visitor += 1;
    return world.visit(`/${key}`, { userAgent: browser(visitor), headers });
  }

  const refused = async (path: string, body: object, message: string | RegExp, status = 422) => {
    const answer = await world.api.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    expect(answer.body.error.message).to.match(new RegExp(message));
  };

  it('get clicks and scans with the fields of GET /events', async () => {
    const created = await connect();
    expect(created).to.deep.include({
      type: 'redis',
      name: 'Stream',
      settings: { ...settings(), maxLength: 1_000_000 },
      hasSecret: true,
      filter: null,
      status: 'active',
      lastError: null,
      pendingSince: null,
      lastSentAt: null,
      refusedEvents: 0,
      backfill: null,
    });
    const { key, id } = await aLink();
    await click(key, { 'x-forwarded-for': '192.0.2.77' });
    const [entry] = await eventually(async () => {
      const sent = await entries();
      expect(sent).to.have.length(1);
      return sent;
    });
    const [event] = (await world.api.get('/events', { event: 'clicks' })).body;
    expect(entry).to.deep.equal({
      id: event.click.id,
      type: 'link.clicked',
      timestamp: event.timestamp,
      data: { click: event.click, linkId: id, domain: world.domain, key },
    });
    expect(entry!.data.click.ip).to.equal('192.0.2.0');
    await eventually(async () => {
      const { lastSentAt, pendingSince } = await now(created);
      expect(pendingSince).to.equal(null);
      expect(Date.parse(lastSentAt)).to.be.greaterThan(0);
    });
  });

  it('get leads, sales and refunds, without customers and their metadata', async () => {
    await connect();
    const { key } = await aLink({ trackConversion: true });
    const { headers } = await click(key);
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    const customer = { customerExternalId: 'person-1', customerName: 'Ada Lovelace' };
    await world.api.post('/track/lead', {
      clickId,
      eventName: 'Sign up',
      metadata: { note: 'confidential' },
      ...customer,
    });
    await world.api.post('/track/sale', {
      customerExternalId: 'person-1',
      amount: 1_999,
      currency: 'eur',
      invoiceId: 'inv-1',
    });
    await world.api.post('/track/refund', { invoiceId: 'inv-1' });
    const sent = await eventually(async () => {
      const all = await entries();
      expect(all).to.have.length(4);
      return all;
    });
    expect(sent.map(({ type }) => type)).to.deep.equal([
      'link.clicked',
      'lead.created',
      'sale.created',
      'sale.refunded',
    ]);
    for (const { data } of sent) expect(data.click.id).to.equal(clickId);
    expect(sent[2]!.data).to.deep.include({
      payment: { value: 19.99, currency: 'EUR', dollars: 21.4, orderId: 'inv-1' },
    });
    expect(JSON.stringify(sent)).not.to.match(/Ada|person-1|confidential/);
  });

  it('get nothing of visitors who ask for privacy, nor their conversions', async () => {
    const destination = await connect();
    const { key } = await aLink({ trackConversion: true });
    const form = await aLink({ trackConversion: true });
    await click(key, { 'sec-gpc': '1' });
    await click(key, { dnt: '1' });
    await click(form.key);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(3);
      expect(await entries()).to.have.length(1);
    });
    // A lead of a click by its id.
    const { body: clicks } = await world.api.get('/events', { event: 'clicks' });
    const sentId = (await entries())[0]!.id;
    for (const { click: one } of clicks) {
      const lead = { clickId: one.id, eventName: 'Sign up', customerExternalId: one.id };
      expect((await world.api.post('/track/lead', lead)).status).to.be.below(300);
    }
    await eventually(async () => expect(await entries()).to.have.length(2));
    const period = { start: daysAgo(1), end: new Date().toISOString() };
    await world.api.post(`/destinations/${destination.id}/backfill`, period);
    await eventually(async () =>
      expect((await now(destination)).backfill.finishedAt).to.be.a('string'),
    );
    const all = await entries();
    expect(all).to.have.length(4);
    for (const { data } of all) expect(data.click.id).to.equal(sentId);
  });

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  it('get whole networks instead of IP addresses that the workspace stores', async () => {
    await world.set({ keepFullIp: true });
    await connect();
    const { key } = await aLink();
    await eventually(async () => {
      await click(key, { 'x-forwarded-for': '198.51.100.77' });
      const { body } = await world.api.get('/events', { event: 'clicks' });
      expect(body.map((event: { click: { ip: string } }) => event.click.ip)).to.include(
        '198.51.100.77',
      );
    });
    await eventually(async () => expect(await entries()).not.to.deep.equal([]));
    for (const { data } of await entries()) expect(data.click.ip).to.equal('198.51.100.0');
  });

  it('catch up with what came during an outage, while others get theirs', async () => {
    const port = await freePort();
    const other = new RedisNode(port);
    const [down, up] = [
      await connect({
        settings: settings({ url: `redis://127.0.0.1:${port}` }),
        secret: undefined,
      }),
      await connect(),
    ];
    const { key } = await aLink();
    for (let n = 0; n < 5; n += 1) await click(key);
    await eventually(async () => {
      expect(await entries()).to.have.length(5);
      const { failingSince, pendingSince, lastError, status } = await now(down);
      expect(status).to.equal('active');
      expect(failingSince).to.be.a('string');
      expect(pendingSince).to.be.a('string');
      expect(lastError).to.equal('The server must answer as Redis does');
    });
    expect((await now(up)).failingSince).to.equal(null);
    await other.start();
    try {
      await eventually(async () => {
        const sent = await entriesOf(port, '', world.projectId);
        expect(sent.map(({ id }) => id).toSorted()).to.deep.equal(
          (await entries()).map(({ id }) => id).toSorted(),
        );
      });
      await eventually(async () => {
        expect(await now(down)).to.deep.include({
          failingSince: null,
          lastError: null,
          pendingSince: null,
        });
      });
    } finally {
      await other.stop();
    }
  });

  it('lose nothing when worker_destinations is killed', async () => {
    await connect();
    const { key } = await aLink();
    for (let n = 0; n < 30; n += 1) {
      await click(key);
      if (n % 10 === 5) await eventually(() => stack().signal('worker_destinations', 'SIGKILL'));
    }
    await eventually(async () => {
      const ids = new Set((await entries()).map(({ id }) => id));
      expect(ids.size).to.equal(30);
    });
    const { body } = await world.api.get('/events', { event: 'clicks' });
    expect(new Set((await entries()).map(({ id }) => id))).to.deep.equal(
      new Set(body.map((event: { click: { id: string } }) => event.click.id)),
    );
  });

  it('are disabled by a refusal, keep what comes, and send it with the right password', async () => {
    const destination = await connect({ secret: 'wrong' });
    const { key } = await aLink();
    await click(key);
    await eventually(async () => {
      const { status, lastError } = await now(destination);
      expect(status).to.equal('disabled');
      expect(lastError).to.match(/^Redis answered: WRONGPASS/);
    });
    await click(key);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(2);
    });
    expect(await entries()).to.deep.equal([]);
    const path = `/destinations/${destination.id}`;
    const { body } = await world.api.patch(path, { secret: PASSWORD });
    expect(body).to.deep.include({ status: 'active', lastError: null });
    await eventually(async () => expect(await entries()).to.have.length(2));
  });

  it('wait while they are paused, and end with their deletion', async () => {
    const destination = await connect();
    const path = `/destinations/${destination.id}`;
    expect((await world.api.patch(path, { status: 'paused' })).body.status).to.equal('paused');
    const { key } = await aLink();
    await click(key);
    await eventually(async () => expect((await now(destination)).pendingSince).to.be.a('string'));
    await world.api.patch(path, { status: 'active', name: 'Renamed', filter: { qr: true } });
    await eventually(async () => expect(await entries()).to.have.length(1));
    await world.api.patch(path, { status: 'paused', filter: null });
    await click(key);
    await eventually(async () => expect((await now(destination)).pendingSince).to.be.a('string'));
    expect((await world.api.delete(path)).status).to.equal(200);
    await eventually(async () => {
      const where = { project_id: world.projectId };
      expect(await db()('destination_events').where(where)).to.deep.equal([]);
    });
    expect((await world.api.get(path)).status).to.equal(404);
    expect(await entries()).to.have.length(1);
  });

  it('forget what waits about deleted events and customers', async () => {
    const destination = await connect();
    await world.api.patch(`/destinations/${destination.id}`, { status: 'paused' });
    const link = await aLink({ trackConversion: true });
    const { headers } = await click(link.key);
    const clickId = new URL(headers['location']!).searchParams.get('click_id')!;
    const paid = { amount: 5, currency: 'usd' };
    for (const body of [{ customerExternalId: 'nobody' }, { customerExternalId: 'p', clickId }]) {
      const sale = await world.api.post('/track/sale', { ...body, ...paid });
      expect(sale.status, JSON.stringify(sale.body)).to.be.below(300);
    }
    const waiting = () => db()('destination_events').where({ project_id: world.projectId });
    const customerIds = async () => (await waiting()).map(({ customer_id }) => customer_id);
    await eventually(async () => {
      const { body: events } = await world.api.get('/events', { event: 'sales' });
      expect(events).to.have.length(2);
    });
    // A sale without a click, whose visitor may have asked for privacy, is not sent.
    const [{ id: customer }] = (await world.api.get('/customers')).body.filter(
      ({ externalId }: { externalId: string }) => externalId === 'p',
    );
    expect(new Set(await customerIds())).to.deep.equal(new Set([null, customer]));
    await eventually(async () => expect((await waiting()).length).to.be.greaterThan(1));
    await world.api.delete(`/customers/${customer}`);
    await world.api.delete(`/links/${link.id}?events=remove`);
    expect(await waiting()).to.deep.equal([]);
  });

  it('send the events of a period again, with the same ids, as their filter says', async () => {
    const { key } = await aLink();
    for (let n = 0; n < 3; n += 1) await click(key);
    await click(`${key}?qr=1`);
    await eventually(async () => {
      const { clicks } = (await world.api.get('/analytics')).body;
      expect(clicks).to.equal(4);
    });
    const destination = await connect({ filter: { qr: false } });
    const path = `/destinations/${destination.id}/backfill`;
    const period = { start: daysAgo(31), end: new Date().toISOString() };
    const { status, body } = await world.api.post(path, period);
    expect(status, JSON.stringify(body)).to.equal(200);
    await eventually(async () => {
      expect((await now(destination)).backfill).to.deep.include({ sent: 3, unsentBefore: null });
      expect((await now(destination)).backfill.finishedAt).to.be.a('string');
    });
    const { body: events } = await world.api.get('/events', { event: 'clicks', type: 'link' });
    expect((await entries()).map(({ id }) => id).toSorted()).to.deep.equal(
      events.map((event: { click: { id: string } }) => event.click.id).toSorted(),
    );
    await world.api.post(path, { start: daysAgo(3), end: daysAgo(2) });
    await eventually(async () => {
      expect((await now(destination)).backfill).to.deep.include({ sent: 0 });
      expect((await now(destination)).backfill.finishedAt).to.be.a('string');
    });
    expect(await entries()).to.have.length(3);
    await refused(path, { start: daysAgo(32), end: daysAgo(0.5) }, '^end must be after start, by');
    await refused(path, { start: daysAgo(1), end: daysAgo(2) }, '^end must be after start, by');
    await refused(path, { start: daysAgo(1), end: daysAgo(-1) }, '^end must not be in the future');
    await refused(path, { start: daysAgo(1) }, '^end is required');
    await world.api.patch(`/destinations/${destination.id}`, { status: 'paused' });
    expect((await world.api.post(path, period)).status).to.equal(200);
    await refused(path, period, '^A backfill is running', 409);
  });

  it('refuse settings that they cannot use', async () => {
    const body = { type: 'redis', name: 'Stream', settings: settings() };
    const bad: [settings: object, message: string][] = [
      [{ url: 'http://127.0.0.1' }, 'url must be of the form redis'],
      [{ url: 'redis://127.0.0.1/x' }, 'url must be of the form redis'],
      [{ url: 'redis://127.0.0.1/1?a=b' }, 'url must be of the form redis'],
      [{ url: 'redis:///1' }, 'url must be of the form redis'],
      [{ url: 'redis://a:b@127.0.0.1' }, 'url must not contain the password'],
      [{ stream: '' }, 'stream'],
      [{ maxLength: 0 }, 'maxLength must be'],
      [{ topic: 'a' }, 'topic'],
    ];
    for (const [fields, message] of bad) {
      await refused('/destinations', { ...body, settings: settings(fields) }, message);
    }
    await refused('/destinations', { ...body, type: 'kafka' }, '^type must be');
    await refused('/destinations', { ...body, settings: undefined }, '^settings is required');
    await refused('/destinations', { ...body, filter: { country: ['XX'] } }, 'country');
    const destination = await connect();
    const path = `/destinations/${destination.id}`;
    const change = async (fields: object) => world.api.patch(path, fields);
    expect((await change({ settings: { maxLength: 10 } })).body.settings).to.deep.include({
      maxLength: 10,
      stream: world.projectId,
    });
    for (const [fields, message] of [
      [{ settings: { url: `redis://localhost:${node.port}` } }, 'secret must be set again'],
      [{ settings: { stream: 5 } }, 'stream must be'],
      [{ status: 'disabled' }, 'status must be'],
      [{}, 'at least'],
    ] as const) {
      const { status, body: answer } = await change(fields);
      expect(status, JSON.stringify(fields)).to.equal(422);
      expect(answer.error.message).to.match(new RegExp(message));
    }
    for (let n = 1; n < 10; n += 1) await connect();
    await refused('/destinations', body, '^A workspace has at most 10 destinations');
  });

  it('reach no server of the installation, and none that the operator does not allow', async () => {
    const own = new URL(config().REDIS_URL);
    const targets = [
      `redis://127.0.0.1:${own.port}`,
      'redis://10.0.0.1',
      'rediss://169.254.169.254',
    ];
    const created = [];
    for (const url of targets) {
      created.push(await connect({ settings: settings({ url }), secret: undefined }));
    }
    const { key } = await aLink();
    await click(key);
    for (const destination of created) {
      await eventually(async () => {
        const { lastError } = await now(destination);
        expect(lastError).to.equal('The server must not point to a private IP address');
      });
    }
  });

  it('need the plan Business', async () => {
    const free = await aWorkspace({ plan: 'free' });
    expect((await free.api.get('/destinations')).status).to.equal(403);
  });
});

import { expect } from 'chai';
import { INITIAL_EVENT } from '../../src/events/event.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { cacheRedis } from '../../src/infra/redis.ts';
import { publishLive } from '../../src/queues/live.ts';
import { createApiKey, revokeApiKey } from '../../src/workspaces/api-keys.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { LiveClient } from '../support/live.ts';
import { OwnService } from '../support/own-service.ts';
import { errorsOf } from '../support/reference.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
/** Largest number of streams per workspace. */
const MOST = 20;

describe('GET /events/live', () => {
  const open: LiveClient[] = [];

  async function watch(
    { apiKey }: Pick<World, 'apiKey'>,
    query = '',
    headers: Record<string, string> = {},
  ): Promise<LiveClient> {
    const client = await LiveClient.open({ apiUrl: stack().apiProcessUrl, apiKey, query, headers });
    open.push(client);
    return client;
  }

  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });

  /** Waits until the server has closed every stream. */
  const noneOpen = () =>
    eventually(async () => {
      const counts = await stack().metric('api', 'shortlinks_live_streams');
      expect(Math.max(...counts)).to.equal(0);
    });

  it('sends a click within 2 s of the visit, as GET /events lists it', async () => {
    const world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'a' });
    const client = await watch(world);
    expect(client.status).to.equal(200);
    expect(client.response.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(client.response.headers).not.to.have.property('content-encoding');
    await world.visit('/a', { headers: { 'x-forwarded-for': '192.0.2.7' } });

    // A busy machine can need more than the 2 s that a quiet one keeps.
    const [message] = await client.wait(1, 20_000);
    const [listed] = (await world.api.get('/events')).body;
    expect(message!.event).to.equal('click');
    expect(message!.data).to.deep.equal(listed);
    const path = ['components', 'schemas', 'Event'];
    expect(errorsOf(path, message!.data)).to.equal(undefined);
  });

  it('sends leads and sales, once each', async () => {
    const world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'a' });
    const client = await watch(world);
    await world.visit('/a');
    const [click] = await client.wait(1);
    const { id: clickId } = click!.data.click;
    const lead = { clickId, eventName: 'Sign up', customerExternalId: 'u1' };
    await world.api.post('/track/lead', lead);
    await world.api.post('/track/lead', lead);
    await world.api.post('/track/sale', { customerExternalId: 'u1', amount: 500 });

    const events = await client.wait(3);
    expect(events.map(({ event }) => event)).to.deep.equal(['click', 'lead', 'sale']);
    expect(events[2]!.data.sale.amount).to.equal(500);
    expect(events[1]!.data.customer.externalId).to.equal('u1');
  });

  it('sends what the filters select, and nothing of other workspaces', async () => {
    const [world, other] = [await aWorkspace(), await aWorkspace()];
    const tag = (await world.api.post('/tags', { name: 'Tag' })).body;
    const a = (await world.api.post('/links', { url: A, key: 'a', tagIds: [tag.id] })).body;
    await world.api.post('/links', { url: 'https://example.com/B', key: 'b' });
    const code = (await world.api.post('/qrcodes', { type: 'url', url: A, key: 'q' })).body;
    await other.api.post('/links', { url: A, key: 'a' });
    const selections: [string, string[]][] = [
      ['', ['a', 'b', 'q']],
      [`?linkId=${a.id}`, ['a']],
      [`?qrcodeId=${code.id}`, ['q']],
      [`?tagId=${tag.id}`, ['a']],
      ['?country=DE,FR', ['a', 'q']],
      ['?country=JP&event=clicks', ['b']],
      ['?event=scans,views', ['q']],
      ['?event=leads', []],
      [`?domain=${world.domain}`, ['a', 'b', 'q']],
      ['?domain=elsewhere.test', []],
      ['?url=COM%2Fb', ['b']],
      ['?type=qr', ['q']],
      ['?browser=Chrome&device=Desktop', ['a', 'b', 'q']],
      ['?root=true', []],
    ];
    const clients = await Promise.all(selections.map(([query]) => watch(world, query)));
    const stranger = await watch(other);
    for (const client of clients) expect(client.status, client.text).to.equal(200);
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    await world.visit('/a', from('192.0.2.1'));
    await world.visit('/b', from('198.51.100.1'));
    await world.visit('/q?qr=1', from('192.0.2.2'));
    await clients[0]!.wait(3);
    await other.visit('/a');
    await stranger.wait(1);
    for (const [at, [query, keys]] of selections.entries()) {
      await clients[at]!.wait(keys.length);
      const got: string[] = clients[at]!.events.map(({ data }) => (data.link ?? data.qrcode).key);
      expect(got, query).to.have.members(keys);
      expect(got, query).to.have.lengthOf(keys.length);
    }
    expect(stranger.events).to.have.lengthOf(1);
    expect(stranger.events[0]!.data.domain).to.equal(other.domain);
  });

  it('follows a tag: a link that gets it is watched from the next check on', async () => {
    const world = await aWorkspace();
    const tag = (await world.api.post('/tags', { name: 'Tag' })).body;
    const link = (await world.api.post('/links', { url: A, key: 'a' })).body;
    const client = await watch(world, `?tagId=${tag.id}`);
    await world.visit('/a', { userAgent: browser(0) });
    await world.api.patch(`/links/${link.id}`, { tagIds: [tag.id] });
    let visitor = 0;
    await eventually(async () => {
      visitor += 1;
      await world.visit('/a', { userAgent: browser(visitor) });
      expect(client.events).not.to.deep.equal([]);
    });
    await world.api.delete(`/tags/${tag.id}`);
    await eventually(() => expect(client.end).to.equal('ended'));
  });

  it('goes on after Last-Event-ID with what was missed, and counts what is too much', async () => {
    const world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'a' });
    const first = await watch(world);
    await world.visit('/a', { userAgent: browser(0) });
    const [{ id: last } = {}] = await first.wait(1);
    first.close();
    await noneOpen();
    for (const visitor of [1, 2, 3]) await world.visit('/a', { userAgent: browser(visitor) });
    await eventually(async () => {
      expect((await world.api.get('/events')).body).to.have.lengthOf(4);
    });
    const second = await watch(world, '', { 'last-event-id': last! });
    await second.wait(3);
    await world.visit('/a', { userAgent: browser(4) });
    const ids = (await second.wait(4)).map(({ id }) => id);
    const listed = (await world.api.get('/events', { order: 'asc' })).body;
    expect(second.events.map(({ data }) => data.click.id)).to.deep.equal(
      listed.slice(1).map((event: { click: { id: string } }) => event.click.id),
    );
    expect(new Set([last, ...ids]).size).to.equal(5);
    expect(second.dropped).to.equal(0);

    const rows = Array.from({ length: 400 }, () => ({
      ...INITIAL_EVENT,
      project_id: world.projectId,
      id: newId('event'),
      occurred_at: new Date().toISOString(),
    }));
    await db()('events').insert(rows);
    const third = await watch(world, '', { 'last-event-id': last! });
    await third.wait(300);
    expect(third.events).to.have.lengthOf(300);
    // The two-second overlap can include the first event.
    expect(third.dropped).to.be.within(104, 105);
  });

  it('refuses bad requests', async () => {
    const world = await aWorkspace();
    const poor = await aWorkspace({ plan: 'pro' });
    const refusals: [number, string, Record<string, string>?][] = [
      [422, '?event=clicks,nothing'],
      [422, '?interval=24h'],
      [422, '?country=Atlantis'],
      [422, '?key=a'],
      [404, '?linkId=link_none'],
      [400, '', { 'last-event-id': 'not an id' }],
    ];
    for (const [status, query, headers] of refusals) {
      const client = await watch(world, query, headers);
      expect(client.status, query).to.equal(status);
    }
    expect((await watch(poor)).status).to.equal(403);
    const { apiKey } = await createApiKey(db(), {
      workspace: world.slug,
      name: 'scoped',
      scopes: ['links.write'],
    });
    expect((await watch({ apiKey })).status).to.equal(403);
    expect((await watch({ apiKey: 'sk_unknown' })).status).to.equal(401);
  });

  it('answers HEAD, and keeps no stream for it', async () => {
    const { apiKey } = await aWorkspace();
    const { apiProcessUrl: apiUrl } = stack();
    const client = await LiveClient.open({ apiUrl, apiKey, method: 'HEAD' });
    expect(client.status).to.equal(200);
    await eventually(() => expect(client.end).to.equal('ended'));
    await noneOpen();
  });

  it(`lets a workspace have ${MOST} streams, and others after them when one is closed`, async () => {
    const [world, other] = [await aWorkspace(), await aWorkspace()];
    const clients = await Promise.all(Array.from({ length: MOST }, () => watch(world)));
    for (const client of clients) expect(client.status).to.equal(200);
    const refused = await watch(world);
    expect(refused.status).to.equal(429);
    await eventually(() => expect(refused.text).to.contain('rate_limit_exceeded'));
    expect((await watch(other)).status).to.equal(200);
    clients[0]!.close();
    await eventually(async () => expect((await watch(world)).status).to.equal(200));
  });

  it('counts each connection against the limit of requests', async () => {
    const world = await aWorkspace();
    await world.set({ requestsPerMinute: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await watch(world)).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
  });

  it('ends when the key is revoked', async () => {
    const world = await aWorkspace();
    const { id, apiKey } = await createApiKey(db(), {
      workspace: world.slug,
      name: 'short',
      scopes: ['events.read'],
    });
    const [client, other] = [await watch({ apiKey }), await watch(world)];
    await revokeApiKey(db(), world.slug, id);
    await eventually(() => expect(client.end).to.equal('ended'));
    expect(other.end).to.equal(undefined);
    expect((await watch({ apiKey })).status).to.equal(401);
  });

  it('drops events for a client that reads slowly, and says how many; others get theirs', async function () {
    const world = await aWorkspace();
    const [slow, swift] = [await watch(world), await watch(world)];
    slow.response.pause();
    const count = 450;
    // The events are 23 MB, more than the sockets buffer.
    const events = Array.from({ length: count }, (_, number) => ({
      ...INITIAL_EVENT,
      project_id: world.projectId,
      id: newId('event'),
      occurred_at: new Date(Date.now() + number).toISOString(),
      event: 'lead' as const,
      metadata: { text: 'x'.repeat(50_000) },
    }));
    await publishLive(cacheRedis(), events);
    await eventually(() => expect(swift.events.length + swift.dropped).to.equal(count));
    slow.response.resume();
    await eventually(() => expect(slow.events.length + slow.dropped).to.equal(count));
    expect(slow.dropped).to.be.greaterThan(50);
    expect(slow.events.at(-1)!.id).to.equal(swift.events.at(-1)!.id);
  });

  it('begins with the latest events of all kinds, oldest first, when it is asked to', async () => {
    const world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'a' });
    for (const visitor of [1, 2, 3]) await world.visit('/a', { userAgent: browser(visitor) });
    const listed = await eventually(async () => {
      const { body } = await world.api.get('/events');
      expect(body).to.have.length(3);
      return body;
    });
    const client = await watch(world, '?latest=2');
    const begun = await client.wait(2);
    expect(begun.map(({ data }) => data)).to.deep.equal([listed[1], listed[0]]);
    await world.visit('/a', { userAgent: browser(4) });
    expect(await client.wait(3)).to.have.length(3);
    expect((await watch(world, '?latest=101')).status).to.equal(422);
  });

  it('shows visits that are not counted, and why, to those alone who ask for them', async () => {
    const [world, other] = [await aWorkspace(), await aWorkspace()];
    const { id } = (await world.api.post('/links', { url: A, key: 'a' })).body;
    const [all, counted, elsewhere] = await Promise.all([
      watch(world, '?uncounted=true'),
      watch(world),
      watch(other, '?uncounted=true'),
    ]);
    await world.visit('/a');
    const [click] = await all.wait(1);
    await world.visit('/a');
    const uncounted = await eventually(() => {
      const found = all.messages.find(({ event }) => event === 'uncounted');
      expect(found).not.to.equal(undefined);
      return found!;
    });
    const { counted: isCounted, reason, ...event } = uncounted.data;
    expect([uncounted.id, isCounted, reason]).to.deep.equal([undefined, false, 'repeat']);
    expect(event.click.id).to.equal(click!.data.click.id);
    expect(event.link.id).to.equal(id);
    expect(counted.messages.filter(({ event }) => event === 'uncounted')).to.deep.equal([]);
    expect(elsewhere.messages.filter(({ data }) => data !== undefined)).to.deep.equal([]);
    expect((await world.api.get('/events')).body).to.have.length(1);
    expect((await world.api.get(`/links/${id}`)).body.clicks).to.equal(1);
  });

  it('sends a comment every 15 s, so that connections stay open', async function () {
    const client = await watch(await aWorkspace());
    await eventually(() => {
      expect(client.messages.map(({ comment }) => comment)).to.include('no event');
    });
  });
});

describe('live streams of a process', function () {
  const own = new OwnService();
  const watch = (headers: Record<string, string> = {}, query = '') =>
    LiveClient.open({ apiUrl: own.service.apiUrl, apiKey: own.apiKey, query, headers });

  before(() => own.start({ LIVE_STREAMS: '2', LIVE_SECONDS: '10' }, 'Procfile.small'));
  after(() => own.stop());

  it('are limited in number and time', async () => {
    const clients = [await watch(), await watch()];
    expect((await watch()).status).to.equal(429);
    await eventually(() => {
      for (const { end } of clients) expect(end).to.equal('ended');
    });
    const next = await watch();
    expect(next.status).to.equal(200);
    next.close();
  });

  it('end when Redis is lost, and when the process stops; then they can be taken up again', async () => {
    const { key } = await own.post('/links', { url: A });
    const visit = (visitor: number) =>
      fetch(`http://localhost:${own.service.redirectPorts[0]}/${key}`, {
        headers: { 'user-agent': browser(visitor) },
        redirect: 'manual',
      });
    /** Reconnects until an event arrives, as browsers do, since a stream ends after 10 s. */
    const nextEvent = (query: string, headers: Record<string, string> = {}) =>
      eventually(async () => {
        const client = await watch(headers, query);
        expect(client.status).to.equal(200);
        await eventually(() => expect(client.end ?? client.events[0]).not.to.equal(undefined));
        expect(client.events).not.to.deep.equal([]);
        return { client, id: client.events[0]!.id };
      });
    await visit(0);
    const first = await nextEvent('?latest=1');
    await own.killRedis();
    await eventually(() => expect(first.client.end).to.equal('ended'));
    await own.startRedis();
    await visit(1);
    const { client, id } = await nextEvent('', { 'last-event-id': first.id! });
    expect(id).not.to.equal(first.id);

    const stoppedAt = Date.now();
    own.service.runner.kill('api', 'SIGTERM');
    await eventually(() => expect(client.end).to.equal('ended'));
    expect(Date.now() - stoppedAt).to.be.lessThan(10_000);
  });
});

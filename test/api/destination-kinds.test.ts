import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import {
  AnalyticsServer,
  type Product,
  SECRETS,
  SETTINGS,
  TOKEN,
} from '../support/analytics-servers.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const PRODUCTS = Object.keys(SETTINGS) as Product[];
const URL_A = 'https://shop.example/a?utm_source=news&utm_medium=mail';
const DAY_MS = 86_400_000;

describe('kinds of destinations', () => {
  let world: World;
  let servers: Record<Product, AnalyticsServer>;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
    const started = PRODUCTS.map(async (product) => [
      product,
      await new AnalyticsServer(product).start(),
    ]);
    servers = Object.fromEntries(await Promise.all(started));
  });
  afterEach(async () => {
    for (const server of Object.values(servers)) await server.stop();
  });

  async function connect(product: Product, fields: object = {}) {
    const settings = { ...SETTINGS[product], url: servers[product].url };
    const body = { type: product, name: product, settings, secret: SECRETS[product] };
    const answer = await world.api.post('/destinations', { ...body, ...fields });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  }

  const now = async ({ id }: { id: string }) => (await world.api.get(`/destinations/${id}`)).body;

  /** Waits until attempts fail, after which more are made. */
  async function areFailing(destinations: readonly { id: string }[]) {
    for (const destination of destinations) {
      await eventually(async () => {
        const { status, failingSince } = await now(destination);
        expect(status).to.equal('active');
        expect(failingSince).to.be.a('string');
      });
    }
  }

  async function click(key: string) {
    visitor += 1;
    const headers = {
      'x-forwarded-for': `192.0.2.${1 + (visitor % 250)}`,
      referer: 'https://social.example/post',
    };
    const answer = await world.visit(key, { userAgent: browser(visitor), headers });
    return new URL(answer.headers.location!).searchParams.get('click_id');
  }

  /** Makes one event of each kind. */
  async function makeEvents() {
    const link = (await world.api.post('/links', { url: URL_A, trackConversion: true })).body;
    const clickId = await click(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(1);
    });
    const customerExternalId = 'person-1';
    await world.api.post('/track/lead', { clickId, customerExternalId, eventName: '=Sign up' });
    const sale = { customerExternalId, amount: 1_999, currency: 'eur', invoiceId: 'inv-1' };
    await world.api.post('/track/sale', sale);
    await world.api.post('/track/refund', { invoiceId: 'inv-1', amount: 999 });
    const code = (await world.api.post('/qrcodes', { type: 'url', url: URL_A })).body;
    await click(`/${code.key}`);
    return { link, clickId, code };
  }

  async function taken(product: Product, count: number) {
    const server = servers[product];
    await eventually(() => {
      expect(server.faults).to.deep.equal([]);
      expect(server.taken).to.have.length(count);
    });
    return server.taken;
  }

  it('send all kinds of events to Matomo', async () => {
    await connect('matomo');
    const { link } = await makeEvents();
    const bodies = (await taken('matomo', 5)).map(({ body }) => body);
    const find = (fields: object) =>
      bodies.find((body) => Object.entries(fields).every(([name, value]) => body[name] === value));
    const visit = find({ action_name: `${world.domain}/${link.key}` });
    expect(visit).to.deep.include({
      url: `https://${world.domain}/${link.key}?utm_source=news&utm_medium=mail`,
      urlref: 'https://social.example/post',
      cip: '192.0.2.0',
      country: 'de',
      city: 'Berlin',
    });
    const order = find({ ec_id: 'inv-1' });
    expect(order).to.deep.include({ idgoal: '0', revenue: '21.4', _id: visit._id });
    expect(find({ e_a: 'Lead' })).to.deep.include({ e_n: '=Sign up', _id: visit._id });
    expect(find({ e_a: 'Refund' })).to.deep.include({ e_n: 'inv-1', e_v: '10.69' });
    expect(bodies.filter(({ action_name: name }) => name?.endsWith(' (QR code)'))).to.have.length(
      1,
    );
  });

  it('send all kinds of events to Google Analytics', async () => {
    await connect('ga4');
    const { clickId } = await makeEvents();
    const bodies = (await taken('ga4', 5)).map(({ body }) => body);
    const events = Object.fromEntries(
      bodies.map((body) => [body.events[0].name, { ...body, ...body.events[0].params }]),
    );
    expect(events).to.have.keys('link_click', 'qr_scan', 'generate_lead', 'purchase', 'refund');
    const { link_click: visit, purchase } = events;
    expect(visit.event_id).to.equal(clickId);
    expect(visit.user_location).to.deep.include({ country_id: 'DE', city: 'Berlin' });
    expect(visit.page_referrer).to.equal('https://social.example/post');
    expect(Math.abs(visit.timestamp_micros / 1_000 - Date.now())).to.be.below(DAY_MS);
    expect(purchase).to.deep.include({
      client_id: visit.client_id,
      transaction_id: 'inv-1',
      value: 19.99,
      currency: 'EUR',
    });
    expect(events['refund']).to.deep.include({ transaction_id: 'inv-1', value: 9.99 });
  });

  it('send all kinds of events to Plausible', async () => {
    await connect('plausible');
    const { link } = await makeEvents();
    const all = await taken('plausible', 5);
    const names = all.map(({ body }) => body.name);
    expect(names).to.have.members(['Lead', 'Refund', 'Sale', 'pageview', 'pageview']);
    const visit = all.find(
      ({ body }) => body.props.link_id === link.id && body.name === 'pageview',
    );
    expect(visit!.headers).to.deep.include({ 'x-forwarded-for': '192.0.2.0' });
    expect(visit!.headers['user-agent']).to.match(/Chrome\//);
    const sale = all.find(({ body }) => body.name === 'Sale');
    expect(sale!.body.revenue).to.deep.equal({ amount: '19.99', currency: 'EUR' });
    expect(sale!.body.props).to.deep.include({ order_id: 'inv-1' });
  });

  it('send all kinds of events to Umami', async () => {
    await connect('umami');
    const { link } = await makeEvents();
    const payloads = (await taken('umami', 5)).map(({ body }) => body.payload);
    const visit = payloads.find(({ tag }) => tag === 'link');
    expect(visit).to.deep.include({
      hostname: world.domain,
      url: `https://${world.domain}/${link.key}?utm_source=news&utm_medium=mail`,
      referrer: 'https://social.example/post',
      ip: '192.0.2.0',
    });
    expect(payloads.filter(({ tag }) => tag === 'qr')).to.have.length(1);
    const sale = payloads.find(({ name }) => name === 'Sale');
    expect(sale.data).to.deep.include({ revenue: 19.99, currency: 'EUR', order_id: 'inv-1' });
    expect(payloads.find(({ name }) => name === 'Lead').data).to.deep.include({ name: '=Sign up' });
  });

  it('send what came while a receiver was down, or refused for a while', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const created = await Promise.all(PRODUCTS.map((product) => connect(product)));
    await servers.matomo.stop();
    servers.ga4.reply = { status: 503 };
    servers.plausible.reply = { status: 429, headers: { 'retry-after': '1' } };
    servers.umami.reply = { status: 500 };
    for (let n = 0; n < 3; n += 1) await click(`/${link.key}`);
    await areFailing(created);
    await servers.matomo.start();
    for (const server of Object.values(servers)) server.reply = undefined;
    const { body: events } = await world.api.get('/events', { event: 'clicks' });
    const ids = events.map((event: { click: { id: string } }) => event.click.id).toSorted();
    await taken('matomo', 3);
    const sent = (await taken('ga4', 3)).map(({ body }) => body.events[0].params.event_id);
    expect(sent).to.have.members(ids);
    const arrived = (await taken('plausible', 3)).map(({ body }) => body.props.event_id);
    expect(arrived).to.have.members(ids);
    await taken('umami', 3);
  });

  /** Makes the next attempts the last ones before a destination is disabled. */
  const nearEnd = ({ id }: { id: string }, fields: object = {}) =>
    db()('destinations')
      .where({ id })
      .update({ refused_attempts: 19, ...fields });
  const dueNow = ({ id }: { id: string }) =>
    db()('destinations').where({ id }).update({ retry_at: null });

  it('are disabled by refusals of everything, keep it, and send it once they are accepted', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const wrong = await connect('matomo', { secret: 'wrong' });
    const gone = await connect('plausible');
    const unknown = await connect('umami');
    servers.plausible.reply = { status: 404 };
    servers.umami.reply = { status: 400, body: { error: { message: 'Website not found.' } } };
    await click(`/${link.key}`);
    const reasons = [
      [wrong, 'Matomo must know the site, and the token must be allowed to track it'],
      [gone, 'The receiver must respond with status 2xx, not 404'],
      [unknown, 'Umami must know the website'],
    ];
    // At first, they are tried again.
    for (const [destination, lastError] of reasons) {
      await eventually(async () => {
        expect(await now(destination)).to.deep.include({ status: 'active', lastError });
      });
      await nearEnd(destination, { retry_at: null });
    }
    for (const [destination, lastError] of reasons) {
      await eventually(async () => {
        const { pendingSince, ...rest } = await now(destination);
        expect(rest).to.deep.include({ status: 'disabled', lastError, refusedEvents: 0 });
        expect(pendingSince).to.be.a('string');
      });
    }
    expect(servers.matomo.taken).to.deep.equal([]);
    servers.plausible.reply = undefined;
    servers.umami.reply = undefined;
    await world.api.patch(`/destinations/${wrong.id}`, { secret: TOKEN });
    for (const { id } of [gone, unknown]) {
      await world.api.patch(`/destinations/${id}`, { status: 'active' });
    }
    for (const product of ['matomo', 'plausible', 'umami'] as const) await taken(product, 1);
  });

  it('catch up after a receiver refused everything for a while', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const created = await Promise.all(PRODUCTS.map((product) => connect(product)));
    for (const [n, server] of Object.values(servers).entries()) {
      server.reply = { status: [401, 403, 404, 410][n]! };
    }
    servers.umami.reply = { status: 404 };
    for (let n = 0; n < 3; n += 1) await click(`/${link.key}`);
    await areFailing(created);
    for (const server of Object.values(servers)) server.reply = undefined;
    for (const product of PRODUCTS) await taken(product, 3);
    for (const destination of created) {
      await eventually(async () => {
        expect(await now(destination)).to.deep.include({
          status: 'active',
          failingSince: null,
          refusedEvents: 0,
          pendingSince: null,
        });
      });
    }
  });

  for (const status of [400, 403, 404, 410]) {
    it(`give up one event that is refused with ${status}, and send the others`, async () => {
      const link = (await world.api.post('/links', { url: URL_A })).body;
      const poisoned = (await world.api.post('/links', { url: URL_A })).body;
      const created = await Promise.all(PRODUCTS.map((product) => connect(product)));
      const pause = (value: string) =>
        Promise.all(
          created.map(({ id }) => world.api.patch(`/destinations/${id}`, { status: value })),
        );
      for (const server of Object.values(servers)) {
        server.replyTo = (body) =>
          JSON.stringify(body).includes(poisoned.key) ? { status } : undefined;
      }
      await pause('paused');
      for (const { key } of [poisoned, link, link]) await click(`/${key}`);
      await eventually(async () => {
        expect((await world.api.get('/analytics')).body.clicks).to.equal(3);
      });
      await pause('active');
      for (const product of PRODUCTS) await taken(product, 2);
      for (const destination of created) {
        await eventually(async () => {
          const { lastRefusedAt, ...rest } = await now(destination);
          expect(rest).to.deep.include({
            status: 'active',
            lastError: null,
            pendingSince: null,
            refusedEvents: 1,
            lastRefusal: `The receiver must respond with status 2xx, not ${status}`,
          });
          expect(Date.parse(lastRefusedAt)).to.be.greaterThan(0);
        });
      }
    });
  }

  it('give up a single event that is refused, and at most ten in a row', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const malformed = await connect('plausible');
    const blocked = await connect('umami');
    const lone = await connect('ga4');
    for (const product of ['plausible', 'umami', 'ga4'] as const) {
      servers[product].reply = { status: 400 };
    }
    servers.umami.reply = { status: 403, body: '403 Forbidden' };
    servers.ga4.reply = { status: 404 };
    await click(`/${link.key}`);
    for (const destination of [malformed, blocked]) {
      await eventually(async () => {
        expect(await now(destination)).to.deep.include({
          status: 'active',
          refusedEvents: 1,
          failingSince: null,
        });
      });
    }
    // The last event before a pause of the workspace must not disable what worked before.
    await eventually(async () => expect((await now(lone)).failingSince).to.be.a('string'));
    await nearEnd(lone, { retry_at: null, last_sent_at: new Date() });
    await eventually(async () => {
      expect(await now(lone)).to.deep.include({ status: 'active', refusedEvents: 1 });
    });
    await world.api.patch(`/destinations/${malformed.id}`, { status: 'paused' });
    for (let n = 0; n < 12; n += 1) await click(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(13);
    });
    await world.api.patch(`/destinations/${malformed.id}`, { status: 'active' });
    await eventually(async () => {
      const { refusedEvents, failingSince, pendingSince } = await now(malformed);
      expect([failingSince, pendingSince].map(Boolean)).to.deep.equal([true, true]);
      expect(refusedEvents).to.be.within(1, 10);
    });
    const { refusedEvents } = await now(malformed);
    servers.plausible.reply = undefined;
    await dueNow(malformed);
    await taken('plausible', 13 - refusedEvents);
  });

  it('find what a receiver accepts behind many events that it refuses', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const poisoned = (await world.api.post('/links', { url: URL_A })).body;
    const created = await Promise.all(PRODUCTS.map((product) => connect(product)));
    const set = (status: string) =>
      Promise.all(created.map(({ id }) => world.api.patch(`/destinations/${id}`, { status })));
    await set('paused');
    for (const [n, product] of PRODUCTS.entries()) {
      const status = [400, 403, 404, 422][n]!;
      servers[product].replyTo = (body) =>
        JSON.stringify(body).includes(poisoned.key) ? { status } : undefined;
    }
    for (let n = 0; n < 30; n += 1) await click(`/${poisoned.key}`);
    for (let n = 0; n < 5; n += 1) await click(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(35);
    });
    await set('active');
    for (const product of PRODUCTS) await taken(product, 5);
    for (const destination of created) {
      await eventually(async () => {
        expect(await now(destination)).to.deep.include({
          status: 'active',
          failingSince: null,
          pendingSince: null,
          refusedEvents: 30,
        });
      });
    }
  });

  it('give up what comes from IP addresses that Umami ignores, however much it is', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const destination = await connect('umami');
    const path = `/destinations/${destination.id}`;
    await world.api.patch(path, { status: 'paused' });
    const error = { message: 'Forbidden', code: 'forbidden', status: 403 };
    servers.umami.reply = { status: 403, body: { error } };
    for (let n = 0; n < 12; n += 1) await click(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(12);
    });
    await nearEnd(destination);
    await world.api.patch(path, { status: 'active' });
    await eventually(async () => {
      expect(await now(destination)).to.deep.include({
        status: 'active',
        failingSince: null,
        pendingSince: null,
        refusedEvents: 12,
        lastRefusal: 'Umami ignores the IP address',
      });
    });
    // A firewall may refuse everything for a while.
    for (const body of ['Access denied', '{', 'null', { error: 'forbidden' }]) {
      servers.umami.reply = { status: 403, body };
      const { requests } = servers.umami;
      await click(`/${link.key}`);
      await dueNow(destination);
      await eventually(() => expect(servers.umami.requests).to.be.above(requests));
    }
    await areFailing([destination]);
    expect(await now(destination)).to.deep.include({ refusedEvents: 12 });
    servers.umami.reply = undefined;
    await dueNow(destination);
    await taken('umami', 4);
  });

  it('count events that are too old, which say nothing about the receiver', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const destination = await connect('ga4');
    const path = `/destinations/${destination.id}`;
    await world.api.patch(path, { status: 'paused' });
    for (let n = 0; n < 12; n += 1) await click(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get('/analytics')).body.clicks).to.equal(12);
    });
    const at = new Date(Date.now() - 4 * DAY_MS).toISOString();
    await db()('destination_events')
      .where({ destination_id: destination.id })
      .update({
        event: db().raw(`jsonb_set(event::jsonb, '{occurred_at}', to_jsonb(?::text))::json`, [at]),
      });
    await nearEnd(destination, { status: 'active', failing_since: at, error: 'Refused' });
    await eventually(async () => {
      expect(await now(destination)).to.deep.include({
        status: 'active',
        failingSince: at,
        lastError: 'Refused',
        pendingSince: null,
        refusedEvents: 12,
        lastRefusal: 'The event was too old for the receiver',
      });
    });
    servers.ga4.reply = { status: 400 };
    await click(`/${link.key}`);
    await eventually(async () => {
      expect(await now(destination)).to.deep.include({
        status: 'active',
        failingSince: null,
        pendingSince: null,
        refusedEvents: 13,
      });
    });
  });

  it('count what a receiver drops, also where it does not say which', async () => {
    const link = (await world.api.post('/links', { url: URL_A })).body;
    const dropping = await connect('plausible');
    const silent = await connect('matomo');
    servers.plausible.reply = { status: 202, headers: { 'x-plausible-dropped': '1' } };
    await world.api.patch(`/destinations/${silent.id}`, { status: 'paused' });
    for (let n = 0; n < 3; n += 1) await click(`/${link.key}`);
    await eventually(async () => {
      expect(await now(dropping)).to.deep.include({
        status: 'active',
        refusedEvents: 3,
        lastRefusal: 'Plausible dropped the event',
        pendingSince: null,
      });
    });
    servers.matomo.reply = { status: 200, body: { status: 'success', tracked: 2, invalid: 1 } };
    await world.api.patch(`/destinations/${silent.id}`, { status: 'active' });
    await eventually(async () => {
      expect(await now(silent)).to.deep.include({
        status: 'active',
        refusedEvents: 1,
        lastRefusal: 'Matomo found the event invalid',
        pendingSince: null,
      });
    });
  });

  it('say which events of a period they cannot send', async () => {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const backfill = async (product: Product, start: string, end: string) => {
      const { id } = await connect(product);
      return world.api.post(`/destinations/${id}/backfill`, { start, end });
    };
    const { body } = await backfill('ga4', ago(20), ago(0));
    const unsentMs = Date.now() - Date.parse(body.backfill.unsentBefore);
    expect(unsentMs).to.be.within(71 * 3_600_000, 72 * 3_600_000);
    const late = await backfill('ga4', ago(20), ago(4));
    expect(late.status).to.equal(422);
    expect(late.body.error.message).to.match(/^end must be within the last 71.5 hours/);
    const now422 = await backfill('plausible', ago(1), ago(0));
    expect(now422.status).to.equal(422);
    expect(now422.body.error.message).to.match(/dates events by their arrival$/);
    expect((await backfill('matomo', ago(20), ago(0))).body.backfill.unsentBefore).to.equal(null);
  });

  it('refuse settings and secrets that they cannot use', async () => {
    const bad: [product: Product, fields: object, message: string][] = [
      ['matomo', { settings: { siteId: 7 } }, 'url is required'],
      ['matomo', { settings: { siteId: 0, url: 'https://a.example' } }, 'siteId must be'],
      ['matomo', { settings: { siteId: 7, url: 'https://a.example/?b' } }, 'no query'],
      ['matomo', { settings: { siteId: 7, url: 'http://10.0.0.1' } }, 'private IP address'],
      ['matomo', { secret: undefined }, 'secret is required with the type "matomo"'],
      ['ga4', { settings: { measurementId: 'UA-1' } }, 'measurementId'],
      ['plausible', { settings: { domain: 'a b' } }, 'domain must be'],
      ['plausible', { secret: 'a' }, 'secret must not be set with the type "plausible"'],
      ['umami', { settings: { websiteId: '7' } }, 'websiteId must be'],
    ];
    for (const [type, fields, message] of bad) {
      const body = { type, name: 'a', settings: SETTINGS[type], secret: SECRETS[type], ...fields };
      const url = 'https://a.example/';
      const whole = 'settings' in fields ? body : { ...body, settings: { ...SETTINGS[type], url } };
      const answer = await world.api.post('/destinations', whole);
      expect(answer.status, JSON.stringify(fields)).to.equal(422);
      expect(answer.body.error.message).to.contain(message);
    }
    const { id } = await connect('matomo');
    const moved = { settings: { url: 'https://other.example/' } };
    const { status, body } = await world.api.patch(`/destinations/${id}`, moved);
    expect(status).to.equal(422);
    expect(body.error.message).to.equal('secret must be set again with another url');
    const path = `/destinations/${id}`;
    expect((await world.api.patch(path, { ...moved, secret: 'b' })).status).to.equal(200);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { db } from '../../src/infra/db.ts';
import { AnalyticsServer, type Product, SECRETS, SETTINGS } from '../support/analytics-servers.ts';
import { eventually } from '../support/eventually.ts';
import { RedisNode } from '../support/redis-node.ts';
import { entriesOf } from '../support/streams.ts';
import { aWorkspace, type World } from '../support/world.ts';

describe('test events of destinations', () => {
  let world: World;
  let server: AnalyticsServer | undefined;

  beforeEach(async () => {
    world = await aWorkspace();
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  async function connect(type: string, settings: object, secret?: string) {
    const answer = await world.api.post('/destinations', { type, name: type, settings, secret });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  }

  async function connectTo(product: Product) {
    server = await new AnalyticsServer(product).start();
    const settings = { ...SETTINGS[product], url: server.url };
    return { server, id: await connect(product, settings, SECRETS[product]) };
  }

  const now = async (id: string) => (await world.api.get(`/destinations/${id}`)).body;

  /** Requests a test, and returns its result. */
  async function test(id: string) {
    const { status, body } = await world.api.post(`/destinations/${id}/test`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.lastTest).to.include({ durationMs: null, response: null, error: null });
    return eventually(async () => {
      const { lastTest } = await now(id);
      expect(lastTest.id).to.equal(body.lastTest.id);
      expect(lastTest.state).not.to.equal('pending');
      expect(lastTest.durationMs).to.be.a('number');
      return lastTest;
    });
  }

  const marks: Record<Product, (body: unknown) => unknown> = {
    matomo: (body) => (body as { action_name: string }).action_name,
    ga4: (body) => (body as { events: { params: object }[] }).events[0]!.params,
    plausible: (body) => (body as { props: object }).props,
    umami: (body) => (body as { payload: object }).payload,
  };
  const accepted: Record<Product, { status: number; mark: (id: string) => unknown }> = {
    matomo: { status: 200, mark: () => 'Test event' },
    ga4: { status: 204, mark: (event_id) => ({ event_id, debug_mode: 1, test: 'true' }) },
    plausible: { status: 202, mark: (event_id) => ({ event_id, type: 'link', test: 'true' }) },
    umami: { status: 200, mark: () => ({ tag: 'test' }) },
  };

  for (const product of Object.keys(SETTINGS) as Product[]) {
    it(`are sent to ${product} with a mark, once, and leave the queue as it is`, async () => {
      const { server: receiver, id } = await connectTo(product);
      const { status, mark } = accepted[product];
      const result = await test(id);
      expect(result).to.include({ state: 'succeeded', status, error: null });
      expect(receiver.faults).to.deep.equal([]);
      expect(receiver.taken).to.have.length(1);
      const sent = marks[product](receiver.taken[0]!.body);
      if (typeof sent === 'string') expect(sent).to.equal(mark(result.id));
      else expect(sent).to.deep.include(mark(result.id));
      expect(await now(id)).to.deep.include({
        status: 'active',
        lastSentAt: null,
        pendingSince: null,
        refusedEvents: 0,
      });
    });
  }

  it('are sent to a stream of Redis, and say what Redis answers', async () => {
    const node = new RedisNode(await freePort(), ['requirepass stream-password']);
    await node.start();
    try {
      const settings = { url: `redis://127.0.0.1:${node.port}`, stream: world.projectId };
      const id = await connect('redis', settings, 'stream-password');
      const result = await test(id);
      expect(result).to.include({ state: 'succeeded', status: null, response: null });
      const [entry] = await entriesOf(node.port, 'stream-password', world.projectId);
      expect(entry).to.deep.include({ id: result.id, type: 'link.clicked' });
      expect(entry!.data).to.deep.include({ test: true });
      await world.api.patch(`/destinations/${id}`, { secret: 'wrong' });
      const { state, error } = await test(id);
      expect(state).to.equal('failed');
      expect(error).to.match(/^Redis answered: WRONGPASS/);
    } finally {
      await node.stop();
    }
  });

  it('show each kind of failure of the receiver, without disabling the destination', async () => {
    const { server: receiver, id } = await connectTo('plausible');
    const replies = [
      [
        { status: 400, body: 'url is invalid' },
        'The receiver must respond with status 2xx, not 400',
      ],
      [{ status: 401, body: 'who?' }, 'The receiver must respond with status 2xx, not 401'],
      [{ status: 404, body: '' }, 'The receiver must respond with status 2xx, not 404'],
      [{ status: 503, body: 'busy' }, 'The receiver must respond with status 2xx, not 503'],
      [
        { status: 202, body: 'ok', headers: { 'x-plausible-dropped': '1' } },
        'Plausible dropped the event',
      ],
    ] as const;
    for (const [reply, error] of replies) {
      receiver.reply = reply;
      const { status, body: response } = reply;
      expect(await test(id)).to.include({ state: 'failed', status, response, error });
    }
    await receiver.stop();
    expect(await test(id)).to.include({
      state: 'failed',
      status: null,
      response: null,
      error: 'The receiver must have a host that responds over HTTP',
    });
    expect(await now(id)).to.include({ status: 'active', failingSince: null, refusedEvents: 0 });
  });

  it('name what a product itself refuses', async () => {
    const matomo = await connectTo('matomo');
    await world.api.patch(`/destinations/${matomo.id}`, { secret: 'wrong' });
    const invalid = await test(matomo.id);
    expect(invalid).to.include({
      state: 'failed',
      status: 200,
      error: 'Matomo must know the site, and the token must be allowed to track it',
    });
    await matomo.server.stop();
    const umami = await connectTo('umami');
    umami.server.reply = { status: 400, body: { error: { message: 'Website not found.' } } };
    expect(await test(umami.id)).to.include({ error: 'Umami must know the website' });
  });

  it('ask the validation server of Google Analytics first, where there is one', async () => {
    const { server: receiver, id } = await connectTo('ga4');
    const found = { fieldPath: 'events', description: 'The name is invalid.' };
    receiver.reply = { status: 200, body: { validationMessages: [found] } };
    const refused = await test(id);
    expect(refused).to.include({
      state: 'failed',
      status: 200,
      error: 'Google Analytics found errors: events The name is invalid.',
    });
    expect(receiver.requests).to.equal(1);
    expect(JSON.parse(refused.response)).to.deep.equal({ validationMessages: [found] });
    // A server container has only the endpoint that collects.
    receiver.reply = { status: 404 };
    expect(await test(id)).to.include({ state: 'failed', status: 404 });
    receiver.reply = { status: 200, body: 'not JSON' };
    expect(await test(id)).to.include({ state: 'succeeded', status: 200 });
  });

  it('show no secret, even if the receiver repeats the request', async () => {
    const secret = 'a "secret" & more';
    const echo = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        response.writeHead(403).end(`${request.url} ${Buffer.concat(pieces).toString()} ${secret}`);
      });
    });
    const url = await listening(echo);
    try {
      const matomo = await connect('matomo', { url, siteId: 7 }, secret);
      const ga4 = await connect('ga4', { url, measurementId: 'G-ABCD123456' }, secret);
      for (const id of [matomo, ga4]) {
        const { response } = await test(id);
        expect(response)
          .to.contain('[secret]')
          .and.not.to.match(/secret\W.{0,8}more/);
        const [{ test: stored }] = await db()('destinations').where({ id }).select('test');
        expect(JSON.stringify(stored)).not.to.match(/secret\W.{0,8}more/);
      }
    } finally {
      echo.close();
    }
  });

  it('end after the timeout of a receiver that does not respond', async () => {
    const silent = createServer(() => {});
    const url = await listening(silent);
    try {
      const id = await connect('plausible', { url, domain: 'stats.example' });
      expect(await test(id)).to.include({
        state: 'failed',
        status: null,
        error: 'The receiver must respond completely within 15 s',
      });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('name a host that is unknown, or that the operator does not allow', async () => {
    const url = 'https://receiver.invalid/';
    const id = await connect('plausible', { url, domain: 'stats.example' });
    const unknown = await test(id);
    expect(unknown).to.include({ state: 'failed', status: null });
    expect(unknown.error).to.match(/^The receiver must have a host name that/);
    const redis = await connect('redis', { url: 'redis://10.0.0.1', stream: 's' });
    expect(await test(redis)).to.include({
      state: 'failed',
      error: 'The server must not point to a private IP address',
    });
  });

  it('are sent while a destination is paused or fails, and refused while it is disabled', async () => {
    const { server: receiver, id } = await connectTo('umami');
    const path = `/destinations/${id}`;
    await world.api.patch(path, { status: 'paused' });
    expect(await test(id)).to.include({ state: 'succeeded' });
    await world.api.patch(path, { status: 'active' });
    const retry_at = new Date(Date.now() + 3_600_000);
    await db()('destinations').where({ id }).update({ failures: 9, retry_at });
    expect(await test(id)).to.include({ state: 'succeeded' });
    await db()('destinations').where({ id }).update({ status: 'disabled' });
    const { status, body } = await world.api.post(`${path}/test`);
    expect(status).to.equal(409);
    expect(body.error.message).to.equal('The destination is disabled. Activate it, then test it');
    expect(receiver.taken).to.have.length(2);
    expect((await world.api.post('/destinations/dest_none/test')).status).to.equal(404);
  });

  it('need the scope webhooks.write', async () => {
    const { id } = await connectTo('umami');
    const reader = await world.withScopes('webhooks.read');
    expect((await reader.post(`/destinations/${id}/test`)).status).to.equal(403);
    expect((await reader.get(`/destinations/${id}`)).body.lastTest).to.equal(null);
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

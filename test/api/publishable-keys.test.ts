import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { endpoint, routes } from '../../src/api/routes.ts';
import { PEERS } from '../../src/compat/peers.ts';
import { toOrigin } from '../../src/keys/origins.ts';
import { browser } from '../support/browser.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const SHOP = 'https://shop.example';
const LEAD = { customerExternalId: 'cus-1', eventName: 'Sign up' };
const SALE = { customerExternalId: 'cus-1', amount: 1999 };
const DETAILS = { customerName: 'Ada', customerEmail: 'ada@shop.example' };
const NEEDS_SECRET = /^A publishable key can only send POST \/track\/lead and POST \/track\/sale/;

/** An address of a visitor, since requests with a publishable key are limited by address. */
const anAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

describe('publishable keys', () => {
  let world: World;
  let api: ApiClient;

  beforeEach(async () => {
    world = await aWorkspace();
    ({ api } = world);
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  async function aKey(fields: object = {}, by = api): Promise<any> {
    const key = { type: 'publishable', name: 'shop', origins: [SHOP], ...fields };
    const { status, body } = await by.post('/keys', key);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  /** A client on a page. */
  const pageOf = (
    key: string,
    { origin = SHOP, address = anAddress(), headers = {} }: PageOptions = {},
  ) =>
    new ApiClient(key, {
      ...(origin === null ? {} : { origin }),
      'x-forwarded-for': address,
      ...headers,
    });

  async function aPage(fields: object = {}): Promise<ApiClient> {
    const { key } = await aKey(fields);
    return pageOf(key);
  }

  function refused({ status, body }: ApiAnswer, code: number, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  /** Clicks a new link, and resolves with the id of the click. */
  async function aClick(): Promise<string> {
    const { body: link } = await api.post('/links', { url: SHOP, trackConversion: true });
    const { headers } = await world.visit(`/${link.key}`, { userAgent: browser(randomInt(1e6)) });
    return new URL(headers.location!).searchParams.get('click_id')!;
  }

  const customer = async (externalId = 'cus-1') =>
    (await api.get(`/customers/ext_${externalId}`)).body;
  const events = async (event: string) => (await api.get('/events', { event })).body;

  describe('as records', () => {
    it('are created, shown again, changed and revoked', async () => {
      const { key, ...record } = await aKey({ origins: ['HTTPS://Shop.Example:443', SHOP] });
      expect(key).to.match(/^pk_[0-9A-Za-z]{32}$/);
      expect(record).to.deep.include({
        type: 'publishable',
        publicKey: key,
        origins: [SHOP],
        scopes: ['conversions.write'],
        yourlsSignatures: false,
      });
      expect(record.hint).to.equal(`${key.slice(0, 7)}…`);
      const path = `/keys/${record.id}`;
      expect((await api.get(path)).body).to.deep.equal(record);
      expect((await api.get('/keys')).body[0]).to.deep.equal(record);
      const changes = {
        name: 'site',
        origins: ['https://bücher.example', 'http://localhost:8080'],
      };
      const { body: changed } = await api.patch(path, changes);
      expect(changed).to.deep.equal({
        ...record,
        name: 'site',
        origins: ['https://xn--bcher-kva.example', 'http://localhost:8080'],
      });
      expect((await api.patch(path, { name: 'shop' })).body.origins).to.deep.equal(changed.origins);
      expect((await api.delete(path)).status).to.equal(200);
      expect((await api.get(path)).status).to.equal(404);
    });

    it('are not created without origins, or with anything but origins', async () => {
      const create = (fields: object) =>
        api.post('/keys', { type: 'publishable', name: 'shop', ...fields });
      refused(await create({}), 422, /^origins is required where type is publishable$/);
      refused(await create({ origins: [] }), 422, /^origins must contain at least 1 item$/);
      const many = Array.from({ length: 21 }, (_, n) => `https://s${n}.example`);
      refused(await create({ origins: many }), 422, /^origins must contain at most 20 items$/);
      refused(await create({ origins: SHOP }), 422, /^origins must be an array$/);
      for (const origin of [
        'shop.example',
        'http://shop.example',
        'https://shop.example/path',
        'https://shop.example?a=b',
        'https://shop.example#a',
        'https://user@shop.example',
        'https://*.shop.example',
        'https://*',
        'https://shop.example.',
        'https://shop.example:99999',
        'https://a b.example',
        'http://localhost.shop.example',
        'http://127.0.0.1.shop.example',
        'ftp://shop.example',
        'null',
        '*',
        '',
      ]) {
        const answer = await create({ origins: [SHOP, origin] });
        refused(answer, 422, /^origins\[1\] must (?:be the origin of a page|not be empty)/);
      }
    });

    it('have no scopes to choose and no signatures, and secret keys no origins', async () => {
      const create = (fields: object) => api.post('/keys', { name: 'shop', ...fields });
      const publishable = { type: 'publishable', origins: [SHOP] };
      refused(
        await create({ ...publishable, scopes: ['*'], yourlsSignatures: true }),
        422,
        /^scopes must not be set where type is publishable; yourlsSignatures must not be set where/,
      );
      refused(
        await create({ origins: [SHOP] }),
        422,
        /^origins must not be set where type is secret$/,
      );
      refused(await create({ type: 'public' }), 422, /^type must be one of/);
      const { id } = await aKey();
      refused(
        await api.patch(`/keys/${id}`, { scopes: ['*'] }),
        422,
        /^scopes must not be set where type is publishable$/,
      );
      const { body: secret } = await create({});
      refused(
        await api.patch(`/keys/${secret.id}`, { origins: [SHOP] }),
        422,
        /^origins must not be set where type is secret$/,
      );
      expect((await api.get(`/keys/${id}`)).body.scopes).to.deep.equal(['conversions.write']);
      expect((await api.get(`/keys/${secret.id}`)).body.origins).to.deep.equal([]);
    });

    it('need the scope that they have', async () => {
      const lesser = await world.withScopes('keys.write', 'links.write');
      const beyond = /^scopes must not contain "conversions.write", which the caller lacks/;
      const body = { type: 'publishable', name: 'shop', origins: [SHOP] };
      refused(await lesser.post('/keys', body), 403, beyond);
      const { id } = await aKey();
      refused(await lesser.patch(`/keys/${id}`, { origins: ['https://a.example'] }), 403, beyond);
      refused(await lesser.post(`/keys/${id}/rotate`), 403, beyond);
    });

    it('belong to one workspace', async () => {
      const { id } = await aKey();
      const other = await aWorkspace();
      expect((await other.api.get(`/keys/${id}`)).status).to.equal(404);
      expect((await other.api.post(`/keys/${id}/rotate`)).status).to.equal(404);
      expect((await other.api.patch(`/keys/${id}`, { origins: [SHOP] })).status).to.equal(404);
      expect((await other.api.get('/keys')).body).to.have.length(1);
    });

    it('are replaced by a rotation, and are publishable then', async () => {
      const clickId = await aClick();
      const { id, key } = await aKey();
      const { body: rotated } = await api.post(`/keys/${id}/rotate`);
      expect(rotated.key).to.match(/^pk_/).and.not.equal(key);
      expect(rotated).to.deep.include({ type: 'publishable', publicKey: rotated.key, id });
      const lead = { ...LEAD, clickId };
      refused(await pageOf(key).post('/track/lead', lead), 401, /not known/);
      expect((await pageOf(rotated.key).post('/track/lead', lead)).status).to.equal(200);
    });

    it('stop working when they expire or are revoked', async () => {
      const expiresAt = new Date(Date.now() + 1_500).toISOString();
      const { key: expiring } = await aKey({ expiresAt });
      const { id, key } = await aKey();
      await api.delete(`/keys/${id}`);
      refused(await pageOf(key).post('/track/sale', SALE), 401, /revoked/);
      await eventually(async () => {
        refused(await pageOf(expiring).post('/track/sale', SALE), 401, /expired/);
      });
    });

    it('are in the audit log', async () => {
      const { id } = await aKey();
      await api.patch(`/keys/${id}`, { origins: ['https://other.example'] });
      const { body } = await api.get('/audit-log', { target: id });
      expect(body.map(({ action }: { action: string }) => action)).to.deep.equal([
        'apiKey.update',
        'apiKey.create',
      ]);
    });

    it('have origins in the form of browsers, or none', () => {
      fc.assert(
        fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webAuthority()), (text) => {
          const origin = toOrigin(text);
          if (origin === undefined) return;
          expect(new URL(origin).origin).to.equal(origin);
          expect(toOrigin(origin)).to.equal(origin);
          expect(text.replace(/\/$/, '').split('/')).to.have.length(3);
        }),
      );
    });
  });

  describe('on pages', () => {
    it('record a lead and a sale', async () => {
      const page = await aPage();
      const clickId = await aClick();
      const lead = { ...LEAD, ...DETAILS, clickId, metadata: { plan: 'pro' } };
      const { status, body } = await page.post('/track/lead', lead);
      expect(status).to.equal(200);
      expect(body).to.deep.include({ customerId: 'cus-1', clickId, metadata: { plan: 'pro' } });
      const sale = await page.post('/track/sale', { ...SALE, currency: 'eur' });
      expect(sale.status).to.equal(200);
      expect(sale.body).to.deep.include({ customerId: 'cus-1', paymentProcessor: 'custom' });
      const [leadEvent] = await events('leads');
      expect(leadEvent).to.deep.include({ eventName: 'Sign up' });
      expect(leadEvent.click.id).to.equal(clickId);
      const [saleEvent] = await events('sales');
      expect(saleEvent.click.id).to.equal(clickId);
      expect(await customer()).to.deep.include({ name: 'Ada', email: DETAILS.customerEmail });
    });

    it('can read the response from the listed origin only', async () => {
      const { key } = await aKey({ origins: [SHOP, 'https://www.shop.example'] });
      for (const origin of [SHOP, 'https://www.shop.example']) {
        const { status, headers } = await pageOf(key, { origin }).post('/track/sale', SALE);
        expect(status).to.equal(200);
        expect(headers.get('access-control-allow-origin')).to.equal(origin);
        expect(headers.get('access-control-allow-credentials')).to.equal(null);
        expect(headers.get('vary')).to.contain('Origin');
      }
      // Refusals too.
      const invalid = await pageOf(key).post('/track/sale', {});
      expect(invalid.status).to.equal(422);
      expect(invalid.headers.get('access-control-allow-origin')).to.equal(SHOP);
    });

    it('may send a preflight request, which has no key', async () => {
      for (const path of ['/track/lead', '/track/sale']) {
        const { status, headers } = await fetch(stack().apiUrl + path, {
          method: 'OPTIONS',
          headers: {
            origin: SHOP,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization,content-type',
          },
        });
        expect(status).to.equal(204);
        expect(headers.get('access-control-allow-origin')).to.equal('*');
        expect(headers.get('access-control-allow-methods')).to.equal('POST, OPTIONS');
        expect(headers.get('access-control-allow-headers')).to.equal('Content-Type, Authorization');
      }
      const { headers } = await fetch(`${stack().apiUrl}/track/refund`, {
        method: 'OPTIONS',
        headers: { origin: SHOP, 'access-control-request-method': 'POST' },
      });
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    });

    it('are refused to pages of other origins, and to programs without one', async () => {
      const { key } = await aKey({ origins: [SHOP, 'http://localhost:8080'] });
      const ask = (origin: string | null) => pageOf(key, { origin }).post('/track/sale', SALE);
      refused(await ask(null), 403, /for web pages, whose browser sends the header Origin/);
      for (const origin of [
        'null',
        'https://evil.example',
        'https://shop.example.evil.example',
        'https://www.shop.example',
        'https://shop.example:8443',
        'https://shop.example/',
        'http://shop.example',
        'HTTPS://SHOP.EXAMPLE',
        'http://localhost',
        `${SHOP}, https://evil.example`,
      ]) {
        const answer = await ask(origin);
        refused(answer, 403, /^The page must be of one of the origins of the key, not /);
        expect(answer.headers.get('access-control-allow-origin'), origin).to.equal(null);
      }
      expect(await events('sales')).to.deep.equal([]);
    });

    it('are refused for visitors who ask for privacy', async () => {
      const { key } = await aKey();
      for (const header of ['sec-gpc', 'dnt']) {
        const page = pageOf(key, { headers: { [header]: '1' } });
        refused(await page.post('/track/sale', SALE), 403, /asks not to be tracked/);
        const asked = pageOf(key, { headers: { [header]: '0' } });
        expect((await asked.post('/track/sale', SALE)).status).to.equal(200);
      }
      expect(await events('sales')).to.have.length(2);
    });

    it('do nothing else: every other endpoint refuses them', async () => {
      const { id, key } = await aKey();
      const params: Record<string, string> = { id };
      const tried = [];
      for (const route of routes) {
        if (route.scope === 'public' || route.isForPages === true) continue;
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x');
        const answer = await fetch(stack().apiUrl + path, {
          method: route.method.toUpperCase(),
          headers: { authorization: `Bearer ${key}`, origin: SHOP, 'x-forwarded-for': anAddress() },
        });
        const text = await answer.text();
        expect(answer.status, `${route.method} ${path}: ${text}`).to.equal(403);
        expect(JSON.parse(text).error.message).to.match(NEEDS_SECRET);
        tried.push(path);
      }
      expect(tried.length).to.be.above(100);
      expect(routes.filter(({ isForPages }) => isForPages === true)).to.have.length(2);
      // Endpoints for a key’s own data too.
      expect(tried).to.include(`/keys/${id}`);
      expect((await api.get(`/keys/${id}`)).status).to.equal(200);
    });

    it('open neither the tools for agents nor the interfaces of other services', async () => {
      const { id, key } = await aKey();
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(stack().apiUrl + path, {
          ...init,
          headers: {
            authorization: `Bearer ${key}`,
            'x-api-key': key,
            'x-forwarded-for': anAddress(),
            // A form has a type of its own.
            ...(typeof init.body === 'string' ? { 'content-type': 'application/json' } : {}),
            accept: 'application/json, text/event-stream',
          },
        });
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const mcp = await ask('/mcp', { method: 'POST', body: JSON.stringify(message) });
      expect(mcp.status).to.equal(403);
      expect((await mcp.json()).error.message).to.match(NEEDS_SECRET);
      let tried = 0;
      for (const peer of PEERS) {
        for (const route of peer.routes) {
          const { operation } = route;
          if (operation === undefined || endpoint(operation).scope === 'public') continue;
          const path = (peer.path + route.path).replaceAll(/\{(\w+)\}/g, 'x');
          const query = `?apiKey=${key}&signature=${key}`;
          const method = route.method.toUpperCase();
          const body = route.takes === 'form' ? new URLSearchParams({ signature: key }) : '{}';
          const answer = await ask(path + query, method === 'GET' ? {} : { method, body });
          const text = await answer.text();
          expect(answer.status, `${method} ${path}: ${text}`).to.be.oneOf([401, 403]);
          tried += 1;
        }
      }
      expect(tried).to.be.above(50);
      const yourls = `/compat/yourls/${id}/yourls-api.php?action=stats&timestamp=1&signature=a`;
      expect((await ask(yourls)).status).to.be.oneOf([401, 403]);
    });

    it('are limited by address, apart from the workspace’s software', async () => {
      const { key } = await aKey();
      await world.set({ requestsPerMinute: 1 });
      const first = await pageOf(key).post('/track/sale', SALE);
      // A visitor does not read how many others there are.
      expect(first.headers.get('ratelimit-policy')).to.match(/^"public";/);
      for (let n = 1; n < 10; n += 1) await pageOf(key).post('/track/sale', SALE);
      const over = await pageOf(key).post('/track/sale', SALE);
      refused(over, 429, /^All pages of the workspace together may send 10 requests a minute/);
      expect(over.headers.get('ratelimit-policy')).to.equal('"page";q=10;w=60');
      expect(over.headers.get('access-control-allow-origin')).to.equal(SHOP);
      const { headers } = await api.post('/track/sale', SALE);
      expect(headers.get('ratelimit')).to.match(/^"track";r=9;/);

      await world.set({ requestsPerMinute: 0 });
      const address = anAddress();
      const unlisted = pageOf(key, { address, origin: 'https://evil.example' });
      const { headers: limits } = await unlisted.post('/track/sale', SALE);
      expect(limits.get('ratelimit')).to.match(/^"public";r=299;/);
      const flood = pageOf(key, { address });
      const answers = await Promise.all(
        Array.from({ length: 310 }, () => flood.post('/track/lead', {})),
      );
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited.length).to.be.at.least(10);
      refused(limited[0]!, 429, /^An address may send 300 requests a minute/);
      expect((await pageOf(key).post('/track/sale', SALE)).status).to.equal(200);
    });

    it('need the plan of the endpoint', async () => {
      const { key } = await aKey();
      await world.set({ plan: 'pro' });
      refused(await pageOf(key).post('/track/sale', SALE), 403, /business plan/);
    });
  });

  describe('let a visitor', () => {
    it('change nothing of an existing customer', async () => {
      const page = await aPage();
      const [theirs, clickId] = [await aClick(), await aClick()];
      await api.post('/track/lead', { ...LEAD, ...DETAILS, clickId: theirs });
      await api.post('/customers', { externalId: 'cus-2', name: 'Grace' });
      const before = await customer();
      const bare = await customer('cus-2');
      const forged = {
        customerName: 'Eve',
        customerEmail: 'eve@evil.example',
        customerAvatar: 'https://evil.example/eve.png',
      };
      for (const customerExternalId of ['cus-1', 'cus-2']) {
        const lead = { ...LEAD, ...forged, customerExternalId, clickId };
        expect((await page.post('/track/lead', lead)).status).to.equal(200);
        const deferred = { ...lead, deferred: true };
        expect((await page.post('/track/lead', deferred)).status).to.equal(200);
        const sale = { ...SALE, ...forged, customerExternalId, clickId };
        expect((await page.post('/track/sale', sale)).status).to.equal(200);
      }
      const stored = ({ name, email, avatar, country }: Record<string, unknown>) => ({
        name,
        email,
        avatar,
        country,
      });
      expect(stored(await customer())).to.deep.equal(stored(before));
      expect(stored(await customer('cus-2'))).to.deep.equal(stored(bare));
      // A later lead of the software still belongs to the click that it has named.
      const { body } = await api.post('/track/lead', { ...LEAD, eventName: 'Trial' });
      expect(body.clickId).to.equal(theirs);
      // The software can correct what a page has sent.
      await page.post('/track/sale', { ...SALE, ...forged, customerExternalId: 'cus-3' });
      await api.post('/track/sale', { ...SALE, ...DETAILS, customerExternalId: 'cus-3' });
      expect((await customer('cus-3')).name).to.equal('Ada');
    });

    it('learn nothing of a customer', async () => {
      const page = await aPage();
      const clickId = await aClick();
      const secret = { metadata: { note: 'secret' } };
      await api.post('/track/lead', { ...LEAD, ...DETAILS, clickId, ...secret });
      await api.post('/track/sale', { ...SALE, invoiceId: 'inv-1', ...secret });
      const known: ApiAnswer[] = [];
      const unknown: ApiAnswer[] = [];
      for (const [answers, customerExternalId] of [
        [known, 'cus-1'],
        [unknown, 'cus-9'],
      ] as const) {
        answers.push(
          await page.post('/track/lead', { ...LEAD, customerExternalId, clickId }),
          await page.post('/track/lead', { ...LEAD, customerExternalId }),
          await page.post('/track/lead', { ...LEAD, customerExternalId, deferred: true }),
          await page.post('/track/sale', { ...SALE, customerExternalId }),
          await page.post('/track/sale', { ...SALE, customerExternalId, invoiceId: 'inv-1' }),
          await page.post('/track/sale', { ...SALE, customerExternalId, knownCustomer: true }),
          await page.post('/track/sale', { ...SALE, customerExternalId, leadEventName: 'None' }),
        );
      }
      const told = ({ status, body }: ApiAnswer) =>
        JSON.stringify([status, body]).replaceAll('cus-9', 'cus-1');
      expect(known.map(told)).to.deep.equal(unknown.map(told));
      const statuses = known.map(({ status }) => status);
      expect(statuses).to.deep.equal([200, 422, 422, 200, 200, 422, 422]);
      expect(known.map(told).join()).to.not.match(/secret|Ada|ada@/);
    });

    it('not read the job of a request', async () => {
      const { key } = await aKey();
      const page = pageOf(key, { headers: { prefer: 'respond-async' } });
      const { status, body, headers } = await page.post('/track/sale', SALE);
      expect(status).to.equal(202);
      expect(Object.keys(body)).to.deep.equal(['id', 'status']);
      expect(headers.get('location')).to.equal(`/jobs/${body.id}`);
      refused(await pageOf(key).get(`/jobs/${body.id}`), 403, NEEDS_SECRET);
      expect((await api.get(`/jobs/${body.id}`)).status).to.equal(404);
      await eventually(async () => expect(await events('sales')).to.have.length(1));
    });

    it('claim nothing that only software can know', async () => {
      const page = await aPage();
      const clickId = await aClick();
      const timestamp = new Date(Date.now() - 60_000).toISOString();
      const not = (field: string) =>
        new RegExp(`(?:^|; )${field} must not be set with a publishable key`);
      const fields = { timestamp, quantity: 2 };
      for (const [name, value] of Object.entries(fields)) {
        const answer = await page.post('/track/lead', { ...LEAD, clickId, [name]: value });
        refused(answer, 422, not(name));
      }
      for (const [name, value] of Object.entries({
        timestamp,
        paymentProcessor: 'stripe',
        leadEventName: 'Sign up',
        knownCustomer: true,
      })) {
        refused(await page.post('/track/sale', { ...SALE, [name]: value }), 422, not(name));
      }
      refused(await page.post('/track/lead', LEAD), 422, /^clickId is required with a publishable/);
      expect(await events('leads')).to.deep.equal([]);
      expect(await events('sales')).to.deep.equal([]);
    });

    it('take no invoice of the software or of another customer', async () => {
      const page = await aPage();
      const invoice = { invoiceId: 'inv-1' };
      const forged = { ...SALE, ...invoice, amount: 0, customerExternalId: 'eve' };
      expect((await page.post('/track/sale', forged)).status).to.equal(200);
      // The page of the customer, twice.
      const theirs = { ...SALE, ...invoice };
      expect((await page.post('/track/sale', theirs)).status).to.equal(200);
      const repeat = await page.post('/track/sale', theirs);
      expect(repeat.headers.get('idempotent-replayed')).to.equal('true');
      refused(await page.post('/track/sale', { ...theirs, amount: 1 }), 409, /other contents/);
      // The software.
      expect((await api.post('/track/refund', invoice)).status).to.equal(404);
      const sale = await api.post('/track/sale', { ...SALE, ...invoice, amount: 2_000 });
      expect([sale.status, sale.headers.get('idempotent-replayed')]).to.deep.equal([200, null]);
      expect((await api.post('/track/refund', invoice)).body.amount).to.equal(2_000);
      const amounts = (await events('sales')).map(({ sale: { amount } }: Sold) => amount);
      expect(amounts.toSorted()).to.deep.equal([0, 1999, 2000]);
    });

    it('not send a cookie instead of the key', async () => {
      const { token } = await aPerson({ in: { ...world, role: 'owner' } });
      const answer = await fetch(`${stack().apiUrl}/track/sale`, {
        method: 'POST',
        headers: {
          origin: SHOP,
          cookie: `session=${token}`,
          'x-workspace': world.slug,
          'content-type': 'application/json',
        },
        body: JSON.stringify(SALE),
      });
      expect(answer.status).to.equal(403);
      expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
    });
  });
});

interface PageOptions {
  origin?: string | null;
  address?: string;
  headers?: Record<string, string>;
}

interface Sold {
  sale: { amount: number };
}

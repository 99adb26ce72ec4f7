import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Requests to the API of Dub that its SDK does not send, or whose answers it does not check: older
 * names of fields, paths outside of the SDK, cursors, filters that exclude.
 */

const A = 'https://example.com/a';

describe('the API of Dub', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  type Answer = { status: number; body: any };

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${stack().apiUrl}/compat/dub${path}`, {
      method,
      headers: {
        authorization: `Bearer ${world.apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }
  const get = (path: string) => send('GET', path);
  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    send('POST', path, body, headers);
  const patch = (path: string, body: unknown) => send('PATCH', path, body);

  function refused({ status, body }: Answer, code: number, message: RegExp): void {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  async function created(path: string, body: unknown) {
    const answer = await post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body;
  }

  describe('links', () => {
    const urlAfter = async (id: string, change: object): Promise<string> => {
      const { status, body } = await patch(`/links/${id}`, change);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.url;
    };

    it('keep UTM parameters in place, and with a new destination', async () => {
      const { id } = await created('/links', { url: A });
      const url = 'https://example.com/';
      const of = (query: string) => `${url}?${query}`;
      expect(
        await urlAfter(id, { url: 'https://example.com', utm_source: 'a', utm_medium: 'm' }),
      ).to.equal(of('utm_source=a&utm_medium=m'));
      expect(await urlAfter(id, { utm_source: 'b', utm_campaign: 'c' })).to.equal(
        of('utm_source=b&utm_medium=m&utm_campaign=c'),
      );
      expect(await urlAfter(id, { url: 'https://example.com/x' })).to.equal(
        'https://example.com/x?utm_source=b&utm_medium=m&utm_campaign=c',
      );
      expect(await urlAfter(id, { utm_campaign: '' })).to.equal(
        'https://example.com/x?utm_source=b&utm_medium=m',
      );
      expect(await urlAfter(id, { url: `${A}?utm_source=own`, utm_term: 't' })).to.equal(
        `${A}?utm_source=own&utm_medium=m&utm_term=t`,
      );
    });

    it('have ref in the destination, and nothing else changed', async () => {
      const own = 'https://example.com/?q=a%20b&ref=own#part';
      const { id, url } = await created('/links', { url: own, ref: 'a b', utm_source: 's' });
      expect(url).to.equal('https://example.com/?q=a%20b&ref=a%20b&utm_source=s#part');
      const changed = 'https://example.com/?q=a%20b&ref=c&utm_source=s#part';
      expect(await urlAfter(id, { ref: 'c' })).to.equal(changed);
      expect(await urlAfter(id, { title: 'New' })).to.equal(changed);
      expect(await urlAfter(id, { ref: null })).to.equal(
        'https://example.com/?q=a%20b&utm_source=s#part',
      );
      expect(await urlAfter(id, { url: A, ref: 'd' })).to.equal(`${A}?ref=d&utm_source=s`);
      refused(await patch(`/links/${id}`, { ref: 5 }), 422, /^ref must be a text/);
      const several = await patch('/links/bulk', { linkIds: [id], data: { ref: 'e' } });
      refused(several, 422, /^ref must come with url/);
    });

    it('have no UTM parameter that is too long for Dub', async () => {
      const longest = { url: A, utm_source: 'a'.repeat(255) };
      const { id, utm_source } = await created('/links', longest);
      expect(utm_source).to.equal(longest.utm_source);
      const tooLong = { url: A, utm_source: 'a'.repeat(256) };
      for (const answer of [
        await post('/links', tooLong),
        await patch(`/links/${id}`, tooLong),
        await send('PUT', '/links/upsert', tooLong),
        await post('/links/bulk', [tooLong]),
        await patch('/links/bulk', { linkIds: [id], data: tooLong }),
      ]) {
        refused(answer, 422, /^utm_source must be at most 255 characters long$/);
      }
    });

    it('are changed with PUT, and found by id', async () => {
      const { id } = await created('/links', { url: A });
      const { status, body } = await send('PUT', `/links/${id}`, { title: 'New' });
      expect([status, body.title]).to.deep.equal([200, 'New']);
      expect((await get(`/links/info?linkId=${id}`)).body.id).to.equal(id);
    });

    it('are not put into a folder that does not exist', async () => {
      const { id } = await created('/links', { url: A });
      const folderId = 'fold_unknown';
      for (const answer of [
        await post('/links', { url: A, folderId }),
        await patch(`/links/${id}`, { folderId }),
        await send('PUT', '/links/upsert', { url: A, folderId }),
      ]) {
        refused(answer, 404, /folder "fold_unknown"/);
      }
    });

    it('are changed together, and those that do not exist are named', async () => {
      const { id } = await created('/links', { url: A });
      const { status, body } = await patch('/links/bulk', {
        linkIds: [id, 'link_unknown'],
        data: { comments: 'both' },
      });
      expect(status).to.equal(200);
      expect(body[0]).to.include({ id, comments: 'both' });
      expect(body[1]).to.deep.include({ code: 'not_found', link: { id: 'link_unknown' } });
    });

    it('are listed before and after one of them', async () => {
      for (const place of [1, 2, 3, 4, 5, 6, 7]) await created('/links', { url: `${A}/${place}` });
      const idsOf = async (query: string) => {
        const { status, body } = await get(`/links?pageSize=3${query}`);
        expect(status, JSON.stringify(body)).to.equal(200);
        return body.map(({ id }: { id: string }) => id) as string[];
      };
      const all = [...(await idsOf('')), ...(await idsOf('&page=2')), ...(await idsOf('&page=3'))];
      expect(new Set(all).size).to.equal(7);
      expect(await idsOf(`&startingAfter=${all[1]!}`)).to.deep.equal(all.slice(2, 5));
      expect(await idsOf(`&endingBefore=${all[5]!}`)).to.deep.equal(all.slice(2, 5));
      expect(await idsOf(`&endingBefore=${all[2]!}`)).to.deep.equal(all.slice(0, 2));
      expect(await idsOf(`&endingBefore=${all[0]!}`)).to.deep.equal([]);
    });

    const PAGES: [query: string, message: RegExp][] = [
      ['startingAfter=a&endingBefore=b', /^startingAfter and endingBefore must not be/],
      ['page=2&startingAfter=a', /^page must not be given together/],
      ['page=1001', /^page must be at most 1000/],
      ['startingAfter=link_unknown', /^startingAfter must be the id of a record/],
      ['endingBefore=link_unknown', /^endingBefore must be the id of a record/],
      ['startingAfter=a&sortBy=clicks', /^sortBy must be createdAt/],
    ];
    for (const [query, message] of PAGES) {
      it(`are not listed with ${query}`, async () =>
        refused(await get(`/links?${query}`), 422, message));
    }

    it('are not listed before one in pages of no size', async () => {
      const { id } = await created('/links', { url: A });
      for (const size of ['0', 'x', '101']) {
        const answer = await get(`/links?endingBefore=${id}&pageSize=${size}`);
        refused(answer, 422, /^pageSize must be/);
      }
    });
  });

  describe('clicks, leads and sales', () => {
    const VISITOR = { 'user-agent': browser(1), referer: 'https://www.news.example/a' };

    it('are tracked with the older names of customers', async () => {
      const { domain } = world;
      const { id } = await created('/links', { url: A, domain, key: 'shop' });
      const click = await post('/track/click', { domain: `www.${domain}`, key: 'shop' }, VISITOR);
      expect(click.status, JSON.stringify(click.body)).to.equal(200);
      expect(Object.keys(click.body)).to.deep.equal(['clickId']);
      const { clickId } = click.body;
      const deepLink = `https://${domain}/shop`;
      const open = await post('/track/open', { deepLink }, VISITOR);
      expect(open.body).to.deep.equal({ clickId, link: { id, domain, key: 'shop', url: A } });

      const lead = { clickId, eventName: 'Sign up', customerName: 'Ada' };
      for (const name of ['externalId', 'customerId']) {
        const { status, body } = await post('/track/lead', { ...lead, [name]: name });
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.customer).to.include({ externalId: name, name: 'Ada' });
        const sale = await post('/track/sale', { [name]: name, amount: 5 });
        expect(sale.body.customer).to.include({ externalId: name });
      }
    });

    /** Tracks a click of a new link. */
    async function aClick() {
      const { domain } = world;
      const link = await created('/links', { url: A, domain, trackConversion: true });
      const { body } = await post('/track/click', { domain, key: link.key }, VISITOR);
      return { linkId: link.id as string, clickId: body.clickId as string };
    }
    const numbersOf = async (linkId: string) => {
      const { leads, sales, saleAmount } = (await get(`/links/${linkId}`)).body;
      return { leads, sales, saleAmount };
    };

    it('are tracked from pages of any origin, as far as Dub lets pages do so', async () => {
      const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
        fetch(`${stack().apiUrl}/compat/dub/track/${path}`, { method, headers });
      for (const path of ['click', 'open']) {
        const { status, headers } = await ask(path, 'OPTIONS');
        expect(status).to.equal(204);
        expect(headers.get('access-control-allow-origin')).to.equal('*');
        expect(headers.get('access-control-allow-methods')).to.equal('POST, OPTIONS');
        expect(headers.get('access-control-allow-headers')).to.equal('Content-Type, Authorization');
        const refusedAnswer = await ask(path, 'POST', { origin: 'https://app.other.test' });
        expect(refusedAnswer.status).to.equal(401);
        expect(refusedAnswer.headers.get('access-control-allow-origin')).to.equal('*');
      }
      const listed = { origin: 'https://app.listed.test', 'access-control-request-method': 'POST' };
      const allowed = (await ask('click', 'OPTIONS', listed)).headers;
      expect(allowed.get('access-control-allow-origin')).to.equal(listed.origin);
      expect(allowed.get('access-control-allow-headers')).to.contain('Idempotency-Key');
      for (const path of ['lead', 'sale']) {
        const { headers } = await ask(path, 'OPTIONS', { ...listed, origin: 'https://a.test' });
        expect(headers.get('access-control-allow-origin'), path).to.equal(null);
      }
    });

    it('keep the customer of a deferred lead with its click, for a lead without one', async () => {
      const { linkId, clickId } = await aClick();
      const customer = { name: 'Ada', email: 'ada@example.com', avatar: null };
      const lead = { eventName: 'Trial', customerExternalId: 'cus-1' };
      const details = { customerName: customer.name, customerEmail: customer.email };
      const deferred = { ...lead, ...details, clickId, mode: 'deferred' };
      const answer = await created('/track/lead', deferred);
      expect(answer).to.deep.include({
        click: { id: clickId },
        customer: { externalId: 'cus-1', ...customer },
      });
      expect(answer.link.id).to.equal(linkId);
      expect(await created('/track/lead', deferred)).to.deep.equal(answer);
      expect(await numbersOf(linkId)).to.include({ leads: 0 });

      expect(await created('/track/lead', lead)).to.deep.equal(answer);
      expect(await created('/track/lead', { ...lead, clickId: '' })).to.deep.equal(answer);
      expect(await numbersOf(linkId)).to.include({ leads: 1 });
      await created('/track/sale', { customerExternalId: 'cus-1', amount: 7 });
      expect(await numbersOf(linkId)).to.deep.equal({ leads: 1, sales: 1, saleAmount: 7 });

      await created('/customers', { externalId: 'cus-2' });
      for (const customerExternalId of ['cus-2', 'cus-3']) {
        const without = await post('/track/lead', { ...lead, customerExternalId });
        refused(without, 422, /^clickId is required: there is no customer "cus-[23]" with a click/);
      }
      refused(await post('/track/lead', { ...deferred, mode: 'later' }), 422, /^mode must be/);
      const unknown = await post('/track/lead', { ...deferred, clickId: 'clk_unknown' });
      refused(unknown, 404, /no click "clk_unknown"/);
    });

    it('count several leads of one request', async () => {
      const { linkId, clickId } = await aClick();
      const lead = { clickId, eventName: 'Trial', customerExternalId: 'cus-1', eventQuantity: 3 };
      const answer = await created('/track/lead', lead);
      expect(await created('/track/lead', lead)).to.deep.equal(answer);
      expect(await numbersOf(linkId)).to.include({ leads: 3 });
      const { body: events } = await get('/events?event=leads');
      expect(events.map(({ click }: { click: { id: string } }) => click.id)).to.deep.equal(
        Array(3).fill(clickId),
      );
      for (const eventQuantity of [0, 101, 1.5, '2']) {
        refused(await post('/track/lead', { ...lead, eventQuantity }), 422, /^eventQuantity must/);
      }
    });

    it('leave out sales to customers who do not exist, except those with a click', async () => {
      const { linkId, clickId } = await aClick();
      const sale = { customerExternalId: 'cus-1', amount: 400, invoiceId: 'in-1' };
      const named = { ...sale, eventName: 'Order' };
      const nothing = { customer: null, sale: null };
      expect(await created('/track/sale', named)).to.deep.equal({ eventName: 'Order', ...nothing });
      const after = await created('/track/sale', { ...sale, leadEventName: 'Sign up' });
      expect(after).to.deep.equal({ eventName: 'Purchase', ...nothing });
      expect((await get('/customers')).body).to.deep.equal([]);
      expect((await get('/analytics?event=sales')).body).to.include({ sales: 0, saleAmount: 0 });

      const sold = await created('/track/sale', { ...named, clickId });
      expect(sold.sale).to.include({ amount: 400, invoiceId: 'in-1' });
      expect(sold.customer).to.include({ externalId: 'cus-1' });
      expect(await created('/track/sale', { ...named, clickId })).to.deep.equal(sold);
      expect(await numbersOf(linkId)).to.deep.equal({ leads: 1, sales: 1, saleAmount: 400 });
      const unnamed = { customerExternalId: 'cus-1', amount: 1, leadEventName: 'None' };
      refused(await post('/track/sale', unnamed), 404, /no lead "None"/);
      refused(await post('/track/sale', { amount: 1 }), 422, /^customerExternalId is required/);
    });

    it('are tracked without the right to read customers', async () => {
      const { clickId } = await aClick();
      const { apiKey } = await createApiKey(db(), {
        workspace: world.slug,
        name: 'tracking',
        scopes: ['conversions.write'],
      });
      const as = { authorization: `Bearer ${apiKey}` };
      const lead = {
        clickId,
        eventName: 'Trial',
        customerExternalId: 'cus-1',
        customerName: 'Ada',
      };
      const { body } = await post('/track/lead', lead, as);
      const customer = { externalId: 'cus-1', name: 'Ada', email: null, avatar: null };
      expect(body).to.deep.include({ link: null, customer });
      const sale = { customerExternalId: 'cus-none', amount: 5 };
      const ignored = (await post('/track/sale', sale, as)).body;
      expect(ignored).to.deep.equal({ eventName: 'Purchase', customer: null, sale: null });
    });

    it('are not tracked without a link', async () => {
      refused(await post('/track/click', {}), 422, /^domain is required; key is required$/);
      const { domain } = world;
      refused(await post('/track/click', { domain, key: 'none' }), 404, /no such link/);
      refused(await post('/track/open', { deepLink: `https://${domain}/none` }), 404, /no such/);
      for (const deepLink of [undefined, 'shop', 5]) {
        refused(await post('/track/open', { deepLink }), 422, /^deepLink must be/);
      }
    });
  });

  describe('analytics', () => {
    const PLACES = { DE: '192.0.2.1', FR: '198.51.100.1' };

    /** Creates two links, in a folder and with a tag, with three clicks, a lead and two sales. */
    async function traffic() {
      const folder = await created('/folders', { name: 'Launch' });
      const tag = await created('/tags', { name: 'Spring', color: 'red' });
      const track = { url: A, trackConversion: true };
      const shop = await created('/links', { ...track, key: 'shop', folderId: folder.id });
      const blog = await created('/links', { ...track, key: 'blog', tagIds: [tag.id] });
      const clicks: string[] = [];
      for (const [place, [path, ip, referer]] of [
        ['/shop', PLACES.DE, 'https://www.news.example/a'],
        ['/shop', PLACES.FR, 'https://news.example/b'],
        ['/blog', PLACES.DE, 'https://other.example/'],
      ].entries()) {
        const { headers } = await world.visit(path!, {
          userAgent: browser(place),
          headers: { 'x-forwarded-for': ip!, referer: referer! },
        });
        clicks.push(new URL(headers.location!).searchParams.get('click_id')!);
      }
      for (const [place, plan] of ['pro', 'free'].entries()) {
        const sale = { clickId: clicks[place], customerExternalId: plan, amount: 100 };
        await created('/track/sale', { ...sale, metadata: { plan, seats: { count: place } } });
      }
      await eventually(async () => {
        expect((await get('/analytics?event=composite')).body).to.include({ clicks: 3, sales: 2 });
      });
      return { folder, tag, shop, blog };
    }

    it('count by folder, tag and domain, and leave out what a filter excludes', async () => {
      const { folder, tag, shop, blog } = await traffic();
      const rows = async (query: string) => (await get(`/analytics?event=clicks&${query}`)).body;
      expect(await rows('groupBy=top_folders')).to.deep.equal([
        { folderId: folder.id, folder: { id: folder.id, name: 'Launch' }, clicks: 2 },
      ]);
      expect(await rows('groupBy=top_link_tags')).to.deep.equal([
        { tagId: tag.id, tag: { id: tag.id, name: 'Spring', color: 'red' }, clicks: 1 },
      ]);
      expect(await rows('groupBy=top_domains')).to.deep.equal([
        { domain: world.domain, clicks: 3 },
      ]);
      expect(await rows(`groupBy=top_domains&domain=-${world.domain}`)).to.deep.equal([]);
      expect(await rows('groupBy=referers')).to.deep.equal([
        { referer: 'news.example', clicks: 2 },
        { referer: 'other.example', clicks: 1 },
      ]);

      const [{ country }] = await rows(`groupBy=countries&linkId=${blog.id}`);
      const others = await rows(`groupBy=countries&country=-${country}`);
      expect(others).to.have.length(1);
      expect(others[0]).to.include({ clicks: 1 });
      expect(others[0].country).not.to.equal(country);
      expect(await rows(`country=-${country}`)).to.include({ clicks: 1 });
      expect(await rows(`country=-${country},${others[0].country}`)).to.include({ clicks: 0 });
      expect(await rows(`linkId=-${shop.id}`)).to.include({ clicks: 1 });
      const series = await rows(`groupBy=timeseries&interval=7d&tagIds=-${tag.id}`);
      expect(series).to.have.length(7);
      expect(series.at(-1)).to.include({ clicks: 2 });
      expect(await rows('device=desktop,mobile')).to.include({ clicks: 3 });
      expect(await rows('device=-desktop')).to.include({ clicks: 0 });
      const two = `country=-${country}&linkId=-${blog.id}`;
      const { clicks: both } = await rows(two);
      const { clicks: onlyLink } = await rows(`linkId=-${blog.id}`);
      expect([onlyLink - both, both]).to.deep.equal([1, 1]);
      expect(await rows(`groupBy=triggers&trigger=-qr&${two}`)).to.deep.equal([
        { trigger: 'link', clicks: both, leads: 1, sales: 1, saleAmount: 100 },
      ]);
      expect(await rows(`groupBy=top_domains&domain=-none.example&${two}`)).to.deep.equal([
        { domain: world.domain, clicks: both },
      ]);
      refused(await get('/analytics?country=-XX'), 422, /^country/);
    });

    it('list events without those that a filter excludes, and by metadata', async () => {
      const { blog, shop } = await traffic();
      const listed = async (query: string) => {
        const { status, body } = await get(`/events?${query}`);
        expect(status, JSON.stringify(body)).to.equal(200);
        // oxlint-disable-next-line typescript/no-explicit-any -- as above
        return body as any[];
      };
      const all = await listed('event=clicks');
      expect(all.map(({ click }) => click.referer)).to.deep.equal([
        'other.example',
        'news.example',
        'news.example',
      ]);
      for (const { click } of all) expect(click).not.to.have.property('variant');
      const rest = await listed(`linkId=-${blog.id}`);
      expect(rest.map(({ link }) => link.id)).to.deep.equal([shop.id, shop.id]);
      expect(await listed(`linkId=-${blog.id}&limit=1&page=2`)).to.deep.equal([rest[1]]);
      expect(await listed(`linkId=-${blog.id}&limit=1&page=3`)).to.deep.equal([]);
      expect(await listed(`country=-${all[0].click.country}`)).to.have.length(1);
      for (const { click, link } of all) {
        const others = await listed(`country=-${click.country}&linkId=-${link.id}`);
        expect(others).to.deep.equal(
          all.filter((one) => one.click.country !== click.country && one.link.id !== link.id),
        );
      }

      const names = async (query: string) =>
        (await listed(`event=sales&query=${encodeURIComponent(query)}`)).map(
          ({ metadata }) => metadata.plan,
        );
      expect(await names("metadata['plan']:pro")).to.deep.equal(['pro']);
      expect(await names('metadata["plan"]!="pro"')).to.deep.equal(['free']);
      expect(await names("metadata['seats']['count']>0")).to.deep.equal(['free']);
      expect(await names("metadata['seats']['count']<=0 AND metadata['plan']=pro")).to.deep.equal([
        'pro',
      ]);
      expect(await names("metadata['none']:pro")).to.deep.equal([]);
      expect(await names("metadata['seats']:0")).to.deep.equal([]);
      for (const query of [
        'plan:pro',
        "metadata['plan']",
        "metadata['plan']:pro OR x",
        'metadata[]:a',
      ]) {
        const answer = await get(`/events?event=sales&query=${encodeURIComponent(query)}`);
        if (query.includes(' OR ')) expect(answer.body).to.deep.equal([]);
        else refused(answer, 422, /^query must be a condition/);
      }
      refused(await get(`/events?linkId=-${blog.id}&limit=0`), 422, /^limit must be/);
      refused(await get(`/events?linkId=-${blog.id}&page=0`), 422, /^page must be/);
    });
  });

  it('creates customers, and lists them by id, before and after one of them', async () => {
    const ids: string[] = [];
    for (const externalId of ['u-1', 'u-2', 'u-3', 'u-4']) {
      const customer = await created('/customers', { externalId, name: 'Ada', country: 'US' });
      expect(customer).to.include({ externalId, name: 'Ada', country: 'US', email: null });
      ids.unshift(customer.id);
    }
    const listed = async (query: string) => {
      const { status, body } = await get(`/customers?pageSize=2${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await listed(`&startingAfter=${ids[0]}`)).to.deep.equal(ids.slice(1, 3));
    expect(await listed(`&endingBefore=${ids[3]}`)).to.deep.equal(ids.slice(1, 3));
    expect(await listed(`&customerIds=${ids[1]},${ids[3]}`)).to.deep.equal([ids[1], ids[3]]);
    refused(await get('/customers?startingAfter=cus_unknown'), 422, /^startingAfter must be/);
    refused(await post('/customers', { externalId: 'u-1' }), 409, /^externalId "u-1"/);
    refused(await post('/customers', {}), 422, /^externalId/);
    refused(await post('/customers', { externalId: 'a', country: 'XX' }), 422, /^country must/);
    const stripe = { externalId: 'b', stripeCustomerId: 'cus_1' };
    refused(await post('/customers', stripe), 422, /^stripeCustomerId is not a known/);
    expect((await patch(`/customers/${ids[0]}`, { country: null })).body.country).to.equal(null);
  });

  it('has the sums of sales of customers, in every answer', async () => {
    const NONE = { sales: 0, saleAmount: 0 };
    // External ids may begin like the prefix of ids in paths.
    const externalId = 'ext_u-1';
    const details = { externalId, name: 'Ada', email: 'ada@example.com', country: 'US' };
    const customer = await created('/customers', details);
    const { id, createdAt } = customer;
    expect(customer).to.deep.equal({
      id,
      createdAt,
      ...details,
      ...NONE,
      avatar: null,
      stripeCustomerId: null,
      firstSaleAt: null,
      subscriptionCanceledAt: null,
    });
    expect((await get(`/customers/${id}`)).body).to.deep.equal(customer);
    expect((await get(`/customers/ext_${externalId}`)).body).to.deep.equal(customer);
    const byExternalId = `/customers?externalId=${externalId}&includeExpandedFields=true`;
    const [expanded] = (await get(byExternalId)).body;
    expect(expanded).to.deep.include({ ...customer, link: null, partner: null, discount: null });
    expect((await get('/customers?email=ada@example.com')).body).to.deep.equal([customer]);

    const other = await created('/customers', { externalId: 'u-2' });
    for (const amount of [400, 900]) {
      await created('/track/sale', { customerExternalId: externalId, amount });
    }
    const sums = { sales: 2, saleAmount: 1300 };
    expect((await get(`/customers/${id}`)).body).to.include(sums);
    expect((await get('/customers')).body).to.deep.equal([other, { ...customer, ...sums }]);
    const name = 'Ada Lovelace';
    const updated = await patch(`/customers/${id}`, { name });
    expect(updated.body).to.deep.equal({ ...customer, name, ...sums });
    expect((await send('DELETE', `/customers/${id}`)).body).to.deep.equal({ id });
    refused(await get(`/customers/${id}`), 404, /customer/);
  });

  it('has the workspace of the key', async () => {
    const { slug, projectId, domain } = world;
    for (const name of [slug, projectId]) {
      const { status, body } = await get(`/workspaces/${name}`);
      expect(status).to.equal(200);
      expect(body).to.include({ id: projectId, slug, plan: 'enterprise', totalLinks: 0 });
      expect(body.domains).to.deep.equal([{ slug: domain, primary: true, verified: true }]);
    }
    const other = await aWorkspace();
    refused(await get(`/workspaces/${other.slug}`), 404, /not of a workspace/);
  });

  it('has UTM templates', async () => {
    const body = { name: 'News', utm_source: 'news', utm_medium: '', ref: null };
    const template = await created('/utm', body);
    expect(template).to.include({ name: 'News', utm_source: 'news', utm_medium: null, ref: null });
    const { id } = template;
    expect((await get('/utm')).body[0]).to.deep.include(template);
    expect((await patch(`/utm/${id}`, { utm_source: '' })).body.utm_source).to.equal(null);
    expect((await send('DELETE', `/utm/${id}`)).body).to.deep.equal({ id });
    for (const answer of [await send('DELETE', `/utm/${id}`), await patch(`/utm/${id}`, {})]) {
      refused(answer, 404, new RegExp(id));
    }
  });

  it('has ref and creator of UTM templates', async () => {
    const utm = { utm_source: 'a', utm_medium: 'b', utm_campaign: 'c', utm_term: 'd' };
    const body = { name: 'All', ...utm, utm_content: 'e', ref: 'partner' };
    const template = await created('/utm', body);
    const { userId } = await created('/links', { url: A });
    const { id, createdAt, updatedAt } = template;
    const own = { ...body, userId, projectId: world.projectId };
    expect(template).to.deep.equal({ id, ...own, createdAt, updatedAt });
    expect((await get('/utm')).body).to.deep.equal([{ ...template, user: { id: userId } }]);
    const change = { name: 'Some', utm_source: 'z', utm_medium: null, ref: 'blog' };
    const changed = { ...template, ...change, partnerGroup: null };
    expect((await patch(`/utm/${id}`, change)).body).to.deep.equal(changed);
    expect((await patch(`/utm/${id}`, { ref: '' })).body.ref).to.equal(null);
    // One of an earlier version.
    await db()('utm_templates').where({ id }).update({ user_id: null });
    expect((await get('/utm')).body[0]).to.include({ user: null, userId: null });
  });

  it('refuses names and values of UTM templates that are too long for Dub', async () => {
    const name = 'n'.repeat(50);
    const value = 'v'.repeat(255);
    const longest = { name, utm_source: value, ref: value };
    expect(await created('/utm', longest)).to.include(longest);
    refused(await post('/utm', { name }), 409, /name/);
    refused(await post('/utm', { name: `${name}n` }), 422, /^name must be at most 50 characters/);
    for (const field of ['utm_source', 'utm_content', 'ref']) {
      const answer = await post('/utm', { name: 'x', [field]: `${value}v` });
      refused(answer, 422, new RegExp(`^${field} must be at most 255 characters`));
    }
    refused(await post('/utm', {}), 422, /^name is required/);
    refused(await post('/utm', { name: '' }), 422, /^name must not be empty/);
  });

  it('has domains and folders by name and id', async () => {
    const slug = `other-${world.slug}.test`;
    const domain = await created('/domains', { slug, deepviewData: '' });
    expect(domain).to.include({ slug, deepviewData: '{}' });
    expect((await get(`/domains/${slug}`)).body).to.deep.equal(domain);
    refused(await get('/domains/none.test'), 404, /none\.test/);
    refused(await patch(`/domains/${slug}`, { deepviewData: '{"a":1}' }), 422, /^deepviewData/);
    refused(await post(`/domains/${slug}/primary`, {}), 409, /must be verified/);
    const primary = await post(`/domains/${world.domain}/primary`, {});
    expect(primary.body).to.include({ slug: world.domain, primary: true });
    const folder = await created('/folders', { name: 'Launch', accessLevel: 'write' });
    expect(folder.accessLevel).to.equal('write');
    expect((await get(`/folders/${folder.id}`)).body).to.deep.equal(folder);
    const reading = { name: 'Launch', accessLevel: 'read' };
    refused(await patch(`/folders/${folder.id}`, reading), 422, /^accessLevel is not a known/);
  });

  it('reads the metadata of pages', async () => {
    refused(await get('/links/metatags?url=http://10.0.0.1/'), 422, /./);
    refused(await get('/links/metatags'), 422, /^url/);
  });
});

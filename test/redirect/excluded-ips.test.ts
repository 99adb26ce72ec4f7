import { expect } from 'chai';
import { config } from '../../src/config.ts';
import { db } from '../../src/infra/db.ts';
import { connectRedis } from '../../src/infra/redis.ts';
import { publish } from '../../src/infra/redis-channels.ts';
import { CHANGED, SERVICE_NAME, workspaceName } from '../../src/lookup/codec.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, visit as open, type VisitOptions, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const PROCESSES = [0, 1] as const;

describe('a workspace with excludedIps', () => {
  let world: World;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'tracked', trackConversion: true });
  });

  /** Opens a path from an address, as another visitor each time. */
  const visit = (ip: string, path: string, options: VisitOptions = {}) => {
    visitor += 1;
    return world.visit(path, {
      userAgent: browser(visitor),
      ...options,
      headers: { 'x-forwarded-for': ip, ...options.headers },
    });
  };
  const clicks = async () => (await world.api.get('/analytics', { interval: 'all' })).body.clicks;

  /** True when a redirect process does not count the visits from an address. */
  async function excludes(process: 0 | 1, ip: string): Promise<boolean> {
    const { status, headers } = await visit(ip, '/tracked', { process });
    expect(status).to.equal(302);
    const url = new URL(headers.location!);
    expect(headers['set-cookie'] !== undefined).to.equal(url.searchParams.has('click_id'));
    return !url.searchParams.has('click_id');
  }

  async function exclude(...excludedIps: string[]): Promise<void> {
    const { status, body } = await world.api.patch('/workspace', { excludedIps });
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  async function isInForce(ip: string, expected = true): Promise<void> {
    for (const process of PROCESSES) {
      await eventually(async () => expect(await excludes(process, ip)).to.equal(expected));
    }
  }

  it('redirects visitors from there as always, and counts none of them', async () => {
    const { api, domain, projectId } = world;
    const { body: webhook } = await api.post('/webhooks', {
      name: 'w',
      url: 'http://127.0.0.1:9/',
      kinds: ['link.clicked'],
    });
    const { body: link } = await api.post('/links', { url: A, key: 'a', webhookIds: [webhook.id] });
    const [{ id: domainId }] = (await api.get('/domains', { search: domain })).body;
    await api.patch(`/domains/${domainId}`, { target: A });
    await api.post('/qrcodes', { type: 'text', text: 'hello', key: 'q' });
    const ways = async (ip: string) => {
      const answers = [];
      for (const path of ['/a', '/a?x=1', '/a?qr=1', '/', '/q', '/a+', '/none']) {
        const { status, headers, body } = await visit(ip, path, { process: 0 });
        answers.push([path, status, headers.location, headers['set-cookie'], body]);
      }
      return answers;
    };
    const counted = await ways('198.51.100.7');
    const clicksAre = (count: number) =>
      eventually(async () => {
        expect((await api.get(`/links/${link.id}`)).body.clicks).to.equal(count);
      });
    await clicksAre(3);
    await exclude('203.0.113.0/24', '192.0.2.0/24');
    await isInForce('192.0.2.7');

    expect(await ways('203.0.113.7')).to.deep.equal(counted);
    // A visitor from elsewhere is counted after them.
    await visit('203.0.114.7', '/a');
    await clicksAre(4);
    const events = await db()('events').where({ project_id: projectId }).select('ip');
    expect(events.filter(({ ip }) => ip.startsWith('203.0.113'))).to.deep.equal([]);
    expect((await api.get(`/webhooks/${webhook.id}/deliveries`)).body).to.have.length(4);
  });

  it('is obeyed by every redirect process at once, until it includes them again', async () => {
    const NETWORKS: [network: string, inside: string, outside: string][] = [
      ['203.0.113.9', '203.0.113.9', '203.0.113.8'],
      ['203.0.113.0/24', '::ffff:203.0.113.255', '::ffff:203.0.112.255'],
      ['2001:db8:1::/48', '2001:db8:1:ffff::1', '2001:db8:2::1'],
      ['2001:db8::7', '2001:0db8:0:0:0:0:0:7', '2001:db8::8'],
      ['0.0.0.0/0', '198.51.100.1', '2001:db8::1'],
    ];
    for (const [network, inside, outside] of NETWORKS) {
      await exclude('192.0.2.1', network);
      await isInForce(inside);
      for (const process of PROCESSES) {
        expect(await excludes(process, outside), `${outside} in ${network}`).to.equal(false);
      }
    }
    await exclude();
    await isInForce('203.0.113.9', false);
  });

  it('does not use up the visits of a link', async () => {
    await exclude('203.0.113.0/24');
    await isInForce('203.0.113.1');
    await world.api.post('/links', { url: A, key: 'one', maxVisits: 1 });
    for (const process of [0, 1, 0] as const) {
      expect((await visit('203.0.113.1', '/one', { process })).status).to.equal(302);
    }
    expect((await visit('198.51.100.1', '/one')).status).to.equal(302);
    for (const ip of ['198.51.100.2', '203.0.113.1']) {
      expect((await visit(ip, '/one')).status, ip).to.equal(410);
    }
  });

  it('records neither views of pages nor their forms', async () => {
    await exclude('203.0.113.0/24');
    await isInForce('203.0.113.1');
    const fields = [{ name: 'name', label: 'Name', type: 'text', required: true }];
    const { body: page } = await world.api.post('/pages', { title: 'Before', fields });
    const before = { preRedirection: true, pageId: page.id, isFormMandatory: true };
    const { body: link } = await world.api.post('/links', { url: A, key: 'form', ...before });
    for (const ip of ['203.0.113.1', '198.51.100.1']) {
      const shown = await visit(ip, '/form');
      const path = /action="(\/_\/continue\/[^"]+)"/.exec(shown.body)?.[1] ?? '';
      const sent = await visit(ip, path.replaceAll('&amp;', '&'), { form: { name: 'Ann' } });
      expect([sent.status, sent.headers.location]).to.deep.equal([303, A]);
    }
    await eventually(async () => {
      const { body } = await world.api.get(`/links/${link.id}`);
      expect(body).to.include({ clicks: 1, leads: 1 });
    });
    expect((await world.api.get(`/pages/${page.id}`)).body).to.include({ views: 1, leads: 1 });
  });

  it('excludes visitors of its links alone, also on the shared domain', async () => {
    const other = await aWorkspace();
    await exclude('203.0.113.0/24');
    await isInForce('203.0.113.1');
    const ofOne = { url: A, trackConversion: true, domain: 'localhost' };
    for (const [{ api }, isCounted] of [[world, false] as const, [other, true] as const]) {
      const { body: link } = await api.post('/links', ofOne);
      const { headers } = await open(`/${link.key}`, {
        userAgent: browser(1),
        headers: { 'x-forwarded-for': '203.0.113.1' },
      });
      expect(new URL(headers.location!).searchParams.has('click_id')).to.equal(isCounted);
    }
  });

  it('still excludes them when Redis has lost the entries', async () => {
    await exclude('203.0.113.0/24');
    await isInForce('203.0.113.1');
    const redis = connectRedis(config().CACHE_REDIS_URL, 'wait');
    try {
      const names = [SERVICE_NAME, workspaceName(world.projectId)];
      for (const name of names) await redis.del(name);
      await publish(redis, CHANGED, names.join('\n'));
    } finally {
      redis.disconnect();
    }
    for (let time = 0; time < 5; time += 1) {
      for (const process of PROCESSES) {
        expect(await excludes(process, '203.0.113.1')).to.equal(true);
        expect(await excludes(process, '198.51.100.1')).to.equal(false);
      }
    }
  });

  it('counts no reported click of such a visitor', async () => {
    await exclude('203.0.113.0/24', '2001:db8::/32');
    const { body: link } = await world.api.post('/links', { url: A });
    for (const ip of ['203.0.113.1', '::ffff:203.0.113.2', '2001:db8::1', '198.51.100.1']) {
      const click = { linkId: link.id, ip, userAgent: browser(1) };
      const { status, body } = await world.api.post('/track/click', click);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.clickId).to.match(/^clk_/);
    }
    await eventually(async () => expect(await clicks()).to.equal(1));
    const [event] = (await world.api.get('/events')).body;
    expect(event.click.ip).to.equal('198.51.100.0');
  });
});

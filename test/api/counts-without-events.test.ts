import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { LiveClient } from '../support/live.ts';
import { Receiver } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const NOTHING = {
  clicks: 0,
  scans: 0,
  viwes: 0,
  leads: 0,
  sales: 0,
  saleAmount: 0,
  refunds: 0,
  refundAmount: 0,
  visitors: 0,
};

describe('visits that are counted without events', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const totals = async (interval = '24h') =>
    (await world.api.get('/analytics', { interval, traffic: 'all' })).body;
  const visitTwice = async (path: string) => {
    for (const visitor of [1, 2, 1]) {
      const { status } = await world.visit(path, { userAgent: browser(visitor) });
      expect(status, path).to.be.below(400);
    }
  };
  /** Waits until the workers have stored a later visit of a link with events. */
  const stored = async () => {
    await world.api.post('/links', { url: A, key: 'last' });
    await world.visit('/last', { userAgent: browser(9) });
    await eventually(async () => expect((await totals()).clicks).to.equal(1));
  };

  it('add to the counts of links, QR codes and pages, and are stored nowhere', async () => {
    const { api, projectId } = world;
    const { body: page } = await api.post('/pages', { title: 'Please read this' });
    const off = { url: A, trackEvents: false };
    const { body: link } = await api.post('/links', { ...off, key: 'a' });
    const before = { ...off, key: 'page', preRedirection: true, pageId: page.id };
    const { body: withPage } = await api.post('/links', before);
    const { body: code } = await api.post('/qrcodes', { ...off, type: 'url', key: 'code' });
    expect([link.trackEvents, withPage.trackEvents, code.trackEvents]).to.deep.equal([
      false,
      false,
      false,
    ]);
    for (const path of ['/a', '/page', '/code']) await visitTwice(path);
    const scanner = { userAgent: browser(3), headers: { 'x-forwarded-for': '40.94.16.7' } };
    expect((await world.visit('/a', scanner)).status).to.equal(302);

    const shown = async () => {
      const paths = [`/links/${link.id}`, `/qrcodes/${code.id}`, `/pages/${page.id}`];
      const [ofLink, ofCode, ofPage] = await Promise.all(paths.map((path) => api.get(path)));
      return [ofLink!.body.clicks, ofCode!.body.scans, ofPage!.body.views];
    };
    await eventually(async () => expect(await shown()).to.deep.equal([2, 2, 2]));
    expect(await totals('all_unfiltered')).to.include({ clicks: 3, scans: 2, viwes: 2 });
    await stored();
    expect(await totals()).to.deep.equal({ ...NOTHING, clicks: 1, visitors: 1 });
    const events = await db()('events').where({ project_id: projectId }).select('key');
    expect(events).to.deep.equal([{ key: 'last' }]);
    await api.patch('/workspace', { countSuspects: true });
    expect(await shown()).to.deep.equal([3, 2, 2]);
  });

  it('send no webhook, no live event and no click id', async () => {
    const { api, apiKey } = world;
    const receiver = await Receiver.start();
    const client = await LiveClient.open({
      apiUrl: stack().apiProcessUrl,
      apiKey,
      query: '?uncounted=true',
    });
    try {
      const kinds = ['link.clicked'];
      const { body: webhook } = await api.post('/webhooks', {
        name: 'w',
        url: receiver.url,
        kinds,
      });
      const tracked = { url: A, trackConversion: true, webhookIds: [webhook.id] };
      const { body: link } = await api.post('/links', { ...tracked, key: 'a', trackEvents: false });
      const { headers } = await world.visit('/a', { userAgent: browser(1) });
      expect(headers.location).to.equal(A);
      expect(headers).not.to.have.property('set-cookie');
      await api.post('/links', { ...tracked, key: 'b' });
      const other = await world.visit('/b', { userAgent: browser(2) });
      expect(other.headers.location).to.contain('click_id=');
      await eventually(() => expect(receiver.received).to.have.length(1));
      const [message] = await client.wait(1, 60_000);
      const keys = [receiver.received[0]!.body.data.link.key, message!.data.link.key];
      expect(keys).to.deep.equal(['b', 'b']);
      expect((await api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    } finally {
      client.close();
      await receiver.stop();
    }
  });

  it('are all visits of a workspace that is set so, from then on', async () => {
    const { api } = world;
    const { body: link } = await api.post('/links', { url: A, key: 'a', trackConversion: true });
    await world.visit('/a', { userAgent: browser(1) });
    await eventually(async () => expect((await totals()).clicks).to.equal(1));
    const { status, body } = await api.patch('/workspace', { trackEvents: false });
    expect([status, body.trackEvents]).to.deep.equal([200, false]);
    // Redirect processes know it within a moment, workers within 5 s.
    let visitor = 1;
    await eventually(async () => {
      visitor += 1;
      const { headers } = await world.visit('/a', { userAgent: browser(visitor) });
      expect(headers.location).to.equal(A);
      await eventually(async () => {
        expect((await api.get(`/links/${link.id}`)).body.clicks).to.equal(visitor);
      });
      expect((await totals()).clicks).to.be.below(visitor);
    });
    const { clicks } = await totals();
    await world.visit('/a', { userAgent: browser(visitor + 1) });
    await eventually(async () => {
      expect((await api.get(`/links/${link.id}`)).body.clicks).to.equal(visitor + 1);
    });
    expect((await totals()).clicks).to.equal(clicks);
  });

  it('keep the answers of forms before a destination', async () => {
    const { api } = world;
    const fields = [{ name: 'email', label: 'Email', type: 'email', required: true }];
    const { body: page } = await api.post('/pages', { title: 'Sign up', fields });
    const before = { preRedirection: true, pageId: page.id, isFormMandatory: true };
    await api.post('/links', { url: A, key: 'a', trackEvents: false, ...before });
    const { body: html } = await world.visit('/a', { userAgent: browser(1) });
    const action = /<form[^>]* action="([^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const { pathname, search } = new URL(action, `https://${world.domain}/a`);
    const form = { email: 'ada@example.com' };
    const sent = await world.visit(pathname + search, { form, userAgent: browser(1) });
    expect(sent.status).to.be.oneOf([302, 303]);
    await eventually(async () => {
      const { body } = await api.get('/events', { event: 'leads' });
      expect(body).to.have.length(1);
      expect(body[0].metadata).to.deep.equal(form);
    });
    expect(await totals()).to.include({ clicks: 0, viwes: 0, leads: 1 });
  });

  it('need true or false', async () => {
    for (const [path, body] of [
      ['/links', { url: A, trackEvents: 'no' }],
      ['/qrcodes', { type: 'url', url: A, trackEvents: 0 }],
    ] as const) {
      const answer = await world.api.post(path, body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.equal('trackEvents must be a boolean');
    }
    const { status, body } = await world.api.patch('/workspace', { trackEvents: null });
    expect(status).to.equal(422);
    expect(body.error.message).to.equal('trackEvents must be a boolean');
  });
});

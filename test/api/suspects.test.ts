import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { LiveClient } from '../support/live.ts';
import { Receiver } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
/** Headers of a visitor in a network of a mail scanner. */
const SCANNER = { 'x-forwarded-for': '40.94.16.7' };
const REASON = 'network: Microsoft';
const PERSON = { 'x-forwarded-for': '192.0.2.7' };

describe('visits of suspects', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  let visitors = 0;

  /**
   * Opens a path as a person, and twice as a scanner. Each is a new visitor, since a person does not
   * open several links at once.
   */
  async function openAll(path: string): Promise<void> {
    for (const headers of [PERSON, SCANNER, SCANNER]) {
      visitors += 1;
      const visitor = visitors;
      const { status } = await world.visit(path, { userAgent: browser(visitor), headers });
      expect(status).to.be.below(400);
    }
  }
  const countsOf = async (query: Record<string, string> = {}) =>
    (await world.api.get('/analytics', { interval: '24h', ...query })).body;
  const stored = () =>
    eventually(async () => {
      const counts = await countsOf({ traffic: 'all' });
      expect(counts.clicks + counts.scans + counts.viwes).to.equal(3);
    });
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

  it('are answered, and stored apart from those of people', async () => {
    const { api } = world;
    const { body: link } = await api.post('/links', { url: A, key: 'a' });
    await openAll('/a');
    await stored();

    expect(await countsOf()).to.deep.equal({ ...NOTHING, clicks: 1, visitors: 1 });
    expect(await countsOf({ traffic: 'person' })).to.deep.equal(await countsOf());
    const suspects = { ...NOTHING, clicks: 2, visitors: 2 };
    expect(await countsOf({ traffic: 'suspect' })).to.deep.equal(suspects);
    expect(await countsOf({ traffic: 'all' })).to.deep.equal({
      ...NOTHING,
      clicks: 3,
      visitors: 3,
    });

    const reasonsOf = async (query: Record<string, string>) => {
      const { body } = await api.get('/events', query);
      return body.map(({ event, click }: { event: string; click: { suspect: string | null } }) => [
        event,
        click.suspect,
      ]);
    };
    const [person, suspect] = [
      ['click', null],
      ['click', REASON],
    ];
    expect(await reasonsOf({})).to.deep.equal([person]);
    expect(await reasonsOf({ traffic: 'suspect' })).to.deep.equal([suspect, suspect]);
    expect(await reasonsOf({ traffic: 'all' })).to.deep.equal([suspect, suspect, person]);
    const pages = [1, 2].map((page) => reasonsOf({ traffic: 'all', limit: '2', page: `${page}` }));
    expect((await Promise.all(pages)).map(({ length }) => length)).to.deep.equal([2, 1]);

    const { body: shown } = await api.get(`/links/${link.id}`);
    expect(shown.clicks).to.equal(1);
    const { body: rows } = await api.get('/analytics', {
      groupBy: 'top_links',
      traffic: 'suspect',
    });
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ id: link.id, clicks: 2, visitors: 2 });
  });

  it('are counted, past ones too, while countSuspects is on', async () => {
    const { api } = world;
    const { body: page } = await api.post('/pages', { title: 'Please read this' });
    const { body: link } = await api.post('/links', { url: A, key: 'a' });
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A, key: 'code' });
    const before = { url: A, key: 'page', preRedirection: true, pageId: page.id };
    await api.post('/links', before);
    const paths = ['/a', '/code', '/page'];
    for (const path of paths) await openAll(path);
    await eventually(async () => {
      const all = await countsOf({ traffic: 'all' });
      expect(all).to.include({ clicks: 3, scans: 3, viwes: 3 });
    });
    const shownCounts = async () => {
      const [{ body: ofLink }, { body: ofCode }, { body: ofPage }, { body: listed }] =
        await Promise.all([
          api.get(`/links/${link.id}`),
          api.get(`/qrcodes/${code.id}`),
          api.get(`/pages/${page.id}`),
          api.get('/links', { sort: 'clicks', clicksMin: '2' }),
        ]);
      const totals = await countsOf();
      const counters = await countsOf({ interval: 'all_unfiltered' });
      return {
        records: [ofLink.clicks, ofCode.scans, ofPage.views, listed.length],
        totals: [totals.clicks, totals.scans, totals.viwes],
        counters: [counters.clicks, counters.scans, counters.viwes],
      };
    };
    const ofPeople = { records: [1, 1, 1, 0], totals: [1, 1, 1], counters: [1, 1, 1] };
    expect(await shownCounts()).to.deep.equal(ofPeople);
    for (const [countSuspects, expected] of [
      [true, { records: [3, 3, 3, 1], totals: [3, 3, 3], counters: [3, 3, 3] }],
      [false, ofPeople],
    ] as const) {
      const { status, body } = await api.patch('/workspace', { countSuspects });
      expect([status, body.countSuspects]).to.deep.equal([200, countSuspects]);
      expect(await shownCounts()).to.deep.equal(expected);
      // A request says for itself what it counts.
      expect(await countsOf({ traffic: 'suspect' })).to.include({ clicks: 2, scans: 2, viwes: 2 });
    }
    const suspects = await countsOf({ interval: 'all_unfiltered', traffic: 'suspect' });
    expect(suspects).to.include({ clicks: 2, scans: 2, viwes: 2, leads: 0, sales: 0 });
  });

  it('are sent to webhooks only while countSuspects is on', async () => {
    const { api } = world;
    const receiver = await Receiver.start();
    try {
      const { url } = receiver;
      const { body: webhook } = await api.post('/webhooks', {
        name: 'w',
        url,
        kinds: ['link.clicked'],
      });
      await api.post('/links', { url: A, key: 'a', webhookIds: [webhook.id] });
      await openAll('/a');
      await stored();
      const clicksSent = () => receiver.received.map(({ body }) => body.data.click.suspect);
      await eventually(() => expect(clicksSent()).to.deep.equal([null]));
      await api.patch('/workspace', { countSuspects: true });
      // The workers read the settings of a workspace every 5 s.
      await eventually(async () => {
        const userAgent = browser(Math.ceil(Math.random() * 1e6));
        await world.visit('/a', { userAgent, headers: SCANNER });
        expect(clicksSent()).to.include(REASON);
      });
    } finally {
      await receiver.stop();
    }
  });

  it('are in a live stream that asks for them', async () => {
    await world.api.post('/links', { url: A, key: 'a' });
    const { apiKey } = world;
    const apiUrl = stack().apiProcessUrl;
    const clients = await Promise.all(
      ['', '?traffic=suspect', '?traffic=all'].map((query) =>
        LiveClient.open({ apiUrl, apiKey, query, headers: {} }),
      ),
    );
    try {
      await openAll('/a');
      const lengths = [1, 2, 3];
      const messages = await Promise.all(
        clients.map((client, at) => client.wait(lengths[at]!, 60_000)),
      );
      const reasons = messages.map((some) =>
        some.map(({ event, data }) => [event, data.click.suspect]),
      );
      expect(reasons).to.deep.equal([
        [['click', null]],
        [
          ['click', REASON],
          ['click', REASON],
        ],
        [
          ['click', null],
          ['click', REASON],
          ['click', REASON],
        ],
      ]);
    } finally {
      for (const client of clients) client.close();
    }
  });

  it('have click ids, which leads are attributed to', async () => {
    const { api } = world;
    await api.post('/links', { url: A, key: 'a', trackConversion: true });
    const { headers } = await world.visit('/a', { headers: SCANNER });
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    const lead = { clickId, eventName: 'Sign up', customerExternalId: 'c1' };
    await eventually(async () => {
      const { status, body } = await api.post('/track/lead', lead);
      expect(status, JSON.stringify(body)).to.equal(200);
    });
    expect(await countsOf()).to.include({ clicks: 0, leads: 1 });
    expect(await countsOf({ traffic: 'suspect' })).to.include({ clicks: 1, leads: 0 });
    const { body: events } = await api.get('/events', { event: 'leads' });
    expect(events[0].click).to.include({ id: clickId, suspect: REASON });
  });

  it('use up maxVisits, and are deleted by a reset', async () => {
    const { api } = world;
    const { body: link } = await api.post('/links', { url: A, key: 'a', maxVisits: 1 });
    const options = { headers: SCANNER };
    expect((await world.visit('/a', { userAgent: browser(1), ...options })).status).to.equal(302);
    expect((await world.visit('/a', { userAgent: browser(2), ...options })).status).to.equal(410);
    await eventually(async () => {
      const { body } = await api.get('/links', { isUsedUp: 'true' });
      expect(body).to.have.length(1);
    });
    expect((await api.post(`/links/${link.id}/reset`)).status).to.equal(200);
    expect(await countsOf({ traffic: 'all' })).to.deep.equal(NOTHING);
    expect((await api.get('/links', { isUsedUp: 'true' })).body).to.deep.equal([]);
  });

  it('are refused by another name', async () => {
    for (const path of ['/analytics', '/events']) {
      const { status, body } = await world.api.get(path, { traffic: 'bots' });
      expect(status).to.equal(422);
      expect(body.error.message).to.equal('traffic must be one of person, suspect, all');
    }
    const { status, body } = await world.api.patch('/workspace', { countSuspects: 'yes' });
    expect(status).to.equal(422);
    expect(body.error.message).to.equal('countSuspects must be a boolean');
  });
});

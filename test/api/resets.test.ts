import { expect } from 'chai';
import { append } from '../../src/events/store/postgres/append.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('resetting the counts', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const clicksOf = async (id: string) => (await world.api.get(`/links/${id}`)).body.clicks;
  const analytics = async (query: Record<string, string>) =>
    (await world.api.get('/analytics', { interval: 'all', groupBy: 'count', ...query })).body;
  const NOTHING = {
    clicks: 0,
    scans: 0,
    viwes: 0,
    leads: 0,
    sales: 0,
    saleAmount: 0,
    refunds: 0,
    refundAmount: 0,
  };

  it('of a link deletes its events, and changes nothing else', async () => {
    const { api, projectId, domain } = world;
    const fields = { url: A, key: 'a', title: 'Spring', password: 'secret', externalId: 'e' };
    const { body: link, headers } = await api.post('/links', fields);
    const { body: other } = await api.post('/links', { url: A, key: 'b' });
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const events = [link.id, other.id].flatMap((link_id, n) => [
      anEvent(projectId, { id: `evt_${n}1`, link_id, domain, occurred_at: at(3) }),
      anEvent(projectId, { id: `evt_${n}2`, link_id, domain, occurred_at: at(2) }),
      anEvent(projectId, { id: `evt_${n}3`, link_id, domain, occurred_at: at(1), event: 'lead' }),
      anEvent(projectId, {
        id: `evt_${n}4`,
        link_id,
        domain,
        occurred_at: at(1),
        event: 'sale',
        amount_cents: 500,
      }),
    ]);
    await db().transaction((trx) => append(trx, events));
    const counted = { clicks: 2, leads: 1, sales: 1, saleAmount: 500 };
    expect((await api.get(`/links/${link.id}`)).body).to.include(counted);

    const answer = await api.post(`/links/ext_e/reset`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal(link);
    expect(answer.headers.get('etag')).to.equal(headers.get('etag'));
    expect((await api.get(`/links/${link.id}`)).body).to.deep.equal(link);
    expect((await api.get('/events', { linkId: link.id })).body).to.deep.equal([]);
    expect(await analytics({ linkId: link.id })).to.deep.equal({ ...NOTHING, visitors: 0 });
    expect(await analytics({ linkId: link.id, interval: 'all_unfiltered' })).to.deep.equal(NOTHING);
    expect(await analytics({})).to.include(counted);
    expect((await api.get(`/links/${other.id}`)).body).to.include(counted);
    expect((await api.get('/events')).body).to.have.length(2);
  });

  it('of a QR code does the same', async () => {
    const { api } = world;
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A, key: 'q' });
    await world.visit('/q', { userAgent: browser(1) });
    await eventually(async () => {
      expect((await api.get(`/qrcodes/${code.id}`)).body.scans).to.equal(1);
    });
    expect((await api.post(`/qrcodes/${code.id}/reset`)).body).to.deep.equal(code);
    expect((await api.get(`/qrcodes/${code.id}`)).body).to.deep.equal(code);
    expect(await analytics({ qrcodeId: code.id, event: 'scans' })).to.deep.equal({
      ...NOTHING,
      visitors: 0,
    });
    await world.visit('/q', { userAgent: browser(2) });
    await eventually(async () => {
      expect((await api.get(`/qrcodes/${code.id}`)).body.scans).to.equal(1);
    });
  });

  it('counts new visitors from then on, and earlier ones in the next window', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'a' });
    await world.visit('/a', { userAgent: browser(1) });
    await eventually(async () => expect(await clicksOf(link.id)).to.equal(1));
    expect((await world.api.post(`/links/${link.id}/reset`)).body.clicks).to.equal(0);
    await world.visit('/a', { userAgent: browser(1) });
    await world.visit('/a', { userAgent: browser(2) });
    await eventually(async () => expect(await clicksOf(link.id)).to.equal(1));
    const [event, ...others] = (await world.api.get('/events')).body;
    expect(others).to.deep.equal([]);
    expect(event.link).to.include({ clicks: 1, lastClicked: event.timestamp });
  });

  it('of a link without visits, twice, answers the link', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'a' });
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await world.api.post(`/links/${link.id}/reset`);
      expect({ status, body }).to.deep.equal({ status: 200, body: link });
    }
  });

  it('sends no webhook, and deletes the deliveries about visitors', async () => {
    const { api } = world;
    const receiver = await Receiver.start();
    try {
      const kinds = ['link.updated', 'link.clicked', 'link.deleted'];
      const { body: webhook } = await api.post('/webhooks', {
        name: 'w',
        url: receiver.url,
        kinds,
      });
      const { body: link } = await api.post('/links', {
        url: A,
        key: 'a',
        webhookIds: [webhook.id],
      });
      const deliveries = async () =>
        (await api.get(`/webhooks/${webhook.id}/deliveries`)).body.map(
          ({ kind }: { kind: string }) => kind,
        );
      await world.visit('/a', { userAgent: browser(1) });
      await eventually(async () => expect(await deliveries()).to.deep.equal(['link.clicked']));
      await api.post(`/links/${link.id}/reset`);
      expect(await deliveries()).to.deep.equal([]);
    } finally {
      await receiver.stop();
    }
  });

  it('needs the scope to write the record, and an existing one', async () => {
    const { body: link } = await world.api.post('/links', { url: A });
    const { body: code } = await world.api.post('/qrcodes', { type: 'url', url: A });
    const reader = await world.withScopes('links.read', 'qrcodes.read', 'analytics.read');
    expect((await reader.post(`/links/${link.id}/reset`)).status).to.equal(403);
    expect((await reader.post(`/qrcodes/${code.id}/reset`)).status).to.equal(403);
    for (const path of ['/links/link_none', '/links/ext_none', '/qrcodes/qr_none']) {
      const { status, body } = await world.api.post(`${path}/reset`);
      expect(status, path).to.equal(404);
      expect(body.error.message).to.match(/^There is no (link|QR code) "/);
    }
    expect((await world.api.post(`/links/${code.id}/reset`)).status).to.equal(404);
  });
});

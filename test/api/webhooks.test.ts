import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { ALERT_KINDS } from '../../src/mail/alert-kinds.ts';
import { WEBHOOK_KINDS } from '../../src/webhooks/kinds.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import { browser } from '../support/browser.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, verify } from '../support/receiver.ts';
import { SECRET, WebhookTest } from '../support/webhook-test.ts';
import { type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('webhooks', () => {
  let world: World;
  let api: ApiClient;
  let receiver: Receiver;
  let test: WebhookTest;

  beforeEach(async () => {
    test = await WebhookTest.start();
    ({ world, api, receiver } = test);
  });
  afterEach(() => receiver.stop());

  const aWebhook = (fields?: object) => test.aWebhook(fields);
  const received = (count: number) => test.received(count);
  const deliveries = (id: string, query?: object) => test.deliveries(id, query);

  describe('records', () => {
    it('are created, listed, read, updated and deleted', async () => {
      const { body: made, headers } = await api.post('/webhooks', {
        name: 'shop',
        url: 'https://example.com/hook',
        kinds: ['sale.created', 'lead.created'],
      });
      const { secret, previousSecretUntil, ...record } = made;
      expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(previousSecretUntil).to.equal(null);
      expect(record).to.deep.include({
        name: 'shop',
        url: 'https://example.com/hook',
        kinds: ['sale.created', 'lead.created'],
        enabled: true,
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        pausedUntil: null,
      });
      expect(headers.get('location')).to.equal(`/webhooks/${made.id}`);
      expect((await api.get(`/webhooks/${made.id}`)).body).to.deep.equal(record);
      expect((await api.get('/webhooks')).body).to.deep.equal([record]);
      const { body: changed } = await api.patch(`/webhooks/${made.id}`, { name: 'till' });
      expect(changed).to.deep.equal({ ...record, name: 'till', updatedAt: changed.updatedAt });
      const { body: off } = await api.patch(`/webhooks/${made.id}`, { enabled: false });
      expect(off).to.deep.include({ enabled: false, disabledReason: 'Disabled by its owner' });
      expect((await api.patch(`/webhooks/${made.id}`, { enabled: true })).body).to.deep.include({
        enabled: true,
        disabledAt: null,
        disabledReason: null,
      });
      expect((await api.delete(`/webhooks/${made.id}`)).body).to.deep.equal({ id: made.id });
      expect((await api.get(`/webhooks/${made.id}`)).status).to.equal(404);
    });

    it('store their secrets encrypted, in rows and in jobs', async () => {
      const { id, secret } = await aWebhook();
      const [row] = await db()('webhooks').where({ id });
      expect(row.secret).to.match(/^sealed:v2:/);
      const jobs = await db()('jobs').where({ project_id: world.projectId });
      expect(jobs.length).to.be.greaterThan(0);
      expect(JSON.stringify(jobs)).not.to.contain(secret.slice(6));
    });

    it('return the secret in the job of an asynchronous request', async () => {
      const webhook = { name: 'later', url: A, kinds: ['link.created'], secret: SECRET };
      const { status, body } = await api.post('/webhooks', webhook, {
        headers: { prefer: 'respond-async' },
      });
      expect(status).to.equal(202);
      await eventually(async () => {
        expect((await api.get(`/jobs/${body.id}`)).body.result.secret).to.equal(SECRET);
      });
    });

    const bad: [what: string, body: object, field: string][] = [
      ['no name', { name: undefined }, 'name'],
      ['no url', { url: undefined }, 'url'],
      ['no kinds', { kinds: [] }, 'kinds'],
      ['an unknown kind', { kinds: ['link.exploded'] }, 'kinds'],
      ['another scheme', { url: 'ftp://example.com/' }, 'url'],
      ['a private address', { url: 'http://10.0.0.1/' }, 'url'],
      ['the address of metadata', { url: 'http://169.254.169.254/latest' }, 'url'],
      ['a hidden private address', { url: 'http://0x7f000002/' }, 'url'],
      ['credentials', { url: 'https://user:pass@example.com/' }, 'url'],
      ['an odd port', { url: 'https://1.1.1.1:6379/' }, 'url'],
      ['a short secret', { secret: 'whsec_c2hvcnQ=' }, 'secret'],
      ['a secret without prefix', { secret: SECRET.slice(6) }, 'secret'],
      ['a secret that is no base64', { secret: `whsec_${'*'.repeat(44)}` }, 'secret'],
      ['an unknown field', { color: 'red' }, 'color'],
    ];
    for (const [what, fields, field] of bad) {
      it(`are refused with ${what}`, async () => {
        const body = { name: 'a', url: 'https://example.com/', kinds: ['link.created'], ...fields };
        const answer = await api.post('/webhooks', body);
        expect(answer.status).to.equal(422);
        expect(answer.body.error.message).to.contain(field);
        expect((await api.get('/webhooks')).body).to.deep.equal([]);
      });
    }

    it('are limited to fifty per workspace', async () => {
      const row = { name: 'n', url: A, secret: 's', kinds: '{}', project_id: world.projectId };
      await db()('webhooks').insert(
        Array.from({ length: 50 }, (_, n) => ({ ...row, id: `wh_${n}` })),
      );
      const { status, body } = await api.post('/webhooks', {
        name: 'one more',
        url: A,
        kinds: ['link.created'],
      });
      expect([status, body.error.message]).to.deep.equal([
        422,
        'A workspace has at most 50 webhooks',
      ]);
    });

    it('are removed from the links that name them when they are deleted', async () => {
      const { id } = await aWebhook();
      const { id: other } = await aWebhook();
      const { body: link } = await api.post('/links', { url: A, webhookIds: [id, other] });
      const { body: code } = await api.post('/qrcodes', { type: 'url', url: A, webhookIds: [id] });
      await api.delete(`/webhooks/${id}`);
      expect((await api.get(`/links/${link.id}`)).body.webhookIds).to.deep.equal([other]);
      expect((await api.get('/qrcodes/info', { qrCodeId: code.id })).body.webhookIds).to.equal(
        null,
      );
    });
  });

  describe('receive', () => {
    it('numbered events of created, changed and deleted links and QR codes', async () => {
      await aWebhook();
      const { body: link } = await api.post('/links', {
        url: A,
        flexible: true,
        password: 'hush!',
      });
      await api.patch(`/links/${link.id}`, { title: 'T' });
      await api.put('/links/upsert', { url: A, title: 'U' });
      await api.delete(`/links/${link.id}`);
      const { body: code } = await api.post('/qrcodes', { type: 'text', text: 'hello' });
      await api.patch(`/qrcodes/${code.id}`, { title: 'T' });
      await api.delete(`/qrcodes/${code.id}`);
      const all = await received(7);
      for (const one of all) verify(SECRET, one);
      const of = (id: string) =>
        all
          .map(({ body }) => body)
          .filter(({ data }) => data.id === id)
          .toSorted((a, b) => a.sequence - b.sequence)
          .map(({ type, sequence, data }) => [type, sequence, data.title]);
      expect(of(link.id)).to.deep.equal([
        ['link.created', 1, null],
        ['link.updated', 2, 'T'],
        ['link.updated', 3, 'U'],
        ['link.deleted', 4, 'U'],
      ]);
      expect(of(code.id)).to.deep.equal([
        ['qrcode.created', 1, null],
        ['qrcode.updated', 2, 'T'],
        ['qrcode.deleted', 3, 'T'],
      ]);
      const { password: _, ...withoutPassword } = link;
      expect(all.find(({ body }) => body.type === 'link.created')?.body.data).to.deep.equal(
        withoutPassword,
      );
    });

    // Alerts are tested in `notifications.test.ts`.
    it('every kind of event, as the reference describes it', async () => {
      const { id } = await aWebhook();
      await api.post('/tags', { name: 'News' });
      const create = async (path: string, body: object) => {
        const { status, body: record } = await api.post(path, body);
        expect(status, JSON.stringify(record)).to.be.within(200, 201);
        return record;
      };
      const fields = {
        url: `${A}?utm_source=news`,
        title: 'Ä title',
        geo: { DE: 'https://example.com/de' },
        tagNames: ['News'],
        trackConversion: true,
        webhookIds: [id],
      };
      const link = await create('/links', { ...fields, key: 'every-link' });
      const code = await create('/qrcodes', {
        ...fields,
        type: 'url',
        key: 'every-code',
        frame: 'rounded',
      });
      const { headers } = await world.visit('/every-link');
      await world.visit('/every-code');
      const clickId = new URL(headers.location!).searchParams.get('click_id');
      const customer = { customerExternalId: 'user-1', customerEmail: 'ada@example.com' };
      await create('/track/lead', { clickId, eventName: 'Sign up', ...customer });
      await create('/track/sale', { ...customer, amount: 500, currency: 'eur', invoiceId: '1' });
      await create('/track/refund', { invoiceId: '1' });
      await received(7);
      for (const path of [`/links/${link.id}`, `/qrcodes/${code.id}`]) {
        expect((await api.patch(path, { title: null, expiresAt: '2199-01-01' })).status).to.equal(
          200,
        );
        expect((await api.delete(path)).status).to.equal(200);
      }
      const kinds = (await received(11)).map(({ body }) => body.type);
      // test/api/notifications.test.ts causes alerts, and test/workers/destinations.long.ts the
      // events of checks.
      const caused = new Set<string>([...kinds, ...ALERT_KINDS, 'link.recovered']);
      expect([...caused]).to.have.members([...WEBHOOK_KINDS]);
    });

    it('no events of bulk operations', async () => {
      const { id } = await aWebhook();
      const { body: links } = await api.post('/links/bulk', [{ url: A }, { url: A }]);
      const linkIds = links.map((link: { id: string }) => link.id);
      await api.patch('/links/bulk', { linkIds, data: { title: 'T' } });
      await api.delete('/links/bulk', { linkIds });
      const { body: codes } = await api.post('/qrcodes/bulk', [{ type: 'text', text: 'a' }]);
      await api.delete('/qrcodes/bulk', { qrcodeIds: [codes[0].id] });
      expect(await deliveries(id)).to.deep.equal([]);
    });

    it('only the subscribed kinds', async () => {
      await aWebhook({ kinds: ['link.deleted'] });
      const { body: link } = await api.post('/links', { url: A });
      await api.delete(`/links/${link.id}`);
      expect((await received(1))[0]?.body.type).to.equal('link.deleted');
    });

    it('visits of the links and QR codes that name them, and no others', async () => {
      const { id } = await aWebhook({ kinds: ['link.created'] });
      await aWebhook({ kinds: ['link.clicked', 'qrcode.scanned'] });
      const { body: named } = await api.post('/links', { url: A, key: 'named', webhookIds: [id] });
      await api.post('/links', { url: A, key: 'other' });
      const { body: code } = await api.post('/qrcodes', {
        type: 'url',
        url: A,
        key: 'code',
        webhookIds: [id],
      });
      await received(2);
      receiver.received.length = 0;
      for (const key of ['named', 'other', 'code']) await world.visit(`/${key}`);
      const [first, second] = await received(2);
      const all = [first!, second!].toSorted((a, b) => (a.body.type < b.body.type ? -1 : 1));
      const [{ body: click }, { body: scan }] = all as [
        typeof first & object,
        typeof first & object,
      ];
      expect([click.type, click.data.link.id, click.sequence]).to.deep.equal([
        'link.clicked',
        named.id,
        2,
      ]);
      expect(click.data.link).to.include({ clicks: 1, key: 'named' });
      expect(click.data.link).not.to.have.property('password');
      expect(Object.keys(click.data)).to.deep.equal(['click', 'link']);
      expect(click.data.click).to.include({ url: A, browser: 'Chrome', type: 'link' });
      expect([scan.type, scan.data.qrcode.id]).to.deep.equal(['qrcode.scanned', code.id]);
      const { body: events } = await api.get('/events', { event: 'clicks', linkId: named.id });
      expect(events[0].click).to.deep.equal(click.data.click);
      expect(events[0].timestamp).to.equal(click.timestamp);
      // No click names the other webhook.
      expect(receiver.received).to.have.length(2);
    });

    it('leads and sales of a visit', async () => {
      const { id } = await aWebhook({ kinds: ['lead.created', 'sale.created'] });
      const { body: link } = await api.post('/links', {
        url: A,
        key: 'shop',
        trackConversion: true,
        webhookIds: [id],
      });
      const { headers } = await world.visit('/shop');
      const clickId = new URL(headers.location!).searchParams.get('click_id');
      await api.post('/track/lead', {
        clickId,
        eventName: 'Sign up',
        customerExternalId: 'user-1',
        customerEmail: 'ada@example.com',
      });
      await api.post('/track/sale', {
        customerExternalId: 'user-1',
        amount: 1_999,
        currency: 'usd',
        paymentProcessor: 'stripe',
        invoiceId: 'inv-1',
      });
      const all = await received(3);
      const bodies = new Map(all.map(({ body }) => [body.type, body]));
      const sale = bodies.get('sale.created');
      expect(sale.data).to.deep.include({
        eventName: 'Purchase',
        sale: { amount: 1_999, currency: 'usd', paymentProcessor: 'stripe', invoiceId: 'inv-1' },
      });
      expect(sale.data.click.id).to.equal(clickId);
      expect(sale.data.link).to.include({
        id: link.id,
        clicks: 1,
        leads: 1,
        sales: 1,
        saleAmount: 1_999,
      });
      expect(sale.data.customer).to.include({ externalId: 'user-1', email: 'ada@example.com' });
      expect(bodies.get('lead.created').data).to.deep.include({ eventName: 'Sign up' });
      expect(bodies.get('link.clicked').data.click.id).to.equal(clickId);
      expect(all.map(({ body }) => body.sequence).toSorted((a, b) => a - b)).to.deep.equal([
        1, 2, 3,
      ]);
      // The API shows the same values.
      const { body: events } = await api.get('/events', { event: 'sales' });
      expect(events[0].sale).to.deep.equal(sale.data.sale);
      expect((await api.get('/analytics', { event: 'sales', groupBy: 'count' })).body).to.include({
        sales: 1,
        saleAmount: 1_999,
      });
      // A repeated invoice is no sale and sends no event.
      await api.post('/track/sale', {
        customerExternalId: 'user-1',
        amount: 1_999,
        currency: 'usd',
        paymentProcessor: 'stripe',
        invoiceId: 'inv-1',
      });
      expect(await deliveries(id)).to.have.length(3);
      const attempts = () =>
        db()('webhook_attempts').where({ webhook_id: id }).pluck('delivery_id') as Promise<
          string[]
        >;
      await eventually(async () => expect(await attempts()).to.have.length(3));
      // Erasing a customer deletes the deliveries about that customer, with their attempts.
      const { body: customers } = await api.get('/customers');
      await api.delete(`/customers/${customers[0].id}`);
      const left = await db()('webhook_deliveries').where({ webhook_id: id });
      expect(left.map(({ kind }) => kind)).to.deep.equal(['link.clicked']);
      expect(await attempts()).to.deep.equal(left.map((delivery) => delivery.id));
      await api.delete(`/links/${link.id}`, { events: 'remove' });
      expect(await deliveries(id)).to.deep.equal([]);
      expect(await attempts()).to.deep.equal([]);
    });

    it('are deleted with their webhook', async () => {
      const { id } = await aWebhook({ kinds: ['link.created'] });
      await api.post('/links', { url: A });
      const attempts = () => db()('webhook_attempts').where({ webhook_id: id });
      await eventually(async () => expect(await attempts()).to.have.length(1));
      await api.delete(`/webhooks/${id}`);
      expect(await db()('webhook_deliveries').where({ webhook_id: id })).to.deep.equal([]);
      expect(await attempts()).to.deep.equal([]);
    });

    it('every click of a link that names fifty of them', async function () {
      const ids: string[] = [];
      for (let n = 0; n < 50; n += 1) ids.push((await aWebhook({ kinds: ['sale.created'] })).id);
      await api.post('/links', {
        url: A,
        key: 'all',
        comments: 'c'.repeat(9_000),
        webhookIds: ids,
      });
      for (let n = 0; n < 10; n += 1) await world.visit('/all', { userAgent: browser(n) });
      const all = await received(500);
      for (const one of all) verify(SECRET, one);
      expect(new Set(all.map((one) => one.id)).size).to.equal(500);
    });

    it('no events of refused requests', async () => {
      const { id } = await aWebhook();
      await api.post('/links', { url: A, key: 'taken' });
      expect((await api.post('/links', { url: A, key: 'taken' })).status).to.equal(409);
      expect((await api.delete('/links/link_unknown')).status).to.equal(404);
      expect(await deliveries(id)).to.have.length(1);
    });
  });

  describe('signatures', () => {
    it('are valid for the library of Standard Webhooks, and invalid for any other content', async () => {
      await aWebhook();
      await api.post('/links', { url: A, title: 'Grüße 🎉 \u2028' });
      const [one] = await received(1);
      const { headers, raw } = one!;
      expect(verify(SECRET, one!)).to.deep.equal(one!.body);
      expect(headers).to.include({ 'content-type': 'application/json' });
      expect(headers['webhook-id']).to.match(/^msg_[0-9A-Za-z]{24}$/);
      expect(() => verify(newSecret(), one!)).to.throw(/signature/i);
      expect(() => verify(SECRET, { headers, raw: raw.replace('example', 'exbmple') })).to.throw();
      const with_ = (name: string, value: string) => ({
        raw,
        headers: { ...headers, [name]: value },
      });
      expect(() => verify(SECRET, with_('webhook-id', 'msg_other'))).to.throw(/signature/i);
      const hourAgo = String(Math.floor(Date.now() / 1000) - 3_600);
      expect(() => verify(SECRET, with_('webhook-timestamp', hourAgo))).to.throw(/timestamp/i);
    });

    it('use both secrets for a day after a rotation', async () => {
      const { id } = await aWebhook();
      const { body: rotated } = await api.post(`/webhooks/${id}/rotate-secret`);
      expect(rotated.secret).not.to.equal(SECRET);
      const until = Date.parse(rotated.previousSecretUntil) - Date.now();
      expect(until / 3_600_000).to.be.within(23.9, 24);
      await api.post(`/webhooks/${id}/test`, { kind: 'sale.created' });
      const [first] = await received(1);
      verify(SECRET, first!);
      verify(rotated.secret, first!);
      // A running job may still use both secrets of the webhook's row.
      await eventually(async () => {
        const { body } = await api.get(`/webhooks/${id}/deliveries`);
        expect(body[0].state).to.equal('delivered');
      });
      await db()('webhooks').where({ id }).update({ previous_secret_until: new Date() });
      await api.post(`/webhooks/${id}/test`, {});
      const second = (await received(2))[1]!;
      verify(rotated.secret, second);
      expect(() => verify(SECRET, second)).to.throw(/signature/i);
    });
  });

  it('require their scopes', async () => {
    const { id } = await aWebhook();
    const reader = await world.withScopes('webhooks.read');
    expect((await reader.get(`/webhooks/${id}`)).status).to.equal(200);
    expect((await reader.post(`/webhooks/${id}/rotate-secret`)).status).to.equal(403);
    const none = await world.withScopes('links.write');
    expect((await none.get('/webhooks')).status).to.equal(403);
  });

  it('get one event of a repeated visit', async () => {
    const { id } = await aWebhook({ kinds: ['sale.created'] });
    await api.post('/links', { url: A, key: 'once', webhookIds: [id] });
    await Promise.all(Array.from({ length: 5 }, () => world.visit('/once')));
    await world.visit('/once', { userAgent: browser(2) });
    await received(2);
    await eventually(async () => expect(await deliveries(id)).to.have.length(2));
  });
});

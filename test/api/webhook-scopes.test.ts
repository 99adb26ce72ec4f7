import { expect } from 'chai';
import { addDomainNow } from '../../src/domains/commands.ts';
import { WEBHOOK_KINDS } from '../../src/webhooks/kinds.ts';
import { browser } from '../support/browser.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { checkDelivery } from '../support/receiver.ts';
import { WebhookTest } from '../support/webhook-test.ts';
import type { World } from '../support/world.ts';

const A = 'https://example.com/a';
const VISITS = ['link.clicked', 'qrcode.scanned'];

describe('scopes of webhooks', () => {
  let world: World;
  let api: ApiClient;
  let test: WebhookTest;
  let other: string;

  beforeEach(async () => {
    test = await WebhookTest.start();
    ({ world, api } = test);
    other = `other-${world.domain}`;
    await addDomainNow(world.projectId, { slug: other }, true);
  });
  afterEach(() => test.receiver.stop());

  const create = async (path: string, body: object) => {
    const answer = await api.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201);
    return answer.body;
  };

  /** Lists what a webhook got: kinds, each with the record. */
  const got = async (id: string): Promise<string[]> =>
    (await test.deliveries(id)).map(
      ({ kind, recordId }: { kind: string; recordId: string }) => `${kind} ${recordId}`,
    );

  it('select visits by domain, folder and tag, and all of them', async () => {
    const folder = await create('/folders', { name: 'Spring' });
    const tag = await create('/tags', { name: 'News' });
    const links = {
      plain: await create('/links', { url: A, key: 'plain' }),
      foldered: await create('/links', { url: A, key: 'foldered', folderId: folder.id }),
      tagged: await create('/links', { url: A, key: 'tagged', tagIds: [tag.id] }),
      elsewhere: await create('/links', { url: A, key: 'elsewhere', domain: other }),
    };
    const code = await create('/qrcodes', {
      type: 'url',
      url: A,
      key: 'code',
      folderId: folder.id,
      tagIds: [tag.id],
    });
    const webhooks = {
      links: await test.aWebhook({ kinds: VISITS }),
      all: await test.aWebhook({ kinds: VISITS, scope: 'all' }),
      clicks: await test.aWebhook({ kinds: ['link.clicked'], scope: 'all' }),
      domain: await test.aWebhook({ kinds: VISITS, scope: 'domain', domains: [other] }),
      folder: await test.aWebhook({ kinds: VISITS, scope: 'folder', folderIds: [folder.id] }),
      tag: await test.aWebhook({ kinds: VISITS, scope: 'tag', tagIds: [tag.id] }),
    };
    for (const key of ['plain', 'foldered', 'tagged', 'code']) await world.visit(`/${key}`);
    await world.visit('/elsewhere', { host: other });
    const clicked = (...of: { id: string }[]) => of.map(({ id }) => `link.clicked ${id}`);
    const scan = `qrcode.scanned ${code.id}`;
    await eventually(async () => {
      expect(await got(webhooks.all.id)).to.have.members([
        ...clicked(...Object.values(links)),
        scan,
      ]);
    });
    const { plain, foldered, tagged, elsewhere } = links;
    expect(await got(webhooks.clicks.id)).to.have.members(
      clicked(plain, foldered, tagged, elsewhere),
    );
    expect(await got(webhooks.domain.id)).to.deep.equal(clicked(elsewhere));
    expect(await got(webhooks.folder.id)).to.have.members([...clicked(foldered), scan]);
    expect(await got(webhooks.tag.id)).to.have.members([...clicked(tagged), scan]);
    expect(await got(webhooks.links.id)).to.deep.equal([]);
    await eventually(() => expect(test.receiver.received).to.have.length(14));
    for (const received of test.receiver.received) checkDelivery(received);
  });

  it('include visits of the root of a domain, which is no link', async () => {
    const { body: domains } = await api.get('/domains');
    const { id } = domains.find(({ slug }: { slug: string }) => slug === other);
    expect((await api.patch(`/domains/${id}`, { target: A })).status).to.equal(200);
    const webhook = await test.aWebhook({ kinds: VISITS, scope: 'domain', domains: [other] });
    expect((await world.visit('/', { host: other })).status).to.be.within(300, 399);
    const [one] = await test.received(1);
    expect(one!.body.data.link).to.include({ id: '', domain: other });
    expect(await got(webhook.id)).to.deep.equal(['link.clicked null']);
  });

  it('select leads and changes of links, and never events of the workspace', async () => {
    const folder = await create('/folders', { name: 'Spring' });
    const scope = { scope: 'folder', folderIds: [folder.id], kinds: WEBHOOK_KINDS };
    const { id } = await test.aWebhook(scope);
    const fields = { url: A, trackConversion: true };
    const inside = await create('/links', { ...fields, key: 'inside', folderId: folder.id });
    const outside = await create('/links', { ...fields, key: 'outside' });
    for (const key of ['outside', 'inside']) {
      const { headers } = await world.visit(`/${key}`);
      const clickId = new URL(headers.location!).searchParams.get('click_id');
      const customer = { customerExternalId: key, eventName: 'Sign up' };
      await create('/track/lead', { clickId, ...customer });
    }
    await create('/track/sale', { customerExternalId: 'nobody', amount: 100, currency: 'usd' });
    expect((await api.patch(`/links/${outside.id}`, { folderId: folder.id })).status).to.equal(200);
    expect((await api.delete(`/links/${inside.id}`)).status).to.equal(200);
    const failing = await test.aWebhook({ name: 'failing', kinds: ['link.created'] });
    test.receiver.answerWith(410);
    await create('/links', { url: A });
    await eventually(async () => {
      expect(await got(id)).to.have.members([
        `link.created ${inside.id}`,
        `link.clicked ${inside.id}`,
        `lead.created ${inside.id}`,
        `link.updated ${outside.id}`,
        `link.deleted ${inside.id}`,
        'webhook.disabled null',
      ]);
    });
    expect((await api.get(`/webhooks/${failing.id}`)).body.enabled).to.equal(false);
  });

  it('are shown, and replaced by updates', async () => {
    const folder = await create('/folders', { name: 'Spring' });
    const tag = await create('/tags', { name: 'News' });
    const webhook = await test.aWebhook();
    const none = { domains: null, folderIds: null, tagIds: null };
    expect(webhook).to.deep.include({ scope: 'links', ...none });
    const steps: [changes: object, shown: object][] = [
      [
        { scope: 'domain', domains: [other.toUpperCase()] },
        { scope: 'domain', domains: [other] },
      ],
      [{ name: 'renamed' }, { scope: 'domain', domains: [other] }],
      [{ scope: 'domain' }, { scope: 'domain', domains: [other] }],
      [{ domains: `${other},${world.domain}` }, { domains: [other, world.domain] }],
      [
        { scope: 'tag', tagIds: [tag.id], domains: null },
        { scope: 'tag', tagIds: [tag.id], domains: null },
      ],
      [
        { scope: 'folder', folderIds: [folder.id] },
        { scope: 'folder', folderIds: [folder.id], tagIds: null },
      ],
      [{ scope: 'all' }, { scope: 'all', ...none }],
    ];
    for (const [changes, shown] of steps) {
      const { status, body } = await api.patch(`/webhooks/${webhook.id}`, changes);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include(shown);
      expect((await api.get(`/webhooks/${webhook.id}`)).body).to.deep.equal(body);
    }
  });

  const bad: [fields: object, message: string][] = [
    [{ scope: 'everything' }, 'scope must be one of'],
    [{ scope: 'domain' }, 'domains is required with the scope "domain"'],
    [{ scope: 'folder', folderIds: [] }, 'folderIds must contain at least 1'],
    [{ scope: 'tag', tagIds: null }, 'tagIds is required with the scope "tag"'],
    [{ tagIds: ['tag_1'] }, 'tagIds must be set with the scope "tag" only'],
    [{ scope: 'all', domains: ['a.test'] }, 'domains must be set with the scope "domain" only'],
    [{ scope: 'domain', domains: ['a b'] }, 'domains'],
    [{ scope: 'domain', domains: ['a.test'] }, 'domains: there is no domain "a.test"'],
    [{ scope: 'folder', folderIds: ['fold_1'] }, 'folderIds: there is no folder "fold_1"'],
    [{ scope: 'tag', tagIds: ['tag_1'] }, 'tagIds: there is no tag "tag_1"'],
  ];
  it('are refused if something is missing or does not exist', async () => {
    const { id } = await test.aWebhook();
    const required = { name: 'a', url: A, kinds: ['link.created'] };
    for (const [fields, message] of bad) {
      for (const answer of [
        await api.post('/webhooks', { ...required, ...fields }),
        await api.patch(`/webhooks/${id}`, fields),
      ]) {
        expect(answer.status, message).to.equal(422);
        expect(answer.body.error.message).to.contain(message);
      }
    }
    expect((await api.get('/webhooks')).body).to.have.length(1);
  });

  it('lose deleted domains, folders and tags, and never become wider', async () => {
    const folder = await create('/folders', { name: 'Spring' });
    const tags = [await create('/tags', { name: 'a' }), await create('/tags', { name: 'b' })];
    const tagIds = tags.map(({ id }) => id);
    const of = {
      folder: await test.aWebhook({ scope: 'folder', folderIds: [folder.id] }),
      tag: await test.aWebhook({ scope: 'tag', tagIds }),
      domain: await test.aWebhook({ scope: 'domain', domains: [other] }),
    };
    const { body: domains } = await api.get('/domains');
    const domain = domains.find(({ slug }: { slug: string }) => slug === other);
    for (const path of [`/folders/${folder.id}`, `/tags/${tagIds[0]}`, `/domains/${domain.id}`]) {
      expect((await api.delete(path)).status).to.equal(200);
    }
    const shown = async (id: string) => (await api.get(`/webhooks/${id}`)).body;
    expect(await shown(of.folder.id)).to.deep.include({ folderIds: [], enabled: true });
    expect(await shown(of.tag.id)).to.deep.include({ tagIds: [tagIds[1]] });
    expect(await shown(of.domain.id)).to.deep.include({ domains: [] });
    const link = await create('/links', { url: A, tagIds: [tagIds[1]] });
    await test.received(1);
    expect(await got(of.tag.id)).to.deep.equal([`link.created ${link.id}`]);
    expect(await got(of.folder.id)).to.deep.equal([]);
    expect(await got(of.domain.id)).to.deep.equal([]);
  });

  describe('with filters', () => {
    const PHONE =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

    it('have visits and leads that match, and events of links', async () => {
      const filter = { country: 'DE', device: ['Mobile'], qr: false };
      const webhook = await test.aWebhook({ scope: 'all', filter });
      expect(webhook.filter).to.deep.equal({ ...filter, country: ['DE'] });
      const fields = { url: A, trackConversion: true };
      const { id } = await create('/links', { ...fields, key: 'a' });
      const visits: [ip: string, path: string, userAgent?: string][] = [
        ['192.0.2.1', '/a'],
        ['198.51.100.1', '/a', PHONE],
        ['192.0.2.2', '/a?qr=1', PHONE],
        ['192.0.2.3', '/a', PHONE],
      ];
      for (const [ip, path, userAgent = browser()] of visits) {
        const headers = { 'x-forwarded-for': ip };
        const { headers: answered } = await world.visit(path, { headers, userAgent });
        const clickId = new URL(answered.location!).searchParams.get('click_id');
        await create('/track/lead', { clickId, customerExternalId: ip, eventName: 'Sign up' });
      }
      await eventually(async () => {
        expect(await got(webhook.id)).to.have.members([
          `link.created ${id}`,
          `link.clicked ${id}`,
          `lead.created ${id}`,
        ]);
      });
      const events = await api.get('/events', { country: 'DE', device: 'Mobile', type: 'link' });
      expect(events.body).to.have.length(1);
      const { body: cleared } = await api.patch(`/webhooks/${webhook.id}`, { filter: null });
      expect(cleared.filter).to.equal(null);
    });

    it('also select the visits of links that name the webhook', async () => {
      const { id } = await test.aWebhook({ kinds: ['sale.created'], filter: { device: 'Mobile' } });
      await create('/links', { url: A, key: 'named', webhookIds: [id] });
      await world.visit('/named');
      await world.visit('/named', { userAgent: PHONE });
      const [one] = await test.received(1);
      expect(one!.body.data.click.device).to.equal('Mobile');
    });

    it('select suspects', async () => {
      const webhooks = {
        suspect: await test.aWebhook({ scope: 'all', filter: { traffic: 'suspect' } }),
        none: await test.aWebhook({ scope: 'all', kinds: VISITS }),
      };
      const { id } = await create('/links', { url: A, key: 'a' });
      // An address in a network of a mail scanner.
      await world.visit('/a', { headers: { 'x-forwarded-for': '40.94.16.7' } });
      await world.visit('/a');
      const clicked = `link.clicked ${id}`;
      await eventually(async () => {
        expect(await got(webhooks.none.id)).to.deep.equal([clicked]);
      });
      await eventually(async () => {
        expect(await got(webhooks.suspect.id)).to.have.members([`link.created ${id}`, clicked]);
      });
      const { body: list } = await api.get(`/webhooks/${webhooks.suspect.id}/deliveries`, {
        kind: 'link.clicked',
      });
      const { body } = await api.get(`/webhooks/${webhooks.suspect.id}/deliveries/${list[0].id}`);
      expect(JSON.parse(body.request.body).data.click.suspect).to.equal('network: Microsoft');
    });

    const wrong: [filter: unknown, field: string][] = [
      [{}, 'filter'],
      [{ country: ['XX'] }, 'filter.country'],
      [{ device: ['Fridge'] }, 'filter.device'],
      [{ qr: 'yes' }, 'filter.qr'],
      [{ traffic: 'bots' }, 'filter.traffic'],
      [{ browser: 'Chrome' }, 'filter.browser'],
      ['DE', 'filter'],
    ];
    it('are refused with unknown fields and values', async () => {
      for (const [filter, field] of wrong) {
        const body = { name: 'a', url: A, kinds: ['link.created'], filter };
        const answer = await api.post('/webhooks', body);
        expect(answer.status, field).to.equal(422);
        expect(answer.body.error.message).to.contain(field);
      }
    });
  });
});

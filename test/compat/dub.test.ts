import { expect } from 'chai';
import { Dub } from 'dub';
import { DubError } from 'dub/models/errors';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Runs every method of Dub's npm SDK against this service, with the parameters that matter. The SDK
 * validates each answer against its own schemas. A table of the results is printed at the end.
 */

const A = 'https://example.com/a';
const VISITOR = { 'x-forwarded-for': '192.0.2.1', referer: 'https://news.example/today' };

describe('the SDK of Dub', () => {
  let world: World;
  let sdk: Dub;
  const table: { method: string; call: string; answer: string }[] = [];
  const called = new Set<string>();

  /** Ids of records that earlier calls created. */
  const made = {
    linkId: '',
    tagId: '',
    folderId: '',
    otherDomain: '',
    customerId: '',
    clickId: '',
    bulkIds: [] as string[],
  };

  before(async () => {
    world = await aWorkspace();
    sdk = new Dub({ token: world.apiKey, serverURL: `${stack().apiUrl}/compat/dub` });
  });

  after(() => {
    const passed = table.filter(({ answer }) => answer === 'passes').length;
    const lines = table.map(({ method, call, answer }) =>
      [method.padEnd(32), call.padEnd(44), answer].join(' '),
    );
    console.log(
      `${lines.join('\n')}\n${passed} of ${table.length} calls pass, ${table.length - passed} are answered with a documented error`,
    );
  });

  /** Defines a test of a call that succeeds. */
  function passes(method: string, call: string, run: () => Promise<unknown>): void {
    it(`${method}: ${call || 'passes'}`, async () => {
      called.add(method);
      await run();
      table.push({ method, call, answer: 'passes' });
    });
  }

  /** Defines a test of a call that this service does not support. */
  function refused(
    method: string,
    call: string,
    status: number,
    message: RegExp,
    run: () => Promise<unknown>,
  ): void {
    it(`${method}: ${call || 'refused'}`, async () => {
      called.add(method);
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, 'an error of the SDK').to.be.instanceOf(DubError);
      const { statusCode, body } = error as DubError;
      expect(statusCode, body).to.equal(status);
      expect((JSON.parse(body) as { error: { message: string } }).error.message).to.match(message);
      table.push({ method, call, answer: `${status}: documented` });
    });
  }

  // Tags and folders come first, since links refer to them.

  passes('tags.create', '', async () => {
    const tag = await sdk.tags.create({ name: 'Spring', color: 'green' });
    expect(tag).to.include({ name: 'Spring', color: 'green' });
    made.tagId = tag.id;
  });
  passes('tags.create', 'by the older name of the field', async () => {
    const tag = await sdk.tags.create({ tag: 'Autumn' });
    expect(tag.name).to.equal('Autumn');
  });
  passes('tags.list', '', async () => {
    const tags = await sdk.tags.list({ sortOrder: 'desc' });
    expect(tags.map(({ name }) => name)).to.deep.equal(['Spring', 'Autumn']);
  });
  passes('tags.list', 'by ids and search', async () => {
    expect(await sdk.tags.list({ ids: [made.tagId], search: 'spr' })).to.have.length(1);
  });
  passes('tags.update', '', async () => {
    const tag = await sdk.tags.update(made.tagId, { name: 'Spring 2027', color: 'blue' });
    expect(tag).to.include({ name: 'Spring 2027', color: 'blue' });
  });
  passes('tags.delete', '', async () => {
    const { id } = await sdk.tags.create({ name: 'gone', color: 'red' });
    expect(await sdk.tags.delete(id)).to.deep.equal({ id });
  });

  passes('folders.create', '', async () => {
    const folder = await sdk.folders.create({ name: 'Launch' });
    expect(folder).to.include({ name: 'Launch', type: 'default' });
    made.folderId = folder.id;
  });
  passes('folders.list', '', async () => {
    const folders = await sdk.folders.list({ search: 'lau' });
    expect(folders.map(({ id }) => id)).to.deep.equal([made.folderId]);
  });
  passes('folders.update', '', async () => {
    const folder = await sdk.folders.update(made.folderId, { name: 'Launch 2027' });
    expect(folder.name).to.equal('Launch 2027');
  });
  passes('folders.delete', '', async () => {
    const { id } = await sdk.folders.create({ name: 'gone' });
    expect(await sdk.folders.delete(id)).to.deep.equal({ id });
  });

  passes('domains.create', '', async () => {
    made.otherDomain = `other-${world.slug}.test`;
    const domain = await sdk.domains.create({
      slug: made.otherDomain,
      expiredUrl: 'https://example.com/expired',
    });
    expect(domain).to.include({ slug: made.otherDomain, verified: false, primary: false });
    expect(domain.registeredDomain).to.equal(null);
  });
  passes('domains.list', '', async () => {
    const slugs: string[] = [];
    for await (const { result } of await sdk.domains.list()) {
      slugs.push(...result.map(({ slug }) => slug));
    }
    expect(slugs).to.have.members([world.domain, made.otherDomain]);
  });
  passes('domains.update', '', async () => {
    const domain = await sdk.domains.update(world.domain, {
      notFoundUrl: 'https://example.com/404',
    });
    expect(domain).to.include({ slug: world.domain, notFoundUrl: 'https://example.com/404' });
  });
  passes('domains.update', 'with the files of apps, as texts', async () => {
    const apps = { applinks: { details: [{ appIDs: ['ABCDE12345.com.example.app'] }] } };
    const statements = [{ relation: ['delegate_permission/x'], target: { namespace: 'web' } }];
    const files = {
      appleAppSiteAssociation: JSON.stringify(apps),
      assetLinks: JSON.stringify(statements),
    };
    expect(await sdk.domains.update(world.domain, files)).to.include(files);
    const { body } = await world.visit('/.well-known/apple-app-site-association');
    expect(JSON.parse(body)).to.deep.equal(apps);
    expect(JSON.parse((await world.visit('/.well-known/assetlinks.json')).body)).to.deep.equal(
      statements,
    );
    const none = { appleAppSiteAssociation: null, assetLinks: null };
    expect(await sdk.domains.update(world.domain, none)).to.include(none);
  });
  refused('domains.update', 'with a file that is not JSON', 422, /assetLinks must be/, () =>
    sdk.domains.update(world.domain, { assetLinks: '{' }),
  );
  passes('domains.delete', '', async () => {
    const answer = await sdk.domains.delete(made.otherDomain);
    expect(answer).to.deep.equal({ slug: made.otherDomain });
  });

  passes('links.create', 'of a URL alone', async () => {
    const link = await sdk.links.create({ url: A });
    expect(link).to.include({ url: A, domain: world.domain, clicks: 0, archived: false });
    expect(link.key).to.have.length(7);
    expect(link.shortLink).to.equal(`https://${world.domain}/${link.key}`);
    expect(link.projectId).to.equal(link.workspaceId);
  });
  passes('links.create', 'with every field of a link', async () => {
    const link = await sdk.links.create({
      url: A,
      key: 'spring',
      externalId: 'ours-1',
      trackConversion: true,
      tagIds: [made.tagId],
      folderId: made.folderId,
      comments: 'printed',
      expiresAt: '2035-01-01T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      proxy: true,
      title: 'Title',
      description: 'Text',
      image: 'https://example.com/a.png',
      video: 'https://example.com/a.mp4',
      ios: 'https://apps.apple.com/app/id1',
      android: 'https://play.google.com/store/apps/details?id=a',
      geo: { FR: 'https://example.com/fr' },
      doIndex: true,
      publicStats: true,
      utmSource: 'news',
      utmCampaign: 'spring',
    });
    made.linkId = link.id;
    expect(link).to.include({
      key: 'spring',
      externalId: 'ours-1',
      trackConversion: true,
      folderId: made.folderId,
      comments: 'printed',
      expiresAt: '2035-01-01T00:00:00.000Z',
      title: 'Title',
      utmSource: 'news',
      utmCampaign: 'spring',
    });
    expect(link.tags).to.deep.equal([{ id: made.tagId, name: 'Spring 2027', color: 'blue' }]);
    expect(link.geo).to.deep.equal({ FR: 'https://example.com/fr' });
  });
  passes('links.create', 'with a password and a tag by name', async () => {
    const link = await sdk.links.create({ url: A, password: 'open', tagNames: 'Autumn' });
    expect(link.password).to.equal('open');
    expect(link.tags!.map(({ name }) => name)).to.deep.equal(['Autumn']);
  });
  passes('links.create', 'with a prefix', async () => {
    const link = await sdk.links.create({ url: A, prefix: '/c/' });
    expect(link.key).to.match(/^c\/\w{7}$/);
  });
  passes('links.create', 'with keyLength', async () => {
    expect((await sdk.links.create({ url: A, keyLength: 12 })).key).to.have.length(12);
  });
  passes('links.create', 'with an A/B test', async () => {
    const link = await sdk.links.create({
      url: A,
      testVariants: [
        { url: 'https://example.com/1', percentage: 70 },
        { url: 'https://example.com/2', percentage: 30 },
      ],
      testCompletedAt: '2035-01-01T00:00:00.000Z',
    });
    expect(link.testVariants).to.deep.equal([
      { url: 'https://example.com/1', percentage: 70 },
      { url: 'https://example.com/2', percentage: 30 },
    ]);
    expect(link.testCompletedAt).to.equal('2035-01-01T00:00:00.000Z');
    expect(link.testStartedAt).to.be.a('string');
    await sdk.links.delete(link.id);
  });
  refused('links.create', 'with testStartedAt', 422, /testStartedAt/, () =>
    sdk.links.create({ url: A, testStartedAt: '2035-01-01T00:00:00.000Z' }),
  );
  refused('links.create', 'with a key that is taken', 409, /"spring"|taken|exists/, () =>
    sdk.links.create({ url: A, key: 'spring' }),
  );
  refused('links.create', 'with tenantId', 422, /tenantId is not a known field/, () =>
    sdk.links.create({ url: A, tenantId: 'tenant-1' }),
  );

  passes('links.get', 'by id', async () => {
    expect((await sdk.links.get({ linkId: made.linkId })).key).to.equal('spring');
  });
  passes('links.get', 'by external id', async () => {
    expect((await sdk.links.get({ externalId: 'ext_ours-1' })).id).to.equal(made.linkId);
  });
  passes('links.get', 'by domain and key', async () => {
    const link = await sdk.links.get({ domain: world.domain, key: 'spring' });
    expect(link.id).to.equal(made.linkId);
  });
  passes('links.update', 'by id', async () => {
    const link = await sdk.links.update(made.linkId, { title: 'New', expiresAt: null });
    expect(link).to.include({ title: 'New', expiresAt: null });
  });
  passes('links.update', 'by external id', async () => {
    const link = await sdk.links.update('ext_ours-1', { geo: null, comments: null });
    expect(link).to.include({ id: made.linkId, geo: null, comments: null });
  });
  passes('links.upsert', 'of a new link', async () => {
    const link = await sdk.links.upsert({ url: 'https://example.com/up', key: 'up' });
    expect(link.key).to.equal('up');
  });
  passes('links.upsert', 'of one that is there', async () => {
    const before = await sdk.links.get({ domain: world.domain, key: 'up' });
    const link = await sdk.links.upsert({ url: 'https://example.com/upper', key: 'up' });
    expect(link).to.include({ id: before.id, url: 'https://example.com/upper' });
  });
  passes('links.createMany', '', async () => {
    const links = await sdk.links.createMany([
      { url: 'https://example.com/1', externalId: 'many-1' },
      { url: 'https://example.com/2', externalId: 'many-2' },
    ]);
    made.bulkIds = links.map((link) => ('id' in link ? link.id : ''));
    expect(made.bulkIds.every((id) => id.startsWith('link_'))).to.equal(true);
  });
  passes('links.createMany', 'with one at fault', async () => {
    const [good, bad] = await sdk.links.createMany([
      { url: 'https://example.com/3' },
      { url: A, key: 'spring' },
    ]);
    expect(good).to.include({ url: 'https://example.com/3' });
    expect(bad).to.include({ code: 'conflict' });
    expect(bad).to.have.property('link').that.includes({ key: 'spring' });
  });
  passes('links.updateMany', 'by ids', async () => {
    const links = await sdk.links.updateMany({
      linkIds: made.bulkIds,
      data: { comments: 'together', tagIds: [made.tagId] },
    });
    expect(links.map(({ comments }) => comments)).to.deep.equal(['together', 'together']);
  });
  passes('links.updateMany', 'by external ids', async () => {
    const links = await sdk.links.updateMany({
      externalIds: ['many-1', 'many-2'],
      data: { archived: true },
    });
    expect(links.map(({ id }) => id)).to.deep.equal(made.bulkIds);
  });

  const keysOf = async (query: Parameters<Dub['links']['list']>[0]): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { result } of await sdk.links.list(query)) {
      keys.push(...result.map(({ key }) => key));
    }
    return keys;
  };
  passes('links.list', 'all pages', async () => {
    const keys = await keysOf({ pageSize: 3 });
    expect(keys).to.have.length(7);
    expect(new Set(keys).size).to.equal(7);
  });
  passes('links.list', 'with a search', async () => {
    expect(await keysOf({ search: 'spring' })).to.deep.equal(['spring']);
  });
  passes('links.list', 'by tag and folder', async () => {
    expect(await keysOf({ tagIds: [made.tagId], folderId: made.folderId })).to.deep.equal([
      'spring',
    ]);
  });
  passes('links.list', 'by tag names, archived too', async () => {
    expect(await keysOf({ tagNames: ['Spring 2027'], showArchived: true })).to.have.length(3);
  });
  passes('links.list', 'by domain and user', async () => {
    const { userId } = await sdk.links.get({ linkId: made.linkId });
    const query = userId === null || userId === '' ? {} : { userId };
    expect(await keysOf({ domain: world.domain, ...query })).to.have.length(7);
  });
  passes('links.list', 'startingAfter', async () => {
    const all = await keysOf({});
    const after = await keysOf({ startingAfter: made.linkId });
    expect(after).to.deep.equal(all.slice(all.indexOf('spring') + 1));
  });
  passes('links.list', 'endingBefore', async () => {
    const all = await keysOf({});
    const { result } = await sdk.links.list({ endingBefore: made.linkId });
    expect(result.map(({ key }) => key)).to.deep.equal(all.slice(0, all.indexOf('spring')));
  });
  passes('links.count', '', async () => {
    expect(await sdk.links.count()).to.equal(7);
  });
  passes('links.count', 'with filters', async () => {
    expect(await sdk.links.count({ search: 'spring', showArchived: true })).to.equal(1);
  });

  // Tracks clicks, leads and sales, and reads their counts.

  it('has a click', async () => {
    const { headers } = await world.visit('/spring', { userAgent: browser(1), headers: VISITOR });
    made.clickId = new URL(headers.location!).searchParams.get('click_id')!;
    await world.visit('/spring?qr=1', { userAgent: browser(2), headers: VISITOR });
    await eventually(async () => {
      const { clicks } = (await sdk.analytics.retrieve({ linkId: made.linkId })) as {
        clicks: number;
      };
      expect(clicks).to.equal(2);
    });
  });

  passes('track.lead', '', async () => {
    const answer = await sdk.track.lead({
      clickId: made.clickId,
      eventName: 'Sign up',
      customerExternalId: 'user-1',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
      metadata: { plan: 'pro' },
    });
    expect(answer.click.id).to.equal(made.clickId);
    expect(answer.link).to.include({ id: made.linkId, key: 'spring' });
    expect(answer.customer).to.include({ externalId: 'user-1', name: 'Ada' });
  });
  passes('track.lead', 'with mode wait', async () => {
    const { link } = await sdk.track.lead({
      clickId: made.clickId,
      eventName: 'Trial',
      customerExternalId: 'user-1',
      mode: 'wait',
    });
    expect(link!.id).to.equal(made.linkId);
  });
  passes('track.lead', 'with mode deferred, and later without a click', async () => {
    const lead = { eventName: 'Sign up', customerExternalId: 'user-2' };
    const deferred = { ...lead, clickId: made.clickId, customerName: 'Bob' };
    const first = await sdk.track.lead({ ...deferred, mode: 'deferred' });
    const second = await sdk.track.lead({ ...lead, clickId: '', eventQuantity: 2 });
    expect(second).to.deep.equal(first);
    await world.api.delete('/customers/ext_user-2');
  });
  refused('track.lead', 'of nobody, without a click', 422, /^clickId is required/, () =>
    sdk.track.lead({ clickId: '', eventName: 'Sign up', customerExternalId: 'user-none' }),
  );
  passes('track.sale', '', async () => {
    const answer = await sdk.track.sale({
      customerExternalId: 'user-1',
      amount: 4900,
      paymentProcessor: 'stripe',
      invoiceId: 'in-1',
      metadata: { plan: 'pro' },
    });
    expect(answer.sale).to.include({ amount: 4900, currency: 'usd', invoiceId: 'in-1' });
    expect(answer.customer).to.include({ externalId: 'user-1', name: 'Ada' });
    made.customerId = answer.customer!.id;
  });
  passes('track.sale', 'of a click, in another currency', async () => {
    const answer = await sdk.track.sale({
      customerExternalId: 'user-3',
      clickId: made.clickId,
      amount: 1000,
      currency: 'eur',
      paymentProcessor: 'apple',
    });
    expect(answer.sale!.paymentProcessor).to.equal('apple');
    expect(answer.sale!.amount).to.be.greaterThan(1000);
  });

  passes('track.sale', 'of a customer who does not exist', async () => {
    const answer = await sdk.track.sale({ customerExternalId: 'user-none', amount: 5 });
    expect(answer).to.deep.equal({ eventName: 'Purchase', customer: null, sale: null });
  });

  passes('customers.list', 'all pages', async () => {
    const ids: string[] = [];
    for await (const { result } of await sdk.customers.list({ pageSize: 1 })) {
      ids.push(...result.map(({ externalId }) => externalId));
    }
    expect(ids).to.deep.equal(['user-3', 'user-1']);
  });
  passes('customers.list', 'by email, with expanded fields', async () => {
    const page = await sdk.customers.list({
      email: 'ada@example.com',
      includeExpandedFields: true,
    });
    expect(page.result.map(({ id }) => id)).to.deep.equal([made.customerId]);
  });
  passes('customers.get', '', async () => {
    const customer = await sdk.customers.get({ id: made.customerId });
    expect(customer).to.include({ externalId: 'user-1', email: 'ada@example.com' });
    expect(customer).to.include({ sales: 1, saleAmount: 4900 });
  });
  passes('customers.get', 'by external id', async () => {
    expect((await sdk.customers.get({ id: 'ext_user-1' })).id).to.equal(made.customerId);
  });
  passes('customers.update', '', async () => {
    const customer = await sdk.customers.update({
      id: made.customerId,
      requestBody: { name: 'Ada Lovelace' },
    });
    expect(customer.name).to.equal('Ada Lovelace');
  });

  type Row = Record<string, unknown>;
  const ask = async (query: Parameters<Dub['analytics']['retrieve']>[0]): Promise<Row[]> =>
    (await sdk.analytics.retrieve(query)) as unknown as Row[];
  const TWO = { clicks: 2 };

  passes('analytics.retrieve', 'count', async () => {
    const { saleAmount, ...counts } = (await sdk.analytics.retrieve({ groupBy: 'count' })) as {
      saleAmount: number;
    };
    expect(counts).to.deep.equal({ clicks: 2, leads: 5, sales: 2 });
    // One sale is of 49 dollars, the other of ten euros.
    expect(saleAmount).to.be.within(5_500, 6_500);
  });
  passes('analytics.retrieve', 'timeseries', async () => {
    const rows = await ask({ groupBy: 'timeseries', interval: '7d' });
    expect(rows).to.have.length(7);
    expect(rows.at(-1)).to.include(TWO).and.have.property('start');
  });
  for (const [groupBy, row] of [
    ['continents', { continent: 'EU' }],
    ['countries', { country: 'DE', region: '*', city: '*' }],
    ['regions', { country: 'DE', city: '*' }],
    ['cities', { country: 'DE', city: 'Berlin' }],
    ['devices', { device: 'Desktop' }],
    ['browsers', { browser: 'Chrome' }],
    ['os', { os: 'Linux' }],
    ['referers', { referer: 'news.example' }],
    ['referer_urls', {}],
    ['top_urls', {}],
    ['top_base_urls', { url: A }],
  ] as const) {
    passes('analytics.retrieve', groupBy, async () => {
      const rows = await ask({ groupBy });
      expect(rows).to.have.length(1);
      expect(rows[0]).to.include({ ...row, ...TWO });
    });
  }
  passes('analytics.retrieve', 'top_links', async () => {
    const [row] = await ask({ groupBy: 'top_links' });
    expect(row).to.include({ id: made.linkId, key: 'spring', ...TWO });
  });
  for (const groupBy of ['trigger', 'triggers'] as const) {
    passes('analytics.retrieve', groupBy, async () => {
      const rows = await ask({ groupBy });
      expect(rows.map(({ trigger, clicks }) => [trigger, clicks])).to.deep.equal([
        ['link', 1],
        ['qr', 1],
      ]);
    });
  }
  for (const event of ['leads', 'sales', 'composite'] as const) {
    passes('analytics.retrieve', `countries, of ${event}`, async () => {
      const [row] = await ask({ groupBy: 'countries', event });
      expect(row).to.include({ country: 'DE', clicks: event === 'composite' ? 2 : 0 });
      expect(Number(row!['leads']) + Number(row!['sales'])).to.be.greaterThan(0);
    });
  }
  for (const interval of ['24h', '30d', '90d', '1y', 'ytd', 'mtd', 'qtd', 'all'] as const) {
    passes('analytics.retrieve', `count, of the interval ${interval}`, async () => {
      const total = await sdk.analytics.retrieve({ interval, timezone: 'Europe/Berlin' });
      expect(total).to.include(TWO);
    });
  }
  passes('analytics.retrieve', 'count, from start to end', async () => {
    const [start, end] = [Date.now() - 3_600_000, Date.now() + 60_000];
    const total = await sdk.analytics.retrieve({
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
    });
    expect(total).to.include(TWO);
  });
  passes('analytics.retrieve', 'count, with filters of records', async () => {
    const total = await sdk.analytics.retrieve({
      domain: world.domain,
      key: 'spring',
      tagIds: made.tagId,
      folderId: made.folderId,
    });
    expect(total).to.include(TWO);
  });
  passes('analytics.retrieve', 'count, with filters of visitors', async () => {
    const total = await sdk.analytics.retrieve({
      externalId: 'ours-1',
      country: 'DE,AT',
      city: 'Berlin',
      continent: 'EU',
      device: 'Desktop',
      browser: 'Chrome',
      os: 'Linux',
      referer: 'news.example',
      trigger: 'qr',
    });
    expect(total).to.include({ clicks: 1 });
  });
  for (const groupBy of ['top_partners', 'top_groups', 'top_partner_tags'] as const) {
    refused('analytics.retrieve', groupBy, 422, /groupBy must be one of/, () =>
      sdk.analytics.retrieve({ groupBy }),
    );
  }
  passes('analytics.retrieve', 'with an exclusion', async () => {
    expect(await sdk.analytics.retrieve({ country: '-DE' })).to.include({ clicks: 0 });
  });

  passes('events.list', 'clicks', async () => {
    const events = await sdk.events.list({ linkId: made.linkId });
    expect(events.map(({ event }) => event)).to.deep.equal(['click', 'click']);
    const [scan] = events;
    expect(scan!.click).to.include({ qr: true, trigger: 'qr', country: 'DE', city: 'Berlin' });
    expect(scan!.link.id).to.equal(made.linkId);
  });
  passes('events.list', 'leads', async () => {
    const events = await sdk.events.list({ event: 'leads', sortOrder: 'asc' });
    expect(events[0]).to.include({ event: 'lead', eventName: 'Sign up' });
    expect(events[0]!.click.id).to.equal(made.clickId);
  });
  passes('events.list', 'sales', async () => {
    const events = await sdk.events.list({ event: 'sales', interval: 'all', limit: 1 });
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ event: 'sale', eventName: 'Purchase' });
  });

  passes('qrCodes.get', '', async () => {
    expect(await sdk.qrCodes.get({ url: A })).to.match(/PNG/);
  });
  passes('qrCodes.get', 'with colors, level and size', async () => {
    const picture = await sdk.qrCodes.get({
      url: A,
      size: 300,
      level: 'H',
      fgColor: '#112233',
      margin: 6,
      hideLogo: true,
    });
    expect(picture).to.match(/PNG/);
  });

  passes('customers.delete', '', async () => {
    const answer = await sdk.customers.delete(made.customerId);
    expect(answer).to.deep.equal({ id: made.customerId });
  });
  passes('links.deleteMany', '', async () => {
    const answer = await sdk.links.deleteMany({ linkIds: made.bulkIds });
    expect(answer).to.deep.equal({ deletedCount: 2 });
  });
  passes('links.delete', '', async () => {
    expect(await sdk.links.delete(made.linkId)).to.deep.equal({ id: made.linkId });
  });
  refused('links.get', 'of one that is gone', 404, /no such link/, () =>
    sdk.links.get({ linkId: made.linkId }),
  );

  // Calls that this service does not support.

  const NO_REGISTRATION = /registers no domains/;
  refused('domains.register', '', 403, NO_REGISTRATION, () =>
    sdk.domains.register({ domain: 'example.link' }),
  );
  refused('domains.checkStatus', '', 403, NO_REGISTRATION, () =>
    sdk.domains.checkStatus({ domains: 'example.link' }),
  );
  const partner = { partnerId: 'pn_1' };
  const bounty = { bountyId: 'bnty_1', submissionId: 'sub_1' };
  const OTHERS: Record<string, () => Promise<unknown>> = {
    'partners.list': () => sdk.partners.list(),
    'partners.create': () => sdk.partners.create({ email: 'ada@example.com' }),
    'partners.retrieveLinks': () => sdk.partners.retrieveLinks(partner),
    'partners.createLink': () => sdk.partners.createLink(partner),
    'partners.upsertLink': () => sdk.partners.upsertLink({ ...partner, url: A }),
    'partners.analytics': () => sdk.partners.analytics(partner),
    'partners.ban': () => sdk.partners.ban({ ...partner, reason: 'fraud' }),
    'partners.deactivate': () => sdk.partners.deactivate(partner),
    'discountCodes.list': () => sdk.discountCodes.list(),
    'discountCodes.create': () => sdk.discountCodes.create({ ...partner, linkId: 'link_1' }),
    'discountCodes.delete': () => sdk.discountCodes.delete('SPRING'),
    'partnerApplications.list': () => sdk.partnerApplications.list(),
    'partnerApplications.approve': () => sdk.partnerApplications.approve(partner),
    'partnerApplications.reject': () => sdk.partnerApplications.reject(partner),
    'commissions.list': () => sdk.commissions.list(),
    'commissions.create': () => sdk.commissions.create({ type: 'custom', ...partner, amount: 100 }),
    'commissions.update': () => sdk.commissions.update({ id: 'cm_1', requestBody: {} }),
    'commissions.updateMany': () =>
      sdk.commissions.updateMany({ commissionIds: ['cm_1'], status: 'fraud' }),
    'payouts.list': () => sdk.payouts.list(),
    'embedTokens.referrals': () => sdk.embedTokens.referrals(partner),
    'bounties.listSubmissions': () => sdk.bounties.listSubmissions({ bountyId: 'bnty_1' }),
    'bounties.approveSubmission': () => sdk.bounties.approveSubmission(bounty),
    'bounties.rejectSubmission': () => sdk.bounties.rejectSubmission(bounty),
  };
  for (const [method, run] of Object.entries(OTHERS)) {
    refused(method, '', 403, /has no partners/, run);
  }

  it('is called with every method that it has', () => {
    const resources = Object.entries(Object.getOwnPropertyDescriptors(Dub.prototype)).flatMap(
      ([name, { get }]) => (get === undefined ? [] : [name as keyof Dub]),
    );
    const methods = resources.flatMap((name) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(sdk[name]))
        .filter((method) => method !== 'constructor')
        .map((method) => `${name}.${method}`),
    );
    expect(methods).to.have.length.greaterThan(50);
    expect([...called].toSorted()).to.deep.equal(methods.toSorted());
  });
});

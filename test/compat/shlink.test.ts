import { ShlinkApiClient } from '@shlinkio/shlink-js-sdk';
import { ErrorType, type ProblemDetailsError } from '@shlinkio/shlink-js-sdk/api-contract';
import { FetchHttpClient } from '@shlinkio/shlink-js-sdk/fetch';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, browser, type World } from '../support/world.ts';

const A = 'https://example.com/a';
/** A creation, with fields that Shlink has and its SDK does not know. */
type Creation = Parameters<ShlinkApiClient['createShortUrl']>[0] & {
  domain?: string;
  pathPrefix?: string;
};
const VISITOR = { 'x-forwarded-for': '192.0.2.1', referer: 'https://news.example/today' };

/* Runs every method of Shlink's SDK, which its web client uses. */
describe('the SDK of Shlink', () => {
  let world: World;
  let sdk: ShlinkApiClient;

  const clientFor = (apiKey: string) =>
    new ShlinkApiClient(new FetchHttpClient(), {
      baseUrl: `${stack().apiUrl}/compat/shlink`,
      apiKey,
    });

  beforeEach(async () => {
    world = await aWorkspace();
    sdk = clientFor(world.apiKey);
  });

  async function problem(run: Promise<unknown>): Promise<ProblemDetailsError> {
    return run.then(
      () => {
        throw new Error('there is no error');
      },
      (thrown: ProblemDetailsError) => thrown,
    );
  }

  it('creates, reads, changes, lists and deletes short URLs', async () => {
    const made = await sdk.createShortUrl({
      longUrl: A,
      customSlug: 'spring',
      title: 'Spring',
      tags: ['new', 'Newer'],
      crawlable: true,
      validSince: '2020-01-01T00:00:00+01:00',
      validUntil: '2035-01-01T00:00:00+01:00',
      maxVisits: 100,
    });
    expect(made).to.deep.include({
      shortCode: 'spring',
      shortUrl: `https://${world.domain}/spring`,
      longUrl: A,
      domain: null,
      title: 'Spring',
      tags: ['new', 'Newer'],
      crawlable: true,
      forwardQuery: true,
      hasRedirectRules: false,
      visitsSummary: { total: 0, nonBots: 0, bots: 0 },
      meta: {
        validSince: '2019-12-31T23:00:00+00:00',
        validUntil: '2034-12-31T23:00:00+00:00',
        maxVisits: 100,
      },
    });
    expect(await sdk.getShortUrl({ shortCode: 'spring' })).to.deep.equal(made);
    expect(await sdk.getShortUrl({ shortCode: 'spring', domain: world.domain })).to.deep.equal(
      made,
    );

    const changed = await sdk.updateShortUrl(
      { shortCode: 'spring' },
      { longUrl: `${A}?b`, title: null, tags: ['new'], maxVisits: null, forwardQuery: false },
    );
    expect(changed).to.deep.include({ longUrl: `${A}?b`, title: null, tags: ['new'] });
    expect(changed.meta.maxVisits).to.equal(null);

    await sdk.deleteShortUrl({ shortCode: 'spring' });
    const gone = await problem(sdk.getShortUrl({ shortCode: 'spring' }));
    expect(gone).to.deep.include({ type: ErrorType.INVALID_SHORTCODE, status: 404 });
    expect(gone['shortCode']).to.equal('spring');
  });

  it('creates with a length, and finds what is there', async () => {
    const made = await sdk.createShortUrl({ longUrl: A, shortCodeLength: 12 });
    expect(made.shortCode).to.have.length(12);
    expect(await sdk.createShortUrl({ longUrl: A, findIfExists: true })).to.deep.equal(made);
    const other = await sdk.createShortUrl({ longUrl: `${A}/2`, findIfExists: true });
    expect(other.shortCode).not.to.equal(made.shortCode);

    const taken = await problem(
      sdk.createShortUrl({ longUrl: `${A}/3`, customSlug: made.shortCode }),
    );
    expect(taken).to.deep.include({
      type: ErrorType.INVALID_SLUG,
      status: 400,
      customSlug: made.shortCode,
    });
    const invalid = await problem(
      sdk.createShortUrl({ longUrl: 'javascript:alert(1)', maxVisits: -1 }),
    );
    expect(invalid).to.deep.include({
      type: ErrorType.INVALID_ARGUMENT,
      status: 400,
      invalidElements: ['longUrl', 'maxVisits'],
    });
  });

  it('finds what has all that is requested, and else creates', async () => {
    const longUrl = 'https://example.com/größe';
    const plain = await sdk.createShortUrl({ longUrl, shortCodeLength: 12, crawlable: true });
    const full: Creation = {
      longUrl,
      maxVisits: 1,
      validSince: '2030-01-01T00:00:00+01:00',
      validUntil: '2031-01-01T00:00:00+01:00',
      tags: ['Limited', 'other'],
      title: 'One time',
    };
    const findIfExists = true;
    const limited = await sdk.createShortUrl({ ...full, findIfExists });
    expect(limited.shortCode).not.to.equal(plain.shortCode);
    expect(limited).to.deep.include({ tags: ['Limited', 'other'], title: 'One time' });
    const same: [what: string, requested: Partial<Creation>][] = [
      ['all of it', {}],
      ['tags in another order and case', { tags: ['other', 'limited'] }],
      ['the same instant', { validSince: '2029-12-31T23:00:00Z' }],
      ['its short code', { customSlug: limited.shortCode }],
      ['its domain', { domain: world.domain.toUpperCase() }],
      ['a length for a new code', { shortCodeLength: 5 }],
    ];
    for (const [what, requested] of same) {
      const found = await sdk.createShortUrl({ ...full, ...requested, findIfExists });
      expect(found.shortCode, what).to.equal(limited.shortCode);
    }
    // With less requested, the newest one that has it.
    for (const requested of [{ maxVisits: 1 }, { tags: ['limited', 'OTHER'] }, { tags: [] }]) {
      const found = await sdk.createShortUrl({ longUrl, ...requested, findIfExists });
      expect(found.shortCode, JSON.stringify(requested)).to.equal(limited.shortCode);
    }
    const crawlable = await sdk.createShortUrl({ longUrl, crawlable: true, findIfExists });
    expect(crawlable.shortCode).to.equal(plain.shortCode);

    const { slug } = (await world.api.post('/domains', { slug: `two.${world.domain}` })).body;
    const different: [what: string, requested: Partial<Creation>][] = [
      ['maxVisits', { maxVisits: 2 }],
      ['validSince', { validSince: '2030-01-01T00:00:00Z' }],
      ['validUntil', { validUntil: '2032-01-01T00:00:00+01:00' }],
      ['fewer tags', { tags: ['limited'] }],
      ['more tags', { tags: ['limited', 'other', 'third'] }],
      ['title', { title: 'one time' }],
      ['crawlable', { crawlable: true }],
      ['customSlug', { customSlug: 'mine' }],
      ['pathPrefix', { pathPrefix: 'sub/' }],
      ['domain', { domain: slug }],
      ['longUrl', { longUrl: `${longUrl}?x` }],
    ];
    const codes = new Set([plain.shortCode, limited.shortCode]);
    for (const [what, requested] of different) {
      const requesting = { ...full, ...requested, findIfExists };
      const made = await sdk.createShortUrl(requesting);
      expect(codes.has(made.shortCode), what).to.equal(false);
      codes.add(made.shortCode);
      expect((await sdk.createShortUrl(requesting)).shortCode, what).to.equal(made.shortCode);
    }
  });

  it('finds a destination in each of its forms, of any length, among many that contain it', async () => {
    const long = `https://example.com/?x=${'y'.repeat(20_000)}`;
    const findIfExists = true;
    const made = new Map<string, { shortCode: string }>();
    for (const sent of [
      'https://example.com/größe',
      'https://example.com/a b',
      'example.com',
      long,
    ]) {
      made.set(sent, await sdk.createShortUrl({ longUrl: sent, findIfExists }));
    }
    const newer = Array.from({ length: 100 }, (_, at) => ({ url: `https://example.com/${at}` }));
    await world.api.post('/links/bulk', newer);
    for (const [sent, ...forms] of [
      ['https://example.com/größe', 'https://example.com/gr%C3%B6%C3%9Fe'],
      ['https://example.com/a b', 'https://example.com/a%20b'],
      ['example.com', 'https://example.com'],
      [long],
    ]) {
      for (const longUrl of [sent!, ...forms]) {
        const found = await sdk.createShortUrl({ longUrl, findIfExists });
        expect(found).to.deep.equal(made.get(sent!));
      }
    }
    expect(new Set([...made.values()].map(({ shortCode }) => shortCode)).size).to.equal(4);
    const refused = await problem(sdk.createShortUrl({ longUrl: 'javascript:1', findIfExists }));
    expect(refused).to.deep.include({ status: 400, invalidElements: ['longUrl'] });
  });

  it('finds one of more than a page of links with the destination', async () => {
    const made = await sdk.createShortUrl({ longUrl: A, tags: ['oldest'] });
    const others = Array.from({ length: 100 }, () => ({ url: A }));
    for (let times = 0; times < 2; times += 1) await world.api.post('/links/bulk', others);
    const found = await sdk.createShortUrl({ longUrl: A, tags: ['oldest'], findIfExists: true });
    expect(found).to.deep.equal(made);
  });

  it('lists short URLs by pages, tags, text and order', async () => {
    for (const shortCode of ['a', 'b', 'c']) {
      await sdk.createShortUrl({
        longUrl: `https://example.com/${shortCode}`,
        customSlug: shortCode,
        tags: shortCode === 'c' ? ['odd'] : ['even'],
      });
    }
    await world.visit('/a', { userAgent: browser(1) });
    const codes = async (params: Parameters<typeof sdk.listShortUrls>[0]) =>
      (await sdk.listShortUrls(params)).data.map(({ shortCode }) => shortCode);
    const page = await sdk.listShortUrls({ itemsPerPage: 2, page: '2' });
    expect(page.data.map(({ shortCode }) => shortCode)).to.deep.equal(['a']);
    expect(page.pagination).to.deep.include({ currentPage: 2, pagesCount: 2, totalItems: 3 });
    expect(await codes({ tags: ['even'] })).to.deep.equal(['b', 'a']);
    expect(await codes({ tags: ['even', 'odd'], tagsMode: 'any' })).to.have.length(3);
    expect(await codes({ searchTerm: 'example.com/c' })).to.deep.equal(['c']);
    expect(await codes({ domain: 'DEFAULT', startDate: '2020-01-01' })).to.have.length(3);
    await eventually(async () => {
      const orderBy = { field: 'visits', dir: 'DESC' } as const;
      expect((await codes({ orderBy }))[0]).to.equal('a');
    });
    const refused = await problem(sdk.listShortUrls({ orderBy: { field: 'title', dir: 'ASC' } }));
    expect(refused).to.deep.include({ status: 400, invalidElements: ['orderBy'] });
    expect((await problem(sdk.listShortUrls({ excludeTags: ['odd'] }))).status).to.equal(400);
  });

  it('lists, counts, renames and deletes tags', async () => {
    await sdk.createShortUrl({ longUrl: A, customSlug: 'a', tags: ['one', 'two'] });
    await sdk.createShortUrl({ longUrl: A, customSlug: 'b', tags: ['two'] });
    await world.visit('/a', { userAgent: browser(1) });
    expect((await sdk.listTags()).data).to.deep.equal(['one', 'two']);
    await eventually(async () => {
      const visitsSummary = { total: 1, nonBots: 1, bots: 0 };
      expect((await sdk.tagsStats()).data).to.deep.equal([
        { tag: 'one', shortUrlsCount: 1, visitsSummary },
        { tag: 'two', shortUrlsCount: 2, visitsSummary },
      ]);
    });
    await sdk.editTag({ oldName: 'one', newName: 'first' });
    const conflict = await problem(sdk.editTag({ oldName: 'two', newName: 'first' }));
    expect(conflict).to.deep.include({ type: ErrorType.TAG_CONFLICT, status: 409 });
    const missing = await problem(sdk.editTag({ oldName: 'none', newName: 'some' }));
    expect(missing).to.deep.include({ type: ErrorType.TAG_NOT_FOUND, status: 404 });
    await sdk.deleteTags(['first', 'never']);
    expect((await sdk.listTags()).data).to.deep.equal(['two']);
  });

  it('lists visits of a short URL, a tag, a domain, all, and of the root', async () => {
    await sdk.createShortUrl({ longUrl: A, customSlug: 'a', tags: ['one'] });
    await sdk.createShortUrl({ longUrl: A, customSlug: 'b' });
    await world.visit('/a', { userAgent: browser(1), headers: VISITOR });
    await world.visit('/b', { userAgent: browser(2), headers: VISITOR });
    await sdk.editDomainRedirects({ domain: world.domain, baseUrlRedirect: A });
    await world.visit('/', { userAgent: browser(3), headers: VISITOR });
    await eventually(async () => {
      const { nonOrphanVisits, orphanVisits } = await sdk.getVisitsOverview();
      expect([nonOrphanVisits.total, orphanVisits.total]).to.deep.equal([2, 1]);
    });

    const { data, pagination } = await sdk.getShortUrlVisits({ shortCode: 'a' });
    expect(pagination).to.deep.include({ totalItems: 1, pagesCount: 1 });
    expect(data[0]).to.deep.include({
      referer: 'https://news.example/today',
      userAgent: 'Chrome Linux Desktop',
      potentialBot: false,
      visitedUrl: `https://${world.domain}/a`,
      redirectUrl: A,
      visitLocation: {
        countryCode: 'DE',
        countryName: 'Germany',
        regionName: 'Berlin',
        cityName: 'Berlin',
        latitude: null,
        longitude: null,
        timezone: null,
        isEmpty: false,
      },
    });
    const numbers = [
      await sdk.getTagVisits('one'),
      await sdk.getDomainVisits(world.domain),
      await sdk.getDomainVisits('DEFAULT'),
      await sdk.getNonOrphanVisits({ itemsPerPage: 1, page: 2 }),
      await sdk.getNonOrphanVisits({ startDate: '2020-01-01', endDate: '2021-01-01' }),
      await sdk.getOrphanVisits({ type: 'base_url' }),
      await sdk.getOrphanVisits({ type: 'regular_404' }),
    ].map((list) => [list.data.length, list.pagination.totalItems]);
    expect(numbers).to.deep.equal([
      [1, 1],
      [2, 2],
      [2, 2],
      [1, 2],
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
    const ofOne = await problem(sdk.deleteShortUrlVisits({ shortCode: 'a' }));
    const orphans = await problem(sdk.deleteOrphanVisits());
    expect([ofOne.status, orphans.status]).to.deep.equal([501, 501]);
  });

  it('lists domains with their redirects, and changes them', async () => {
    const redirects = { baseUrlRedirect: A, regular404Redirect: null };
    const changed = await sdk.editDomainRedirects({
      domain: world.domain,
      baseUrlRedirect: A,
      invalidShortUrlRedirect: `${A}/404`,
    });
    expect(changed).to.deep.equal({ ...redirects, invalidShortUrlRedirect: `${A}/404` });
    const { data } = await sdk.listDomains();
    expect(data[0]).to.deep.equal({
      domain: world.domain,
      isDefault: true,
      redirects: changed,
    });
    expect(data[1]).to.deep.include({ domain: 'localhost', isDefault: false });
    const other = await problem(sdk.editDomainRedirects({ domain: 'other.test' }));
    expect(other).to.deep.include({ type: ErrorType.DOMAIN_NOT_FOUND, status: 404 });
  });

  it('reads and sets redirect rules', async () => {
    await sdk.createShortUrl({ longUrl: A, customSlug: 'a' });
    const redirectRules = [
      {
        longUrl: `${A}/android`,
        conditions: [
          { type: 'device', matchKey: null, matchValue: 'android' },
          { type: 'language', matchKey: null, matchValue: 'de' },
        ],
      },
      {
        longUrl: `${A}/safari`,
        conditions: [
          { type: 'browser', matchKey: null, matchValue: 'safari' },
          { type: 'geolocation-country-code', matchKey: null, matchValue: 'DE' },
        ],
      },
      {
        longUrl: `${A}/query`,
        conditions: [
          { type: 'query-param', matchKey: 'a', matchValue: 'b' },
          { type: 'any-value-query-param', matchKey: 'c', matchValue: null },
        ],
      },
    ];
    const rules = { redirectRules };
    const set = await sdk.setShortUrlRedirectRules({ shortCode: 'a' }, rules);
    expect(set.defaultLongUrl).to.equal(A);
    expect(set.redirectRules.map(({ priority }) => priority)).to.deep.equal([1, 2, 3]);
    for (const [index, { longUrl, conditions }] of redirectRules.entries()) {
      expect(set.redirectRules[index]!.longUrl).to.equal(longUrl);
      expect(set.redirectRules[index]!.conditions).to.have.deep.members([...conditions]);
    }
    expect(await sdk.getShortUrlRedirectRules({ shortCode: 'a' })).to.deep.equal(set);
    expect((await sdk.getShortUrl({ shortCode: 'a' })).hasRedirectRules).to.equal(true);
    const { headers } = await world.visit('/a?a=b&c=1');
    expect(headers.location).to.match(/\/query/);

    const conditions = [{ type: 'ip-address', matchKey: null, matchValue: '10.0.0.1' }];
    const refused = await problem(
      sdk.setShortUrlRedirectRules(
        { shortCode: 'a' },
        { redirectRules: [{ longUrl: A, conditions: [...conditions] }] },
      ),
    );
    expect(refused).to.deep.include({ status: 400, invalidElements: ['conditions'] });

    const { id } = (await world.api.get('/links', { search: A })).body[0];
    await world.api.patch(`/links/${id}`, { rules: [{ value: 'de', url: A }] });
    const kept = await problem(sdk.setShortUrlRedirectRules({ shortCode: 'a' }, rules));
    expect(kept.status).to.equal(409);
  });

  it('tells health, and that there is no Mercure', async () => {
    expect(await sdk.health()).to.deep.include({ status: 'pass' });
    expect(await problem(sdk.mercureInfo())).to.deep.include({
      type: ErrorType.MERCURE_NOT_CONFIGURED,
      status: 501,
    });
  });

  it('answers keys that don’t hold, and rights that are missing, as Shlink does', async () => {
    const unknown = await problem(clientFor('sk_unknown').listTags());
    expect(unknown).to.deep.include({ type: ErrorType.INVALID_API_KEY, status: 401 });
    const missing = await problem(clientFor('').listTags());
    expect(missing).to.deep.include({ type: ErrorType.INVALID_AUTHORIZATION, status: 401 });
    const url = `${stack().apiUrl}/compat/shlink/rest/v3/none`;
    const response = await fetch(url, { headers: { 'x-api-key': world.apiKey } });
    expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/);
    expect(await response.json()).to.deep.include({ type: ErrorType.NOT_FOUND, status: 404 });
  });

  it('opens, changes and deletes short URLs with slashes in their codes', async () => {
    const { shortCode } = await sdk.createShortUrl({ longUrl: A, customSlug: 'team/offer' });
    expect(await sdk.getShortUrl({ shortCode })).to.include({ longUrl: A });
    const changed = await sdk.updateShortUrl({ shortCode }, { title: 'Offer' });
    expect(changed).to.include({ shortCode, title: 'Offer' });
    expect((await sdk.getShortUrlVisits({ shortCode })).data).to.deep.equal([]);
    expect((await sdk.getShortUrlRedirectRules({ shortCode })).redirectRules).to.deep.equal([]);
    await sdk.deleteShortUrl({ shortCode });
    expect(await problem(sdk.getShortUrl({ shortCode }))).to.include({ status: 404, shortCode });
  });
});

/* Requests of clients that do not use the SDK, in the form in which they send them. */
describe('other clients of Shlink', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  async function send(method: string, path: string, type?: string, body?: string) {
    const response = await fetch(`${stack().apiUrl}/compat/shlink/rest${path}`, {
      method,
      headers: {
        'x-api-key': world.apiKey,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }
  const TEXT = 'text/plain; charset=utf-8';
  /** The fields of the phone app, which it sends as text, with `null` for what it does not set. */
  const OF_THE_APP = {
    longUrl: A,
    validSince: null,
    validUntil: null,
    maxVisits: null,
    tags: [],
    title: null,
    crawlable: false,
    forwardQuery: true,
    customSlug: null,
    findIfExists: false,
    domain: null,
    shortCodeLength: null,
  };

  it('create, change and route with JSON of any type, and never move a short code', async () => {
    const made = await send('POST', '/v3/short-urls', TEXT, JSON.stringify(OF_THE_APP));
    expect(made.status).to.equal(200);
    const { shortCode } = made.body;
    const change = { ...OF_THE_APP, customSlug: 'moved', title: 'Kept', tags: ['one'] };
    const changed = await send(
      'PATCH',
      `/v3/short-urls/${shortCode}`,
      TEXT,
      JSON.stringify(change),
    );
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ shortCode, title: 'Kept', tags: ['one'] });
    const rules = [
      {
        longUrl: `${A}/ios`,
        conditions: [{ type: 'device', matchValue: 'ios', matchKey: null }],
      },
    ];
    const routed = await send(
      'POST',
      `/v3/short-urls/${shortCode}/redirect-rules`,
      TEXT,
      JSON.stringify({ redirectRules: rules }),
    );
    expect(routed.status, JSON.stringify(routed.body)).to.equal(200);
  });

  it('find what has the flags that they send', async () => {
    const codes = new Set<string>();
    for (const flags of [{ forwardQuery: false }, { crawlable: true }, {}]) {
      const sent = { longUrl: A, forwardQuery: true, crawlable: false, ...flags };
      const body = JSON.stringify({ ...sent, findIfExists: true, tags: [], title: null });
      const made = await send('POST', '/v3/short-urls', 'application/json', body);
      expect(made.body).to.include(flags);
      const again = await send('POST', '/v3/short-urls', 'application/json', body);
      expect(again.body).to.deep.equal(made.body);
      codes.add(made.body.shortCode);
    }
    expect(codes.size).to.equal(3);
    const bad = JSON.stringify({ longUrl: A, findIfExists: true, tags: 'one', validUntil: 5 });
    const refused = await send('POST', '/v3/short-urls', 'application/json', bad);
    expect([refused.status, refused.body.invalidElements]).to.deep.equal([400, ['validUntil']]);
  });

  it('create with a form', async () => {
    const form = new URLSearchParams([
      ['longUrl', A],
      ['customSlug', 'form'],
      ['tags[]', 'one'],
      ['tags[]', 'two'],
      ['maxVisits', '3'],
      ['crawlable', 'true'],
    ]);
    const type = 'application/x-www-form-urlencoded';
    const made = await send('POST', '/v3/short-urls', type, form.toString());
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    expect(made.body).to.deep.include({ shortCode: 'form', tags: ['one', 'two'], crawlable: true });
    expect(made.body.meta.maxVisits).to.equal(3);
    form.set('maxVisits', 'many');
    form.set('customSlug', 'other');
    const refused = await send('POST', '/v3/short-urls', type, form.toString());
    expect(refused.status).to.equal(400);
    expect(refused.body.invalidElements).to.deep.equal(['maxVisits']);
  });

  it('use versions 1 and 2, whose errors have other types', async () => {
    const body = JSON.stringify({ longUrl: A, customSlug: 'taken' });
    for (const version of ['v1', 'v2']) {
      const made = await send('POST', `/${version}/short-urls`, 'application/json', body);
      expect(made.status).to.equal(version === 'v1' ? 200 : 400);
      const read = await send('GET', `/${version}/short-urls/taken`);
      expect([read.status, read.body.longUrl]).to.deep.equal([200, A]);
      const none = await send('GET', `/${version}/short-urls/none`);
      expect(none.body).to.include({ type: 'INVALID_SHORTCODE', status: 404 });
      const unknown = await send('GET', `/${version}/none`);
      expect(unknown.body).to.include({ type: 'NOT_FOUND', status: 404 });
    }
    const taken = await send('POST', '/v2/short-urls', 'application/json', body);
    expect(taken.body).to.include({ type: 'INVALID_SLUG' });
  });

  it('create in one step, and get the short URL as text or JSON', async () => {
    const step = (query: Record<string, string>, method = 'GET') =>
      fetch(
        `${stack().apiUrl}/compat/shlink/rest/v3/short-urls/shorten?${new URLSearchParams(query)}`,
        { method },
      );
    const { apiKey } = world;
    const text = await step({ apiKey, longUrl: A, format: 'txt' });
    expect(text.headers.get('content-type')).to.match(/^text\/plain/);
    expect(await text.text()).to.match(new RegExp(`^https://${world.domain}/\\w+$`));
    const json = await step({ apiKey, longUrl: A, format: 'json' });
    expect(await json.json()).to.include({ longUrl: A });
    const refused = await step({ apiKey, longUrl: 'no url', format: 'txt' });
    expect([refused.status, (await refused.json()).invalidElements]).to.deep.equal([
      400,
      ['longUrl'],
    ]);
    expect((await step({ longUrl: A })).status).to.equal(401);
    const before = (await world.api.get('/links/count')).body;
    expect((await step({ apiKey, longUrl: A }, 'HEAD')).status).to.equal(400);
    expect((await world.api.get('/links/count')).body).to.equal(before);
  });
});

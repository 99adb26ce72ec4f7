import { ShlinkApiClient } from '@shlinkio/shlink-js-sdk';
import { ErrorType, type ProblemDetailsError } from '@shlinkio/shlink-js-sdk/api-contract';
import { FetchHttpClient } from '@shlinkio/shlink-js-sdk/fetch';
import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

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
  });

  it('sorts short URLs by every field in both directions', async () => {
    const titles: Record<string, string> = { a: 'beta', b: 'Gamma', c: 'Alpha' };
    for (const [shortCode, title] of Object.entries(titles)) {
      const longUrl = `https://example.com/${shortCode === 'a' ? 'z' : shortCode}`;
      await sdk.createShortUrl({ longUrl, customSlug: shortCode, title });
    }
    for (const visitor of [1, 2]) await world.visit('/b', { userAgent: browser(visitor) });
    await world.visit('/c', { userAgent: browser(1) });
    const orders = {
      dateCreated: 'abc',
      shortCode: 'abc',
      longUrl: 'bca',
      title: 'cab',
      visits: 'acb',
      nonBotVisits: 'acb',
    } as const;
    await eventually(async () => {
      const { nonOrphanVisits } = await sdk.getVisitsOverview();
      expect(nonOrphanVisits.total).to.equal(3);
    });
    for (const [field, ascending] of Object.entries(orders)) {
      const codes = async (dir: 'ASC' | 'DESC') => {
        const orderBy = { field: field as keyof typeof orders, dir };
        const { data } = await sdk.listShortUrls({ orderBy });
        return data.map(({ shortCode }) => shortCode).join('');
      };
      expect(await codes('ASC'), field).to.equal(ascending);
      expect(await codes('DESC'), field).to.equal(ascending.split('').toReversed().join(''));
    }
  });

  it('lists short URLs with all of several tags, or without tags', async () => {
    const tagged = { none: [], red: ['red'], blue: ['blue'], both: ['red', 'Blue'] };
    for (const [customSlug, tags] of Object.entries(tagged)) {
      await sdk.createShortUrl({ longUrl: A, customSlug, tags });
    }
    const codes = async (params: Parameters<typeof sdk.listShortUrls>[0]) => {
      const { data, pagination } = await sdk.listShortUrls(params);
      expect(pagination.totalItems).to.equal(data.length);
      return data.map(({ shortCode }) => shortCode).toSorted();
    };
    const tags = ['red', 'blue'];
    expect(await codes({ tags, tagsMode: 'any' })).to.deep.equal(['blue', 'both', 'red']);
    expect(await codes({ tags, tagsMode: 'all' })).to.deep.equal(['both']);
    expect(await codes({ tags: ['red', 'no'], tagsMode: 'all' })).to.deep.equal([]);
    expect(await codes({ excludeTags: tags })).to.deep.equal(['none']);
    expect(await codes({ excludeTags: ['RED', 'no'] })).to.deep.equal(['blue', 'none']);
    expect(await codes({ excludeTags: tags, excludeTagsMode: 'all' })).to.deep.equal([
      'blue',
      'none',
      'red',
    ]);
    expect(await codes({ tags: ['red'], excludeTags: ['blue'] })).to.deep.equal(['red']);
  });

  it('leaves out short URLs that have ended', async () => {
    const validUntil = new Date(Date.now() + 2_000).toISOString();
    await sdk.createShortUrl({ longUrl: A, customSlug: 'open', maxVisits: 2 });
    await sdk.createShortUrl({ longUrl: A, customSlug: 'used', maxVisits: 1 });
    await sdk.createShortUrl({ longUrl: A, customSlug: 'past', validUntil });
    for (const path of ['/open', '/used']) await world.visit(path, { userAgent: browser(1) });
    const codes = async (params: Parameters<typeof sdk.listShortUrls>[0]) =>
      (await sdk.listShortUrls(params)).data.map(({ shortCode }) => shortCode);
    await eventually(async () => {
      const [excludeMaxVisitsReached, excludePastValidUntil] = [true, true];
      expect(await codes({ excludeMaxVisitsReached })).to.deep.equal(['past', 'open']);
      expect(await codes({ excludePastValidUntil })).to.deep.equal(['used', 'open']);
      const both = await codes({ excludeMaxVisitsReached, excludePastValidUntil });
      expect(both).to.deep.equal(['open']);
    });
    expect(await codes({ excludeMaxVisitsReached: false })).to.have.length(3);
  });

  it('finds short URLs by title, tag and domain, and by long texts', async () => {
    const longUrl = `${A}?${'y'.repeat(300)}`;
    await sdk.createShortUrl({ longUrl, customSlug: 'a', title: 'Spring sale', tags: ['Shoes'] });
    await sdk.createShortUrl({ longUrl: A, customSlug: 'b' });
    const codes = async (searchTerm: string) =>
      (await sdk.listShortUrls({ searchTerm })).data.map(({ shortCode }) => shortCode);
    for (const term of ['spring', 'ring sale', 'SHOE', `${world.domain}/a`, longUrl, ' spring ']) {
      expect(await codes(term), term).to.deep.equal(['a']);
    }
    expect(await codes(world.domain)).to.have.length(2);
    const refused = await problem(sdk.listShortUrls({ searchTerm: 'y'.repeat(1_001) }));
    expect(refused).to.deep.include({ status: 400, invalidElements: ['searchTerm'] });
  });

  it('lists all short URLs at once, and pages of any size', async () => {
    const keys = Array.from({ length: 130 }, (_, at) => `k${String(at).padStart(3, '0')}`);
    for (let at = 0; at < keys.length; at += 100) {
      const links = keys.slice(at, at + 100).map((key) => ({ url: A, key }));
      expect((await world.api.post('/links/bulk', links)).status).to.equal(200);
    }
    const list = async (itemsPerPage: number, page = '1') => {
      const orderBy = { field: 'shortCode', dir: 'ASC' } as const;
      const { data, pagination } = await sdk.listShortUrls({ itemsPerPage, page, orderBy });
      return { codes: data.map(({ shortCode }) => shortCode), pagination };
    };
    for (const all of [-1, 0, 1_000]) {
      const { codes, pagination } = await list(all);
      expect(codes).to.deep.equal(keys);
      expect(pagination).to.deep.equal({
        currentPage: 1,
        pagesCount: 1,
        itemsPerPage: all === 1_000 ? 1_000 : keys.length,
        itemsInCurrentPage: keys.length,
        totalItems: keys.length,
      });
    }
    const second = await list(110, '2');
    expect(second.codes).to.deep.equal(keys.slice(110));
    expect(second.pagination).to.include({ pagesCount: 2, itemsInCurrentPage: 20 });
    expect((await list(110, '3')).codes).to.deep.equal([]);
    expect((await sdk.listShortUrls()).data).to.have.length(10);
  });

  it('lists no short URLs as one empty page', async () => {
    const { data, pagination } = await sdk.listShortUrls({ itemsPerPage: -1 });
    expect(data).to.deep.equal([]);
    expect(pagination).to.include({ pagesCount: 1, totalItems: 0 });
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
      // A date is midnight at Shlink, so it is excluded as an end.
      await sdk.getNonOrphanVisits({ endDate: (data[0] as { date: string }).date.slice(0, 10) }),
      await sdk.getOrphanVisits({ type: 'base_url' }),
      await sdk.getOrphanVisits({ type: 'regular_404' }),
    ].map((list) => [list.data.length, list.pagination.totalItems]);
    expect(numbers).to.deep.equal([
      [1, 1],
      [2, 2],
      [2, 2],
      [1, 2],
      [0, 0],
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
    const ofOne = await problem(sdk.deleteShortUrlVisits({ shortCode: 'a' }));
    const orphans = await problem(sdk.deleteOrphanVisits());
    expect([ofOne.status, orphans.status]).to.deep.equal([501, 501]);
  });

  it('marks visits of suspects as potential bots where the workspace counts them', async () => {
    await sdk.createShortUrl({ longUrl: A, customSlug: 'a' });
    const scanner = { 'x-forwarded-for': '40.94.16.7' };
    await world.visit('/a', { userAgent: browser(1), headers: VISITOR });
    await world.visit('/a', { userAgent: browser(2), headers: scanner });
    const markedIn = async (query: object) => {
      const { data } = await sdk.getShortUrlVisits({ shortCode: 'a' }, query);
      return data.map((visit) => (visit as { potentialBot: boolean }).potentialBot);
    };
    await eventually(async () => expect(await markedIn({})).to.deep.equal([false]));
    await world.api.patch('/workspace', { countSuspects: true });
    await eventually(async () => expect(await markedIn({})).to.deep.equal([true, false]));
    expect(await markedIn({ excludeBots: true })).to.deep.equal([false]);
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

  it('find short URLs by tags with commas, which are never divided', async () => {
    const tagged = async (customSlug: string, ...tags: string[]) => {
      const body = JSON.stringify({ longUrl: A, customSlug, tags });
      expect((await send('POST', '/v3/short-urls', TEXT, body)).status).to.equal(200);
    };
    await tagged('both-tags', 'left', 'right');
    await tagged('one-tag', 'left,right');
    const found = async (...tags: string[]) => {
      const query = new URLSearchParams(tags.map((tag) => ['tags[]', tag]));
      const { body } = await send('GET', `/v3/short-urls?${query.toString()}`);
      return body.shortUrls.data.map(({ shortCode }: { shortCode: string }) => shortCode);
    };
    expect(await found('left,right')).to.deep.equal(['one-tag']);
    expect(await found('left')).to.deep.equal(['both-tags']);
    expect(await found('right,left')).to.deep.equal([]);
    expect(await found('left,right', 'right')).to.have.members(['one-tag', 'both-tags']);
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

  /* The phone app shlink-manager reads all pages, and the overview of its start page. */
  it('read page after page, and an overview', async () => {
    for (let at = 0; at < 12; at += 1) {
      const body = JSON.stringify({ ...OF_THE_APP, customSlug: `k${at}`, tags: ['app'] });
      await send('POST', '/v3/short-urls', TEXT, body);
    }
    const codes: string[] = [];
    let pages = 2;
    for (let page = 1; page <= pages; page += 1) {
      const { body } = await send('GET', `/v3/short-urls?page=${page}`);
      pages = body.shortUrls.pagination.pagesCount;
      codes.push(...body.shortUrls.data.map((url: { shortCode: string }) => url.shortCode));
    }
    expect(pages).to.equal(2);
    expect(codes).to.deep.equal(Array.from({ length: 12 }, (_, at) => `k${11 - at}`));
    const recent = await send('GET', '/v3/short-urls?itemsPerPage=5&orderBy=dateCreated-DESC');
    expect(recent.body.shortUrls.data).to.have.length(5);
    expect(recent.body.shortUrls.pagination.totalItems).to.equal(12);
    const { body: visits } = await send('GET', '/v3/visits');
    expect(visits.visits.nonOrphanVisits).to.deep.equal({ total: 0, nonBots: 0, bots: 0 });
    expect((await send('GET', '/v3/tags')).body.tags.pagination.totalItems).to.equal(1);
    const { body: stats } = await send('GET', '/v3/tags/stats?page=1');
    expect(stats.tags.data[0]).to.include({ tag: 'app', shortUrlsCount: 12 });
    expect((await send('DELETE', '/v3/short-urls/k0')).status).to.equal(204);
  });

  /* The phone app Shortish (shlink_app) uses version 1, with the type of JSON on a GET. */
  it('read lists of version 1 with the type of a body, and an order without a direction', async () => {
    const create = JSON.stringify({ longUrl: A, customSlug: 'v1', findIfExists: null });
    expect((await send('POST', '/v1/short-urls', 'application/json', create)).status).to.equal(200);
    expect((await send('GET', '/v1/health', 'application/json')).status).to.equal(200);
    const query = `page=1&searchTerm=example&tags[]=&orderBy=visits&startDate=${encodeURIComponent(
      '2020-01-01T00:00:00+0100',
    )}`;
    const list = await send('GET', `/v1/short-urls?${query}`, 'application/json');
    expect(list.status, JSON.stringify(list.body)).to.equal(200);
    expect(list.body.shortUrls.data[0]).to.include({ shortCode: 'v1', longUrl: A });
    const visits = await send('GET', '/v1/short-urls/v1/visits?page=1', 'application/json');
    expect(visits.body.visits.pagination).to.include({ pagesCount: 1, currentPage: 1 });
    const { body } = await send('GET', '/v2/domains');
    expect(body.domains.data[0]).to.include({ domain: world.domain, isDefault: true });
    const rename = JSON.stringify({ oldName: 'none', newName: 'some' });
    expect((await send('PUT', '/v1/tags', 'application/json', rename)).status).to.equal(404);
  });

  /* PSShlink asks for the version first, and encodes the brackets of lists. */
  it('ask for the version without a key, and filter with encoded names', async () => {
    const health = await fetch(`${stack().apiUrl}/compat/shlink/rest/health`);
    expect(health.headers.get('content-type')).to.match(/^application\/health\+json/);
    const { status, version } = (await health.json()) as Record<string, string>;
    expect([status, version]).to.deep.equal(['pass', '4.4.0']);
    const create = {
      longUrl: A,
      customSlug: 'ps',
      tags: ['one', 'two'],
      validUntil: '2035-01-01T00:00:00+01:00',
      maxVisits: 5,
      findIfExists: true,
      validateUrl: false,
      crawlable: true,
    };
    const type = 'application/json';
    const made = await send('POST', '/v3/short-urls', type, JSON.stringify(create));
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const filters = [
      'tags%5b%5d=one&tags%5b%5d=two&tagsMode=all',
      'searchTerm=ps&orderBy=visits-DESC',
      'startDate=2020-01-01T00%3a00%3a00%2b01%3a00&endDate=2034-01-01T00%3a00%3a00%2b01%3a00',
      'excludeMaxVisitsReached=true&excludePastValidUntil=true',
    ];
    for (const query of [...filters, filters.join('&')]) {
      const { body } = await send('GET', `/v3/short-urls?${query}`, type);
      const codes = body.shortUrls.data.map((url: { shortCode: string }) => url.shortCode);
      expect(codes, query).to.deep.equal(['ps']);
    }
    const change = JSON.stringify({ title: 'Changed', crawlable: false });
    const changed = await send('PATCH', `/v3/short-urls/ps?domain=${world.domain}`, type, change);
    expect(changed.body).to.include({ title: 'Changed', crawlable: false });
    const visits = await send('GET', '/v3/visits/non-orphan?excludeBots=true', type);
    expect(visits.body.visits.pagination.totalItems).to.equal(0);
    expect((await send('DELETE', '/v3/tags?tags%5b%5d=one&tags%5b%5d=two')).status).to.equal(204);
    expect((await send('DELETE', `/v3/short-urls/ps?domain=${world.domain}`)).status).to.equal(204);
  });

  it('get 400 for pages, orders and filters that Shlink does not have', async () => {
    const rows: [query: string, element: string, rule: RegExp][] = [
      ['itemsPerPage=-2', 'itemsPerPage', /a whole number from 1, or -1 for all/],
      ['itemsPerPage=many', 'itemsPerPage', /a whole number from 1/],
      ['itemsPerPage=1.5', 'itemsPerPage', /a whole number from 1/],
      ['itemsPerPage=100&page=1001', 'page', /must not reach further/],
      ['page=0', 'page', /a whole number from 1/],
      ['orderBy=created', 'orderBy', /must be one of dateCreated, shortCode/],
      ['orderBy=title-UP', 'orderBy', /with -ASC or -DESC/],
      ['orderBy=title-ASC-DESC', 'orderBy', /with -ASC or -DESC/],
      ['tags[]=a&tagsMode=some', 'tagsMode', /must be any or all/],
      ['excludeTags[]=a&excludeTagsMode=some', 'excludeTagsMode', /must be any or all/],
      ['apiKeyName=Shop', 'apiKeyName', /not a filter/],
      ['startDate=yesterday', 'startDate', /ISO 8601/],
    ];
    for (const [query, element, rule] of rows) {
      const { status, body } = await send('GET', `/v3/short-urls?${query}`);
      expect([status, body.invalidElements], query).to.deep.equal([400, [element]]);
      expect(body.detail).to.match(rule);
    }
  });

  it('name tags in each notation of PHP, and fields without a direction', async () => {
    for (const [customSlug, tags] of [
      ['one', ['x']],
      ['two', ['x', 'y']],
    ]) {
      const body = JSON.stringify({ longUrl: A, customSlug, tags });
      await send('POST', '/v3/short-urls', 'application/json', body);
    }
    const both = encodeURI('tags[0]=x&tags[1]=y&tagsMode=all');
    for (const [query, expected] of [
      [both, ['two']],
      ['tags[]=x&tags[]=y&tagsMode=all', ['two']],
      ['tags=y', ['two']],
      ['excludeTags[0]=y', ['one']],
      ['tags[]=', ['one', 'two']],
      ['excludeMaxVisitsReached=1&excludePastValidUntil=0', ['one', 'two']],
    ] as const) {
      const { body } = await send('GET', `/v3/short-urls?orderBy=shortCode&${query}`);
      const codes = body.shortUrls.data.map(({ shortCode }: { shortCode: string }) => shortCode);
      expect(codes, query).to.deep.equal(expected);
    }
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

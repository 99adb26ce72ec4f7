import { expect } from 'chai';
import { aWorkspace, type World } from '../support/world.ts';

/** Longer than a text to search for. */
const LONG = `https://example.com/?long=${'y'.repeat(1_500)}`;

describe('filters of GET /links and GET /links/count', () => {
  let world: World;
  let tags: { id: string; name: string }[];
  let folderId: string;
  let idn: string;
  const created: Record<string, { id: string; userId: string; createdAt: string }> = {};

  before(async () => {
    world = await aWorkspace();
    const { api } = world;
    tags = [
      (await api.post('/tags', { name: 'Red' })).body,
      (await api.post('/tags', { name: 'Blue' })).body,
      (await api.post('/tags', { name: 'Smith, Jones & Co' })).body,
      (await api.post('/tags', { name: 'Jones & Co' })).body,
    ];
    folderId = (await api.post('/folders', { name: 'F' })).body.id;
    idn = (await api.post('/domains', { slug: `bücher.${world.domain}` })).body.slug;
    const links = [
      { key: 'plain', url: 'https://example.com/100%25_sure' },
      { key: 'tagged', url: 'https://example.com/t', tagIds: [tags[0]!.id] },
      { key: 'tagged2', url: 'https://example.com/t', tagIds: [tags[1]!.id, tags[0]!.id] },
      { key: 'comma', url: 'https://example.com/k', tagIds: [tags[2]!.id] },
      { key: 'jones', url: 'https://example.com/k', tagIds: [tags[3]!.id] },
      { key: 'folder', url: 'https://example.com/f', folderId },
      { key: 'locked', url: 'https://example.com/l', password: 'pw' },
      { key: 'ends', url: 'https://example.com/e', expiresAt: '2090-01-01T00:00:00Z' },
      { key: 'utm', url: 'https://example.com/u?utm_source=x' },
      { key: 'social', url: 'https://example.com/s', proxy: true, title: 'T' },
      { key: 'geo', url: 'https://example.com/g', geo: { DE: 'https://e.de', FR: 'https://e.fr' } },
      { key: 'apps', url: 'https://example.com/d', ios: 'https://apps.apple.com/1' },
      { key: 'droid', url: 'https://example.com/d', android: 'market://details?id=1' },
      { key: 'noted', url: 'https://example.com/c', comments: 'About_50% done' },
      { key: 'sold', url: 'https://example.com/t', trackConversion: true },
      { key: 'default', url: 'https://example.com/x', domain: 'localhost', externalId: 'x' },
      { key: 'idn', url: 'https://example.com/Straße', domain: idn, comments: 'Ärger (2)' },
      { key: 'long', url: LONG },
      { key: 'old', url: 'https://example.com/a', archived: true },
    ].map((link) => ({ ...link, key: `${link.key}-${world.slug}` }));
    const { body } = await api.post('/links/bulk', links);
    for (const link of body) created[link.key.split('-')[0]] = link;
  });

  const all =
    'plain tagged tagged2 comma jones folder locked ends utm social geo apps droid noted sold default idn long'.split(
      ' ',
    );
  const except = (...names: string[]) => all.filter((name) => !names.includes(name));

  const rows: [
    name: string,
    query: () => Record<string, string | number | boolean | string[]>,
    expected: string[],
  ][] = [
    ['nothing: all but archived ones', () => ({}), all],
    ['showArchived', () => ({ showArchived: true }), [...all, 'old']],
    ['showArchived=false', () => ({ showArchived: false }), all],
    ['projectSlug', () => ({ projectSlug: world.slug }), all],
    ['domain', () => ({ domain: 'localhost' }), ['default']],
    ['domain in capitals', () => ({ domain: 'LOCALHOST' }), ['default']],
    ['domain with letters beyond ASCII', () => ({ domain: `BÜCHER.${world.domain}` }), ['idn']],
    ['unknown domain', () => ({ domain: 'nope.test' }), []],
    ['tagId', () => ({ tagId: tags[1]!.id }), ['tagged2']],
    [
      'tagIds: any of them',
      () => ({ tagIds: `${tags[0]!.id},${tags[1]!.id}` }),
      ['tagged', 'tagged2'],
    ],
    [
      'tagIds repeated, as lists too',
      () => ({ tagIds: [`${tags[0]!.id},${tags[3]!.id}`, tags[1]!.id] }),
      ['tagged', 'tagged2', 'jones'],
    ],
    ['tagNames, whatever their case', () => ({ tagNames: 'bLUE' }), ['tagged2']],
    ['tagNames unknown', () => ({ tagNames: 'green' }), []],
    ['allTagNames', () => ({ allTagNames: ['RED', 'blue'] }), ['tagged2']],
    ['allTagNames, one unknown', () => ({ allTagNames: 'red,green' }), []],
    ['withoutTagNames', () => ({ withoutTagNames: 'BLUE' }), except('tagged2')],
    ['withoutTagNames, one unknown', () => ({ withoutTagNames: 'blue,x' }), except('tagged2')],
    ['notAllTagNames', () => ({ notAllTagNames: 'red,blue' }), except('tagged2')],
    ['allTagNames with a comma', () => ({ allTagNames: 'Smith, Jones & Co' }), ['comma']],
    [
      'withoutTagNames with a comma',
      () => ({ withoutTagNames: 'Smith, Jones & Co' }),
      except('comma'),
    ],
    [
      'notAllTagNames with a comma',
      () => ({ notAllTagNames: 'Smith, Jones & Co' }),
      except('comma'),
    ],
    ['tagNames divided at commas', () => ({ tagNames: 'red, BLUE' }), ['tagged', 'tagged2']],
    ['tagNames with a comma in the name', () => ({ tagNames: 'smith, Jones & co' }), ['comma']],
    ['tagNames with spaces around it', () => ({ tagNames: ' Smith, Jones & Co ' }), ['comma']],
    [
      'tagNames of which one has a comma',
      () => ({ tagNames: 'Red,Smith, Jones & Co' }),
      ['tagged', 'tagged2', 'jones'],
    ],
    [
      'tagNames repeated, of which one has a comma',
      () => ({ tagNames: ['Smith, Jones & Co', 'blue'] }),
      ['comma', 'tagged2'],
    ],
    ['tagNames repeated, never divided', () => ({ tagNames: ['red,blue', 'green'] }), []],
    ['tagNames with commas only around it', () => ({ tagNames: ',Blue,' }), ['tagged2']],
    ['folderId', () => ({ folderId }), ['folder']],
    ['search in the key', () => ({ search: 'TAGGED' }), ['tagged', 'tagged2']],
    ['search in the destination', () => ({ search: 'example.com/g' }), ['geo']],
    ['search takes % and _ literally', () => ({ search: '%25_s' }), ['plain']],
    ['search for a lone %', () => ({ search: '%_' }), []],
    ['search in letters beyond ASCII', () => ({ search: 'Straße' }), ['idn']],
    [
      'search for a short link',
      () => ({ search: `https://${world.domain}/tagged-${world.slug}` }),
      ['tagged'],
    ],
    [
      'search for a short link without a scheme, regardless of case',
      () => ({ search: `${world.domain}/Tagged-${world.slug}/`.toUpperCase() }),
      ['tagged'],
    ],
    [
      'search for a visited short link',
      () => ({ search: ` ${world.domain}/tagged-${world.slug}?utm_source=x&qr=1#top` }),
      ['tagged'],
    ],
    [
      'search for a short link on the default domain, with a port',
      () => ({ search: `http://localhost:3001/default-${world.slug}` }),
      ['default'],
    ],
    [
      'search for a short link on an international domain',
      () => ({ search: `bücher.${world.domain}/idn-${world.slug}` }),
      ['idn'],
    ],
    [
      'search for a key on another domain',
      () => ({ search: `localhost/tagged-${world.slug}` }),
      [],
    ],
    ['search for a domain', () => ({ search: `https://${world.domain}/` }), []],
    ['search for a long destination', () => ({ search: LONG }), ['long']],
    ['search for another long destination', () => ({ search: `${LONG}y` }), []],
    ['query for a long destination', () => ({ query: LONG }), ['long']],
    ['query for the beginning of a long destination', () => ({ query: LONG.slice(0, 300) }), []],
    [
      'query for a short link with a long query string',
      () => ({ query: `${world.domain}/plain-${world.slug}?fbclid=${'x'.repeat(300)}` }),
      ['plain'],
    ],
    [
      'query for a path that is longer than any key',
      () => ({ query: `${world.domain}/${'x'.repeat(300)}` }),
      [],
    ],
    [
      'destination',
      () => ({ destination: 'https://example.com/t' }),
      ['tagged', 'tagged2', 'sold'],
    ],
    ['a part of a destination', () => ({ destination: 'https://example.com/' }), []],
    ['destination in another case', () => ({ destination: 'https://example.com/T' }), []],
    ['destination without a scheme', () => ({ destination: 'example.com/f' }), ['folder']],
    [
      'destination with letters beyond ASCII',
      () => ({ destination: ' https://example.com/Straße ' }),
      ['idn'],
    ],
    ['a long destination', () => ({ destination: LONG }), ['long']],
    [
      'destination and showArchived',
      () => ({ destination: 'https://example.com/a', showArchived: true }),
      ['old'],
    ],
    ['comments in any case of any letter', () => ({ comments: 'äRGER (2' }), ['idn']],
    ['comments of other letters', () => ({ comments: 'örger' }), []],
    ['userId', () => ({ userId: created['plain']!.userId }), all],
    ['userId of nobody', () => ({ userId: 'user_x' }), []],
    ['password, exactly', () => ({ password: 'pw' }), ['locked']],
    ['expiresAt=null', () => ({ expiresAt: 'null' }), except('ends')],
    ['expiresAt', () => ({ expiresAt: '2090-01-01' }), ['ends']],
    ['expiresAfter', () => ({ expiresAfter: '2089-12-31' }), ['ends']],
    ['expiresBefore', () => ({ expiresBefore: '2089-12-31' }), []],
    ['geo pairs', () => ({ geo: '{"DE":"https://e.de"}' }), ['geo']],
    ['geo pairs as bodies have them', () => ({ geo: '{"DE":"e.de","FR":"e.fr"}' }), ['geo']],
    ['geo with other values', () => ({ geo: '{"DE":"https://e.fr"}' }), []],
    ['geo=null', () => ({ geo: 'null' }), except('geo')],
    ['ios, a part', () => ({ ios: 'APPLE' }), ['apps']],
    ['android, a part', () => ({ android: 'market' }), ['droid']],
    ['comments, a part, literally', () => ({ comments: '_50%' }), ['noted']],
    ['withTags', () => ({ withTags: true }), ['tagged', 'tagged2', 'comma', 'jones']],
    ['withTags=false filters nothing', () => ({ withTags: false }), all],
    ['hasTags=false', () => ({ hasTags: false }), except('tagged', 'tagged2', 'comma', 'jones')],
    ['trackConversion', () => ({ trackConversion: true }), ['sold']],
    ['trackConversion=false', () => ({ trackConversion: false }), except('sold')],
    ['hasPassword', () => ({ hasPassword: true }), ['locked']],
    ['hasExpiration', () => ({ hasExpiration: true }), ['ends']],
    ['isExpired', () => ({ isExpired: true }), []],
    ['isExpired=false', () => ({ isExpired: false }), all],
    ['isUsedUp', () => ({ isUsedUp: true }), []],
    ['isUsedUp=false', () => ({ isUsedUp: false }), all],
    ['hasUTM', () => ({ hasUTM: true }), ['utm']],
    ['hasUTM=false', () => ({ hasUTM: false }), except('utm')],
    ['hasCustomSocial', () => ({ hasCustomSocial: true }), ['social']],
    ['hasGeo', () => ({ hasGeo: true }), ['geo']],
    ['hasDevice', () => ({ hasDevice: true }), ['apps', 'droid']],
    ['hasComments', () => ({ hasComments: true }), ['noted', 'idn']],
    ['createdAfter', () => ({ createdAfter: '2020-01-01' }), all],
    ['createdBefore', () => ({ createdBefore: '2020-01-01T00:00:00+02:00' }), []],
    ['clicksMin=0', () => ({ clicksMin: 0 }), all],
    ['clicksMin=1', () => ({ clicksMin: 1 }), []],
    ['clicksMax=0', () => ({ clicksMax: 0 }), all],
    [
      'two filters: both must match',
      () => ({ search: 'tagged', tagIds: tags[1]!.id }),
      ['tagged2'],
    ],
  ];
  for (const [name, query, expected] of rows) {
    it(`by ${name}`, async () => {
      const { api } = world;
      const list = await api.get('/links', query());
      expect(list.status).to.equal(200);
      const names = list.body.map((link: { key: string }) => link.key.split('-')[0]);
      expect(names.toSorted()).to.deep.equal(expected.toSorted());
      expect((await api.get('/links/count', query())).body).to.equal(expected.length);
    });
  }

  it('sorts by each field, ascending and descending', async () => {
    const other = await aWorkspace();
    for (const [key, url, title] of [
      ['b', 'https://example.com/1', 'Pear'],
      ['c', 'https://example.com/3', 'apple'],
      ['a', 'https://example.com/2', null],
    ]) {
      await other.api.post('/links', { key, url, title });
    }
    const keys = async (query: Record<string, string>) => {
      const { body } = await other.api.get('/links', query);
      return body.map((link: { key: string }) => link.key).join('');
    };
    const rows = { createdAt: 'bca', key: 'abc', url: 'bac', title: 'acb' };
    for (const [sort, ascending] of Object.entries(rows)) {
      expect(await keys({ sort, sortOrder: 'asc' }), sort).to.equal(ascending);
      const descending = ascending.split('').toReversed().join('');
      expect(await keys({ sort, sortOrder: 'desc' }), sort).to.equal(descending);
      expect(await keys({ sort }), sort).to.equal(descending);
    }
    const refused = await other.api.get('/links', { sort: 'key', sortOrder: 'up' });
    expect(refused.status).to.equal(422);
    expect(refused.body.error.message).to.match(/sortOrder must be one of asc, desc/);
    const many = Array.from({ length: 101 }, (_, at) => `t${at}`);
    const tooMany = await other.api.get('/links', { allTagNames: many });
    expect(tooMany.status).to.equal(422);
    expect(tooMany.body.error.message).to.match(/allTagNames must contain at most 100/);
  });

  it('counts by domain, most first', async () => {
    const { body } = await world.api.get('/links/count', { groupBy: 'domain' });
    expect(body).to.deep.equal([
      { domain: world.domain, _count: all.length - 2 },
      { domain: 'localhost', _count: 1 },
      { domain: idn, _count: 1 },
    ]);
  });

  it('counts by tag and by folder, each within the filters', async () => {
    const other = await aWorkspace();
    const [spring, print] = await Promise.all(
      ['Spring', 'Print'].map(async (name) => (await other.api.post('/tags', { name })).body.id),
    );
    await other.api.post('/tags', { name: 'Unused' });
    const folder = (await other.api.post('/folders', { name: 'Shop' })).body.id;
    const url = 'https://example.com/';
    await other.api.post('/links', { url, tagIds: [spring, print], folderId: folder });
    await other.api.post('/links', { url, tagIds: [spring] });
    await other.api.post('/links', { url, tagIds: [print], folderId: folder, archived: true });
    await other.api.post('/links', { url });
    const counts = async (query: Record<string, string | boolean>) => {
      const { status, body } = await other.api.get('/links/count', query);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    expect(await counts({ groupBy: 'tag' })).to.deep.equal([
      { tagId: spring, _count: 2 },
      { tagId: print, _count: 1 },
    ]);
    expect(
      await counts({ groupBy: 'tag', tagIds: print, showArchived: true }),
    ).to.have.deep.members([
      { tagId: print, _count: 2 },
      { tagId: spring, _count: 1 },
    ]);
    expect(await counts({ groupBy: 'folder' })).to.deep.equal([{ folderId: folder, _count: 1 }]);
    expect(await counts({ groupBy: 'folder', search: 'nowhere' })).to.deep.equal([]);
    const codes = await other.api.get('/qrcodes/count', { groupBy: 'tag' });
    expect(codes.body).to.deep.equal([]);
    const refused = await other.api.get('/links/count', { groupBy: 'color' });
    expect(refused.status).to.equal(422);
    expect(refused.body.error.message).to.match(/groupBy/);
  });

  it('pages, newest first', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => (await world.api.get('/links', { page, pageSize: 6 })).body),
    );
    expect(pages.map((page) => page.length)).to.deep.equal([6, 6, 6]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).to.equal(18);
  });

  const refused: [name: string, query: Record<string, string>, message: string][] = [
    ['an unknown parameter', { serach: 'x' }, 'serach is not a known query parameter'],
    ['an invalid boolean', { hasTags: 'yes' }, 'hasTags must be a boolean'],
    ['a boolean in capitals', { hasTags: 'TRUE' }, 'hasTags must be a boolean'],
    ['a page of 0', { page: '0' }, 'page'],
    ['a page size of 101', { pageSize: '101' }, 'pageSize'],
    ['a negative count', { clicksMin: '-1' }, 'clicksMin'],
    ['an invalid date', { createdAfter: 'yesterday' }, 'createdAfter'],
    ['geo that is no JSON', { geo: '{' }, 'geo must be a JSON object'],
    ['geo that is a list', { geo: '[]' }, 'geo must be a JSON object'],
    ['geo with an unknown country', { geo: '{"ZZ":"https://e.de"}' }, 'geo must be'],
    ['geo with no URL', { geo: '{"DE":"a b"}' }, 'geo must be'],
    ['an invalid domain', { domain: 'a..test' }, 'domain must be a host name'],
    ['an invalid sort', { sort: 'expiresAt' }, 'sort'],
    [
      'a destination that none can have',
      { destination: 'javascript:alert(1)' },
      'destination must not use the scheme javascript:',
    ],
    [
      'a long text to search for that is no URL',
      { search: 'x'.repeat(1_001) },
      'search must be at most 1000 characters long',
    ],
    [
      'a URL to search for that is longer than any destination',
      { search: `https://example.com/${'x'.repeat(33_000)}` },
      'search must be at most 1000 characters long',
    ],
  ];
  for (const [name, query, message] of refused) {
    it(`refuses ${name} with 422`, async () => {
      const { status, body } = await world.api.get('/links', query);
      expect(status).to.equal(422);
      expect(body.error.message).to.contain(message);
    });
  }

  it('answers 404 for a projectSlug that is not the key’s own', async () => {
    expect((await world.api.get('/links', { projectSlug: 'other' })).status).to.equal(404);
    expect((await world.api.get('/links/count', { projectSlug: 'other' })).status).to.equal(404);
  });
});

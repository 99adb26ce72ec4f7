import { expect } from 'chai';
import { imported } from '../support/imports.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Two kinds of records with the same search. */
const KINDS = {
  links: { path: '/links', kind: {} },
  qrcodes: { path: '/qrcodes', kind: { type: 'url' } },
};

for (const [name, { path, kind }] of Object.entries(KINDS)) {
  describe(`parameter query of GET ${path}`, () => {
    let world: World;
    let tagId: string;

    before(async () => {
      world = await aWorkspace();
      const { api } = world;
      tagId = (await api.post('/tags', { name: 'Frühling Berlin' })).body.id;
      const idn = (await api.post('/domains', { slug: `bücher.${world.domain}` })).body.slug;
      const records = [
        { key: 'shop', url: 'https://example.com/one', title: 'Loyalty club – SMS' },
        { key: 'shop-92', url: 'https://example.com/two', title: 'Podcast episode 92' },
        { key: 'Menu', url: 'https://example.com/shop/menü?id=7', comments: 'Printed on FLYERS' },
        { key: 'tagged', url: 'https://example.com/t', tagIds: [tagId] },
        { key: 'ort', url: 'https://müller.example/Straße', title: 'Москва 100%_sure' },
        { key: 'idn', url: 'https://example.com/i', domain: idn },
        { key: `open-${name}-${world.slug}`, url: 'https://example.com/d', domain: 'localhost' },
        {
          key: 'old',
          url: 'https://example.com/old',
          title: 'Podcast of the past',
          archived: true,
        },
      ];
      // Records are created one by one, since lists show the newest first.
      for (const record of records) {
        const { status } = await api.post(path, { ...kind, ...record });
        expect(status).to.equal(201);
      }
    });

    const found = async (query: string, more: object = {}): Promise<string[]> => {
      const { status, body } = await world.api.get(path, { query, ...more });
      expect(status).to.equal(200);
      const count = await world.api.get(`${path}/count`, { query, ...more });
      expect(count.body).to.equal(body.length);
      return body.map(({ key }: { key: string }) => key.replace(/^open-.*/, 'open'));
    };

    const rows: [what: string, query: () => string, keys: string[]][] = [
      ['a title', () => 'Loyalty club – SMS', ['shop']],
      ['words in any order', () => '92 podcast', ['shop-92']],
      ['parts of words', () => 'odcas episo', ['shop-92']],
      ['words of different parts of a record', () => 'flyers menu example.com', ['Menu']],
      ['a word that nothing has', () => 'podcast nothing', []],
      ['a slug: the record with exactly it comes first', () => 'shop', ['shop', 'Menu', 'shop-92']],
      ['a slug with a slash before it', () => '/shop', ['shop', 'Menu', 'shop-92']],
      ['a short link', () => `https://${world.domain}/shop`, ['shop', 'shop-92']],
      ['a short link without a scheme', () => `${world.domain}/shop`, ['shop', 'shop-92']],
      [
        'a short link in capitals',
        () => `HTTPS://${world.domain.toUpperCase()}/shop/`,
        ['shop', 'shop-92'],
      ],
      [
        'a visited short link',
        () => `https://${world.domain}/Menu?utm_source=x&qr=1#top`,
        ['Menu'],
      ],
      ['a short link with a slash at its end', () => `${world.domain}/Menu/`, ['Menu']],
      [
        'a short link on the default domain',
        () => `http://localhost:3001/open-${name}-${world.slug}`,
        ['open'],
      ],
      ['a domain', () => `https://bücher.${world.domain}/`, ['idn']],
      ['a domain in ASCII', () => `xn--bcher-kva.${world.domain}/idn`, ['idn']],
      ['a destination', () => 'https://example.com/shop/menü?id=7', ['Menu']],
      ['an encoded destination', () => 'example.com/shop/men%C3%BC?id=7', ['Menu']],
      ['a destination on an international domain', () => 'müller.example/straße', ['ort']],
      ['accents that are left out', () => 'muller strasse', ['ort']],
      ['umlauts that are spelled out', () => 'mueller', ['ort']],
      ['other scripts, regardless of case', () => 'МОСКВА', ['ort']],
      ['% and _ literally', () => '100%_s', ['ort']],
      ['a lone %', () => '%_x', []],
      ['a tag', () => 'frühling', ['tagged']],
      [
        'a tag without accents, with another word',
        () => 'FRUHLING berlin example.com/t',
        ['tagged'],
      ],
      ['comments', () => 'printed flyers', ['Menu']],
      ['nothing that could be compared', () => '\u200b', []],
      ['an unfinished escape', () => '%E0%A4%A', []],
    ];
    for (const [what, query, keys] of rows) {
      it(`finds by ${what}`, async () => {
        expect(await found(query())).to.deep.equal(keys);
      });
    }

    it('is narrowed by other filters, and leaves out archived records', async () => {
      expect(await found('podcast')).to.deep.equal(['shop-92']);
      expect(await found('podcast', { showArchived: true })).to.deep.equal(['old', 'shop-92']);
      expect(await found('shop', { search: 'two' })).to.deep.equal(['shop-92']);
      expect(await found('example', { tagIds: tagId })).to.deep.equal(['tagged']);
    });

    it('has the exact record on the first page only', async () => {
      expect(await found('shop')).to.have.length(3);
      const pageOf = async (page: number) =>
        (await world.api.get(path, { query: 'shop', page, pageSize: 1 })).body[0].key;
      expect([await pageOf(1), await pageOf(2), await pageOf(3)]).to.deep.equal([
        'shop',
        'Menu',
        'shop-92',
      ]);
    });

    it('counts by domain', async () => {
      const { body } = await world.api.get(`${path}/count`, { query: 'shop', groupBy: 'domain' });
      expect(body).to.deep.equal([{ domain: world.domain, _count: 3 }]);
    });

    it('follows changes of records and names of tags', async () => {
      const { api } = world;
      const { body } = await api.post(path, {
        ...kind,
        url: 'https://example.com/x',
        title: 'Before',
      });
      await api.patch(`${path}/${body.id}`, { title: 'After', tagIds: [tagId] });
      expect(await found('before')).to.deep.equal([]);
      expect(await found('after')).to.deep.equal([body.key]);
      await api.put(`/tags/${tagId}`, { name: 'Herbst' });
      expect(await found('herbst')).to.deep.equal([body.key, 'tagged']);
      expect(await found('frühling')).to.deep.equal([]);
      await api.put(`/tags/${tagId}`, { name: 'Frühling Berlin' });
      await api.delete(`${path}/${body.id}`);
      expect(await found('after')).to.deep.equal([]);
    });

    it('refuses what is no search', async () => {
      for (const [query, message] of [
        ['   ', 'query must not be empty'],
        ['x'.repeat(201), 'query must be at most 200 characters long'],
        ['a '.repeat(17), 'query must have at most 16 words'],
      ] as const) {
        const { status, body } = await world.api.get(path, { query });
        expect([status, body.error.message]).to.deep.equal([422, message]);
      }
    });

    it('is a parameter of saved views', async () => {
      const view = { list: name, name: 'Podcasts', query: 'query=podcast%2092&sort=createdAt' };
      expect((await world.api.post('/views', view)).status).to.equal(201);
    });
  });
}

describe('searches of imported links', () => {
  it('find them, and their tags', async () => {
    const world = await aWorkspace();
    await imported(world, 'url,key,title,tags\nhttps://example.com/a,one,Sommerfest,Grün\n');
    for (const query of ['sommer', 'grün', 'grun', 'gruen']) {
      const { body } = await world.api.get('/links', { query });
      expect(body.length, query).to.equal(1);
    }
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

interface Item {
  error?: { code: string; message: string } | null;
}

describe('POST /links/bulk/check', () => {
  let world: World;
  let api: World['api'];

  beforeEach(async () => {
    world = await aWorkspace();
    ({ api } = world);
  });

  /** Checks links. @returns the messages, `null` for a link that could be created */
  const check = async (...links: unknown[]): Promise<(string | null)[]> => {
    const { status, body } = await api.post('/links/bulk/check', links);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.map(({ error }: Item) => error?.message ?? null);
  };

  it('names the error of each link, and creates none', async () => {
    const { domain } = world;
    await api.post('/links', { url: A, key: 'taken', externalId: 'old' });
    await api.post('/qrcodes', { type: 'url', url: A, key: 'code' });

    expect(
      await check(
        { url: A },
        { url: A, key: 'free' },
        { url: A, key: 'taken' },
        { url: A, key: 'code' },
        { url: A, key: 'free' },
        { url: 'javascript:1' },
        { url: A, externalId: 'old' },
        { url: A, externalId: 'new' },
        { url: A, externalId: 'new' },
        { url: A, tagNames: ['nope'] },
        { url: A, domain: 'other.example' },
        { url: `https://${domain}/loop`, key: 'loop' },
        7,
      ),
    ).to.deep.equal([
      null,
      null,
      `The key "taken" is taken on ${domain}`,
      `The key "code" is taken on ${domain}`,
      `The key "free" is taken on ${domain}`,
      'url must not use the scheme javascript:',
      'The externalId "old" is taken in this workspace',
      null,
      'The externalId "new" is taken in this workspace',
      'tagNames: there is no tag "nope"',
      'The domain "other.example" is not one of this workspace\'s domains',
      'url must not be the short link itself',
      'link must be an object',
    ]);
    expect((await api.get('/links')).body).to.have.length(1);
  });

  it('finds taken keys in other spellings', async () => {
    await api.post('/links', { url: A, key: 'sale❤️' });
    expect(await check({ url: A, key: 'sale❤' }, { url: A, key: 'Sale❤' })).to.deep.equal([
      `The key "sale❤" is taken on ${world.domain}`,
      null,
    ]);
    const [{ id }] = (await api.get('/domains')).body;
    await api.delete('/links/bulk', { linkIds: (await api.get('/links')).body[0].id });
    expect((await api.patch(`/domains/${id}`, { caseSensitive: false })).status).to.equal(200);
    expect(await check({ url: A, key: 'One' }, { url: A, key: 'oNE' })).to.deep.equal([
      null,
      `The key "oNE" is taken on ${world.domain}`,
    ]);
  });

  it('knows the UTM rules of the workspace', async () => {
    await api.patch('/workspace', { utmRules: { lowercase: true } });
    expect(await check({ url: `${A}?utm_source=A` }, { url: `${A}?utm_source=a` })).to.deep.equal([
      'utm_source must be in lower case (utmRules.lowercase)',
      null,
    ]);
  });

  it('takes 1 to 100 links, with the scope to read links', async () => {
    for (const length of [0, 101]) {
      const links = Array.from({ length }, () => ({ url: A }));
      expect((await api.post('/links/bulk/check', links)).status).to.equal(422);
    }
    expect((await api.post('/links/bulk/check', { url: A })).status).to.equal(422);
    const reader = await world.withScopes('links.read');
    expect((await reader.post('/links/bulk/check', [{ url: A }])).status).to.equal(200);
    const other = await world.withScopes('tags.read');
    expect((await other.post('/links/bulk/check', [{ url: A }])).status).to.equal(403);
  });

  it('says of any links what their creation then says', async () => {
    const anyLink = fc.record(
      {
        url: fc.constantFrom(A, 'example.com', 'nope', 'mailto:a@example.com', `${A}?utm_term=A`),
        key: fc.constantFrom('a', 'A', 'b/', 'c*', 'there', 'sale❤', 'sale❤️'),
        externalId: fc.constantFrom('x', 'y', 'ext_z'),
        title: fc.constantFrom('t', '', null),
      },
      { requiredKeys: ['url'] },
    );
    await api.post('/links', { url: A, key: 'there' });
    await api.patch('/workspace', { utmRules: { lowercase: true } });
    await fc.assert(
      fc.asyncProperty(fc.array(anyLink, { minLength: 1, maxLength: 8 }), async (links) => {
        const foreseen = await check(...links);
        const { body } = await api.post('/links/bulk', [{ url: A }, ...links]);
        const [, ...made] = body.map(({ error }: Item) => error?.message ?? null);
        expect(made).to.deep.equal(foreseen);
        const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
        await api.delete('/links/bulk', { linkIds: ids, events: 'remove' });
      }),
      { numRuns: 25 },
    );
  });
});

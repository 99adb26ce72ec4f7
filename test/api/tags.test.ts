import { expect } from 'chai';
import { aWorkspace } from '../support/world.ts';

const COLORS = ['red', 'yellow', 'green', 'blue', 'purple', 'pink', 'brown'];

describe('tags', () => {
  it('are created with a colour, or a random one', async () => {
    const { api } = await aWorkspace();
    const { status, body, headers } = await api.post('/tags', { name: 'News', color: 'pink' });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`/tags/${body.id}`);
    expect(body).to.deep.equal({ id: body.id, name: 'News', color: 'pink' });
    const drawn = await api.post('/tags', { tag: 'older name' });
    expect(drawn.body.name).to.equal('older name');
    expect(COLORS).to.include(drawn.body.color);
  });

  const refused: [name: string, body: object, message: string][] = [
    ['no name', {}, 'name is required'],
    ['a name and a tag that differ', { name: 'a', tag: 'b' }, 'name and tag must agree'],
    ['an unknown colour', { name: 'a', color: 'mauve' }, 'color'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of blanks', { name: '  ' }, 'name'],
    ['an unknown field', { name: 'a', colour: 'red' }, 'colour is not a known field'],
  ];
  for (const [name, body, message] of refused) {
    it(`are refused with 422: ${name}`, async () => {
      const { api } = await aWorkspace();
      const answer = await api.post('/tags', body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.contain(message);
    });
  }

  it('have names that are unique regardless of case', async () => {
    const { api } = await aWorkspace();
    await api.post('/tags', { name: 'News', tag: 'News' });
    const second = (await api.post('/tags', { name: 'other' })).body;
    expect((await api.post('/tags', { name: 'NEWS' })).status).to.equal(409);
    expect((await api.put(`/tags/${second.id}`, { name: 'nEWS' })).status).to.equal(409);
    expect((await api.put(`/tags/${second.id}`, { name: 'OTHER' })).body.name).to.equal('OTHER');
  });

  it('have names that are compared after Unicode normalization', async () => {
    const { api } = await aWorkspace();
    const decomposed = '  A\u0308rger ';
    const { body: tag } = await api.post('/tags', { name: decomposed });
    expect(tag.name).to.equal('Ärger');
    for (const name of ['Ärger', 'ärger', 'ÄRGER', 'a\u0308rger']) {
      expect((await api.post('/tags', { name })).status, name).to.equal(409);
      const { status, body } = await api.post('/links', {
        url: 'https://a.test',
        tagNames: [name],
      });
      expect([status, body.tagId], name).to.deep.equal([201, tag.id]);
      expect((await api.get('/links/count', { tagNames: name })).body, name).to.be.greaterThan(0);
      expect((await api.get('/tags', { search: name.slice(0, -2) })).body, name).to.deep.equal([
        tag,
      ]);
    }
    expect((await api.put(`/tags/${tag.id}`, { name: 'É' })).body.name).to.equal('É');
    expect((await api.post('/tags', { name: 'e\u0301' })).status).to.equal(409);
    expect((await api.post('/tags', { name: 'ärger', tag: 'a\u0308rger' })).status).to.equal(201);

    expect((await api.post('/folders', { name: 'Öl' })).status).to.equal(201);
    expect((await api.post('/folders', { name: 'o\u0308l' })).status).to.equal(409);
    expect((await api.get('/folders', { search: 'ÖL' })).body).to.have.length(1);
  });

  it('are created once for concurrent requests with one name', async () => {
    const { api } = await aWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post('/tags', { name: 'same' })),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 409)).to.have.length(7);
  });

  it('are updated, and links show the change', async () => {
    const { api } = await aWorkspace();
    const { body: tag } = await api.post('/tags', { name: 'a', color: 'red' });
    const { body: link } = await api.post('/links', { url: 'https://example.com', tagIds: tag.id });
    const changed = await api.put(`/tags/${tag.id}`, { name: 'b', color: 'blue' });
    expect([changed.status, changed.body]).to.deep.equal([
      200,
      { id: tag.id, name: 'b', color: 'blue' },
    ]);
    expect((await api.get(`/links/${link.id}`)).body.tags).to.deep.equal([
      { id: tag.id, name: 'b' },
    ]);
    expect((await api.put('/tags/tag_nope', { name: 'x' })).status).to.equal(404);
    expect((await api.put(`/tags/${tag.id}`, {})).status).to.equal(422);
  });

  it('are deleted, and removed from their links', async () => {
    const { api } = await aWorkspace();
    const { body: tag } = await api.post('/tags', { name: 'a' });
    const { body: link } = await api.post('/links', { url: 'https://example.com', tagId: tag.id });
    const deleted = await api.delete(`/tags/${tag.id}`);
    expect([deleted.status, deleted.body]).to.deep.equal([200, { id: tag.id }]);
    expect((await api.get(`/links/${link.id}`)).body).to.deep.include({ tags: [], tagId: null });
    expect((await api.delete(`/tags/${tag.id}`)).status).to.equal(404);
  });

  it('are listed by name or age, searched, filtered by ids, and paginated', async () => {
    const { api } = await aWorkspace();
    const made: Record<string, string> = {};
    for (const name of ['beta', 'Alpha', 'a_b', 'gamma%'])
      made[name] = (await api.post('/tags', { name })).body.id;
    const names = async (query: Record<string, string | number>) =>
      (await api.get('/tags', query)).body.map(({ name }: { name: string }) => name);
    expect(await names({})).to.deep.equal(
      ['Alpha', 'a_b', 'beta', 'gamma%'].toSorted((a, b) => a.localeCompare(b)),
    );
    expect(await names({ sortBy: 'createdAt', sortOrder: 'desc' })).to.deep.equal([
      'gamma%',
      'a_b',
      'Alpha',
      'beta',
    ]);
    expect(await names({ search: '_' })).to.deep.equal(['a_b']);
    expect(await names({ search: '%' })).to.deep.equal(['gamma%']);
    expect(await names({ ids: `${made['beta']},${made['Alpha']}` })).to.deep.equal([
      'Alpha',
      'beta',
    ]);
    expect(await names({ sortBy: 'createdAt', page: 2, pageSize: 3 })).to.deep.equal(['gamma%']);
    for (const query of [
      { page: 0 },
      { pageSize: 101 },
      { sortOrder: 'up' },
      { sortBy: 'color' },
    ]) {
      expect((await api.get('/tags', query)).status).to.equal(422);
    }
  });
});

describe('folders', () => {
  it('are created, listed, renamed and deleted; their links stay', async () => {
    const { api } = await aWorkspace();
    const { status, body: folder } = await api.post('/folders', { name: 'Spring' });
    expect(status).to.equal(201);
    const { body: link } = await api.post('/links', {
      url: 'https://example.com',
      folderId: folder.id,
    });
    expect((await api.post('/folders', { name: 'spring' })).status).to.equal(409);
    expect((await api.patch(`/folders/${folder.id}`, { name: 'Summer' })).body.name).to.equal(
      'Summer',
    );
    expect((await api.get('/folders', { search: 'sum' })).body).to.have.length(1);
    expect((await api.delete(`/folders/${folder.id}`)).status).to.equal(200);
    expect((await api.get(`/links/${link.id}`)).body.folderId).to.equal(null);
    expect((await api.patch(`/folders/${folder.id}`, { name: 'x' })).status).to.equal(404);
    expect((await api.delete(`/folders/${folder.id}`)).status).to.equal(404);
  });
});

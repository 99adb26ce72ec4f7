import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { aWorkspace } from '../support/world.ts';

const A = 'https://example.com/a';

describe('/links/bulk', () => {
  it('creates 100 links, each of which redirects at once, on both processes', async () => {
    const { api, visit } = await aWorkspace();
    const links = Array.from({ length: 100 }, (_, n) => ({ url: `${A}?n=${n}`, key: `bulk-${n}` }));
    // Visits before the creation must not leave a remembered miss.
    await Promise.all(links.map(({ key }, n) => visit(`/${key}`, { process: (n % 2) as 0 | 1 })));

    const { status, body } = await api.post('/links/bulk', links);

    expect(status).to.equal(200);
    expect(body.map(({ url, key }: { url: string; key: string }) => ({ url, key }))).to.deep.equal(
      links,
    );
    for (const process of [0, 1] as const) {
      const answers = await Promise.all(links.map(({ key }) => visit(`/${key}`, { process })));
      expect(answers.map(({ headers }) => headers.location)).to.deep.equal(
        links.map(({ url }) => url),
      );
    }
  });

  it('creates links that lists have in their order, the last one first', async () => {
    const { api } = await aWorkspace();
    const urls = Array.from({ length: 50 }, (_, n) => `${A}?n=${n}`);

    await api.post(
      '/links/bulk',
      urls.map((url) => ({ url })),
    );

    const { body } = await api.get('/links', { pageSize: 50 });
    expect(body.map(({ url }: { url: string }) => url)).to.deep.equal(urls.toReversed());
  });

  it('reports the error of each link without affecting the others', async () => {
    const { api } = await aWorkspace();
    await api.post('/links', { url: A, key: 'taken' });

    const { status, body } = await api.post('/links/bulk', [
      { url: A, key: 'fine' },
      { url: A, key: 'taken' },
      { url: 'javascript:1' },
      { url: A, key: 'twice' },
      { url: `${A}2`, key: 'twice' },
      { url: A, externalId: 'e' },
      { url: A, externalId: 'e' },
      { url: A, tagNames: ['nope'] },
      'not a link',
    ]);

    expect(status).to.equal(200);
    const codes = body.map((item: { error?: { code: string } }) => item.error?.code ?? 'made');
    expect(codes).to.deep.equal([
      'made',
      'conflict',
      'unprocessable_entity',
      'made',
      'conflict',
      'made',
      'conflict',
      'unprocessable_entity',
      'unprocessable_entity',
    ]);
    expect(body[1].link).to.deep.equal({ url: A, key: 'taken' });
    expect(body[3].url).to.equal(A);
    expect(body[8].link).to.equal('not a link');
  });

  it('names the same faults as for a single link', async () => {
    const { api } = await aWorkspace();
    const wrong = [
      {},
      { key: 'a' },
      { url: A, nope: 1, constructor: 2 },
      { url: A, key: '*', archived: 'yes', utm_source: '', tagNames: [1] },
      { url: A, geo: { XX: A }, rules: [{ value: {} }], maxVisits: 0, expiresAt: 'soon' },
      JSON.parse(`{"url":"${A}","__proto__":{"key":"a"}}`) as object,
    ];

    const single = await Promise.all(wrong.map((link) => api.post('/links', link)));
    const { body } = await api.post('/links/bulk', [{ url: A }, ...wrong]);

    const messageOf = ({ error }: { error: { message: string } }) => error.message;
    expect(body.slice(1).map(messageOf)).to.deep.equal(single.map((one) => messageOf(one.body)));
  });

  it('keeps the result of an asynchronous request as it would have been answered', async () => {
    const { api } = await aWorkspace();
    const links = [
      { url: 'no' },
      { url: A, key: 'one', password: 'secret' },
      { url: A, key: 'two', geo: { DE: `${A}/de` } },
      { url: A, key: 'two' },
    ];
    const { status, body: job } = await api.post('/links/bulk', links, {
      headers: { prefer: 'respond-async' },
    });
    expect(status).to.equal(202);

    const { result } = await eventually(async () => {
      const { body } = await api.get(`/jobs/${job.id}`);
      expect(body.status).to.equal('done');
      return body;
    });
    const { body: one } = await api.get(`/links/${result[1].id}`);
    const { body: two } = await api.get(`/links/${result[2].id}`);
    expect([result[1], result[2]]).to.deep.equal([one, two]);
    expect(one.password).to.equal('secret');
    expect([result[0].link, result[3].link]).to.deep.equal([links[0], links[3]]);
  });

  it('returns the first link’s error when all fail', async () => {
    const { api } = await aWorkspace();
    await api.post('/links', { url: A, key: 'taken' });
    expect(
      (await api.post('/links/bulk', [{ url: A, key: 'taken' }, { url: 'x' }])).status,
    ).to.equal(409);
    expect(
      (await api.post('/links/bulk', [{ url: 'x' }, { url: A, key: 'taken' }])).status,
    ).to.equal(422);
  });

  it('refuses an empty array, more than 100 items, and other types', async () => {
    const { api } = await aWorkspace();
    expect((await api.post('/links/bulk', [])).status).to.equal(422);
    expect(
      (
        await api.post(
          '/links/bulk',
          Array.from({ length: 101 }, () => ({ url: A })),
        )
      ).status,
    ).to.equal(422);
    expect((await api.post('/links/bulk', { url: A })).status).to.equal(422);
  });

  it('updates many links, each on its own', async () => {
    const { api, visit } = await aWorkspace();
    const { body: made } = await api.post('/links/bulk', [
      { url: A, key: 'one' },
      { url: A, key: 'two', externalId: 'two' },
      { url: A, key: 'three', expiresAt: '2090-01-01' },
    ]);
    const { status, body } = await api.patch('/links/bulk', {
      linkIds: [made[0].id, 'ext_two', made[2].id, 'link_nope'],
      data: { url: 'https://example.com/b', startsAt: '2091-01-01' },
    });
    expect(status).to.equal(200);
    expect(
      body.map((item: { error?: { code: string } }) => item.error?.code ?? 'changed'),
    ).to.deep.equal(['changed', 'changed', 'unprocessable_entity', 'not_found']);
    expect(body[0]).to.include({ url: 'https://example.com/b' });
    expect((await visit('/three')).headers.location).to.equal(A);
    expect(
      (await api.patch('/links/bulk', { linkIds: [made[0].id], data: { key: 'x' } })).status,
    ).to.equal(422);
  });

  it('deletes up to 100 links, and ignores unknown ids', async () => {
    const { api, visit } = await aWorkspace();
    const { body: made } = await api.post('/links/bulk', [
      { url: A, key: 'one' },
      { url: A, key: 'two', externalId: 'two' },
      { url: A, key: 'three' },
    ]);
    const ids = `${made[0].id},ext_two,link_nope`;
    const { status, body } = await api.delete('/links/bulk', { linkIds: ids });
    expect([status, body]).to.deep.equal([200, { deletedCount: 2 }]);
    expect((await visit('/one')).status).to.equal(404);
    expect((await visit('/two', { process: 1 })).status).to.equal(404);
    expect((await visit('/three')).headers.location).to.equal(A);
    expect(
      (
        await api.delete('/links/bulk', {
          linkIds: Array(101)
            .fill(0)
            .map((_, n) => `link_${n}`)
            .join(','),
        })
      ).status,
    ).to.equal(422);
    expect((await api.delete('/links/bulk')).status).to.equal(422);
  });
});

import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

describe('domains', () => {
  it('are created unverified, with the DNS record that verifies them', async () => {
    const { api, slug } = await aWorkspace();
    const { status, body } = await api.post('/domains', {
      slug: `Go.${slug}.Example`,
      target: 'example.com',
    });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      slug: `go.${slug}.example`,
      verified: false,
      primary: false,
      archived: false,
      caseSensitive: true,
      target: 'https://example.com',
      type: 'redirect',
      expiredUrl: null,
    });
    expect(body.placeholder).to.match(/^http/);
    expect(body.verification).to.include({ type: 'TXT', name: `_shortlinks.go.${slug}.example` });
    expect((await api.post('/domains', { slug: `go.${slug}.example` })).status).to.equal(409);
    for (const fields of [
      { placeholder: 'javascript:1' },
      { target: `https://go.${slug}.example./` },
    ]) {
      const changed = await api.patch(`/domains/${body.id}`, fields);
      expect(changed.status, JSON.stringify(fields)).to.equal(422);
    }
    expect((await api.post('/domains', { slug: 'localhost' })).status).to.equal(422);
    expect((await api.post('/domains', { slug: '127.0.0.1' })).status).to.equal(422);
    expect((await api.post('/domains', { slug: 'a b.test' })).status).to.equal(422);
  });

  it('keep the placeholders of notFoundUrl, and refuse others', async () => {
    const { api, slug } = await aWorkspace();
    const { body: domain } = await api.post('/domains', { slug: `p.${slug}.example` });
    const ONLY = 'notFoundUrl must have placeholders only in the path, query or fragment';
    const OTHERS = 'notFoundUrl must have no other placeholders than {path} and {query}';
    const kept: [sent: string, stored: string][] = [
      ['https://e.com/{path}?{query}', 'https://e.com/{path}?{query}'],
      ['e.com/x/{path}#{query}', 'https://e.com/x/{path}#{query}'],
      ['https://e.com?q={path}', 'https://e.com?q={path}'],
      ['https://E.com/%7Bpath%7D/%7bother%7d', 'https://E.com/{path}/%7bother%7d'],
      ['https://e.com/größe/{path}', 'https://e.com/gr%C3%B6%C3%9Fe/{path}'],
      ['myapp://lost', 'myapp://lost'],
    ];
    for (const [notFoundUrl, stored] of kept) {
      const { status, body } = await api.patch(`/domains/${domain.id}`, { notFoundUrl });
      expect([status, body.notFoundUrl], notFoundUrl).to.deep.equal([200, stored]);
    }
    const refused: [sent: string, message: string][] = [
      ['https://{path}', ONLY],
      ['https://{path}/x', ONLY],
      ['https://%7Bpath%7D/x', 'notFoundUrl must'],
      ['https://e.com{path}', ONLY],
      ['https://{query}.e.com/', ONLY],
      ['https://{path}@e.com/', ONLY],
      ['https://e.com:{path}/', 'notFoundUrl must be a valid URL'],
      ['{path}', 'notFoundUrl must'],
      ['{path}://e.com', 'notFoundUrl must'],
      ['myapp://open/{path}', ONLY],
      ['mailto:a@e.com?subject={path}', ONLY],
      ['https://e.com/{paht}', OTHERS],
      ['https://e.com/{}', OTHERS],
      ['https://e.com/{path}?x={key}', OTHERS],
      ['javascript:{path}', 'notFoundUrl must not use the scheme javascript:'],
    ];
    for (const [notFoundUrl, message] of refused) {
      const { status, body } = await api.patch(`/domains/${domain.id}`, { notFoundUrl });
      expect(status, notFoundUrl).to.equal(422);
      expect(body.error.message, notFoundUrl).to.contain(message);
    }
    // Only notFoundUrl has placeholders.
    const { body } = await api.patch(`/domains/${domain.id}`, { target: 'https://e.com/{path}' });
    expect(body.target).to.equal('https://e.com/%7Bpath%7D');
  });

  it('do not redirect from a URL to itself', async () => {
    const { api, domain: host, visit } = await aWorkspace();
    const answer = async (path: string) => (await visit(path)).headers.location;
    for (const [notFoundUrl, loop, other] of [
      [`https://${host}/`, '/?x=1', '/other'],
      [`https://${host.toUpperCase()}/lost?a=1`, '/lost', '/other'],
    ] as const) {
      await api.patch(`/domains/${host}`, { notFoundUrl });
      await eventually(async () => expect(await answer(other)).to.equal(notFoundUrl));
      expect((await visit(loop)).status, loop).to.equal(404);
    }
    await api.patch(`/domains/${host}`, { notFoundUrl: `https://${host}/{path}?again` });
    await eventually(async () => expect((await visit('/other')).status).to.equal(404));
  });

  it('redirect once their TXT record exists, and not before', async () => {
    const { api, slug, visit } = await aWorkspace();
    const host = `dns.${slug}.example`;
    const { body: domain } = await api.post('/domains', {
      slug: host,
      target: 'https://example.com/home',
    });
    await api.post('/links', { url: 'https://example.com/a', domain: host, key: 'a' });
    expect((await visit('/a', { host })).status).to.equal(404);

    const early = await api.post(`/domains/${domain.id}/verify`);
    expect(early.status).to.equal(422);
    expect(early.body.error.message).to.contain(domain.verification.value);

    stack().dns.records.set(domain.verification.name, 'shortlinks-verify=wrong');
    expect((await api.post(`/domains/${domain.id}/verify`)).status).to.equal(422);
    stack().dns.records.set(domain.verification.name, domain.verification.value);
    const { status, body } = await api.post(`/domains/${domain.id}/verify`);
    expect(status).to.equal(200);
    expect(body).to.include({ verified: true, verification: null });
    expect((await visit('/a', { host })).headers.location).to.equal('https://example.com/a');
    expect((await visit('/', { host, process: 1 })).headers.location).to.equal(
      'https://example.com/home',
    );
  });

  it('cannot be verified by two workspaces', async () => {
    const [first, second] = [await aWorkspace(), await aWorkspace()];
    const host = `both.${first.slug}.example`;
    const mine = (await first.api.post('/domains', { slug: host })).body;
    const theirs = (await second.api.post('/domains', { slug: host })).body;
    stack().dns.records.set(mine.verification.name, mine.verification.value);
    expect((await second.api.post(`/domains/${theirs.id}/verify`)).status).to.equal(422);
    expect((await first.api.post(`/domains/${mine.id}/verify`)).status).to.equal(200);
    stack().dns.records.set(mine.verification.name, theirs.verification.value);
    expect((await second.api.post(`/domains/${theirs.id}/verify`)).status).to.equal(409);
  });

  it('apply a change of their target within 100 ms, on both processes', async () => {
    const { api, visit } = await aWorkspace();
    const { body } = await api.get('/domains');
    expect((await visit('/')).status).to.equal(404);
    await api.patch(`/domains/${body[0].id}`, { target: 'https://example.com/one' });
    for (const process of [0, 1] as const) {
      expect((await visit('/', { process })).headers.location).to.equal('https://example.com/one');
    }
    await api.patch(`/domains/${body[0].id}`, { target: 'https://example.com/two' });
    for (const process of [0, 1] as const) {
      await eventually(async () => {
        expect((await visit('/', { process })).headers.location).to.equal(
          'https://example.com/two',
        );
      }, 100);
    }
  });

  it('include one primary domain, which is verified', async () => {
    const { api, slug, domain, visit } = await aWorkspace();
    const host = `two.${slug}.example`;
    const early = await api.post('/domains', { slug: host, primary: true });
    expect([early.status, early.body.error.code]).to.deep.equal([409, 'conflict']);
    expect(early.body.error.message).to.contain('must be verified before it can be primary');
    const { body: second } = await api.post('/domains', { slug: host });
    expect((await api.patch(`/domains/${host}`, { primary: true })).status).to.equal(409);
    const where = async () =>
      (await api.post('/links', { url: 'https://example.com' })).body.domain;
    expect(await where()).to.equal(domain);

    stack().dns.records.set(second.verification.name, second.verification.value);
    expect((await api.post(`/domains/${host}/verify`)).body.verified).to.equal(true);
    expect((await api.patch(`/domains/${host}`, { primary: true })).body.primary).to.equal(true);
    const primaries = (await api.get('/domains')).body.filter(
      ({ primary }: { primary: boolean }) => primary,
    );
    expect(primaries.map((one: { slug: string }) => one.slug)).to.deep.equal([host]);
    const { body: link } = await api.post('/links', { url: 'https://example.com/a' });
    expect(link.domain).to.equal(host);
    expect((await visit(`/${link.key}`, { host })).status).to.equal(302);
  });

  it('are replaced by the default short domain while the primary one is unverified', async () => {
    const { api, projectId } = await aWorkspace();
    // The API no longer allows an unverified domain as primary.
    await db()('domains').where({ project_id: projectId }).update({ verified: false });
    expect((await api.post('/links', { url: 'https://example.com' })).body.domain).to.equal(
      'localhost',
    );
  });

  it('are selected by id or slug', async () => {
    const { api, slug } = await aWorkspace();
    const { body: domain } = await api.post('/domains', { slug: `Bücher.${slug}.example` });
    const { id, slug: ascii } = domain;
    expect(ascii).to.match(/^xn--bcher-kva\./);
    for (const name of [id, ascii, encodeURIComponent(`BÜCHER.${slug}.example`)]) {
      expect((await api.get(`/domains/${name}`)).body).to.deep.equal(domain);
    }
    expect((await api.patch(`/domains/${ascii}`, { archived: true })).body.archived).to.equal(true);
    expect((await api.delete(`/domains/${ascii}`)).body).to.deep.equal({ id });
    expect((await api.delete(`/domains/${ascii}`)).status).to.equal(404);
  });

  const names: [slug: string, isOne: boolean][] = [
    ['a..test', false],
    ['-a.test', false],
    ['a-.test', false],
    ['*.test', false],
    ['.test', false],
    ['a_b.test', false],
    [`${'a'.repeat(64)}.test`, false],
    [`${'ü'.repeat(62)}.test`, false],
    ["a'b.test", false],
    ['1.2.3.4', false],
    ['0x7f.1', false],
    ['xn--a.test', false],
    ['{b}.{w}.test', false],
    [`${'a'.repeat(63)}.W.test`, true],
    ['a-b.W.test.', true],
    ['4.W.test', true],
    ['straße.W.test', true],
  ];
  for (const [name, isOne] of names) {
    it(`${isOne ? 'accept' : 'refuse'} the slug ${name}`, async () => {
      const { api, slug } = await aWorkspace();
      const answer = await api.post('/domains', { slug: name.replace('W', slug) });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(isOne ? 201 : 422);
      const asField = { url: 'https://example.com', domain: name.replace('W', slug) };
      expect((await api.post('/links', asField)).status).to.equal(isOne ? 201 : 422);
    });
  }

  it('are listed, searched, paginated, and hidden when archived', async () => {
    const { api, slug } = await aWorkspace();
    const { body: extra } = await api.post('/domains', { slug: `extra.${slug}.example` });
    const slugs = async (query: object) =>
      (await api.get('/domains', query as Record<string, string>)).body.map(
        (one: { slug: string }) => one.slug,
      );
    expect(await slugs({ search: 'EXTRA' })).to.deep.equal([extra.slug]);
    const { body: idn } = await api.post('/domains', { slug: `bücher.${slug}.example` });
    for (const search of ['BÜCH', 'bu\u0308ch', 'xn--BCHER', `bücher.${slug}`]) {
      expect(await slugs({ search }), search).to.deep.equal([idn.slug]);
    }
    expect(await slugs({ search: 'cher-k' })).to.deep.equal([idn.slug]);
    expect(await slugs({ search: 'x_n' })).to.deep.equal([]);
    await api.delete(`/domains/${idn.slug}`);
    expect(await slugs({ page: 2, pageSize: 1 })).to.deep.equal([extra.slug]);
    expect((await api.patch(`/domains/${extra.id}`, { archived: true })).body.archived).to.equal(
      true,
    );
    expect(await slugs({})).to.deep.equal([`${slug}.test`]);
    expect(await slugs({ archived: true })).to.deep.equal([`${slug}.test`, extra.slug]);
    expect((await api.get('/domains', { pageSize: 51 })).status).to.equal(422);
    expect((await api.get(`/domains/${extra.id}`)).body.slug).to.equal(extra.slug);
  });

  it('are deleted only when they have no links', async () => {
    const { api, visit } = await aWorkspace();
    const { body: domains } = await api.get('/domains');
    const { id } = domains[0];
    const { body: link } = await api.post('/links', { url: 'https://example.com/a', key: 'a' });
    const refused = await api.delete(`/domains/${id}`);
    expect(refused.status).to.equal(409);
    expect((await visit('/a')).status).to.equal(302);
    await api.delete(`/links/${link.id}`);
    expect((await api.delete(`/domains/${id}`)).body).to.deep.equal({ id });
    expect((await api.get(`/domains/${id}`)).status).to.equal(404);
    expect((await api.delete(`/domains/${id}`)).status).to.equal(404);
    expect((await api.patch(`/domains/${id}`, { archived: true })).status).to.equal(404);
    expect((await api.post(`/domains/${id}/verify`)).status).to.equal(404);
  });
});

describe('the files of a domain for apps', () => {
  const APPLE = '/.well-known/apple-app-site-association';
  const ANDROID = '/.well-known/assetlinks.json';
  const apple = {
    applinks: {
      details: [{ appIDs: ['ABCDE12345.com.example.app'], components: [{ '/': '/ä*' }] }],
    },
  };
  const android = [
    {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: { namespace: 'android_app', package_name: 'com.example.app' },
    },
  ];

  it('are served as JSON as soon as they are set, by every process, and are gone when cleared', async () => {
    const world = await aWorkspace();
    const { api, domain } = world;
    for (const path of [APPLE, ANDROID]) expect((await world.visit(path)).status).to.equal(404);
    const set = await api.patch(`/domains/${domain}`, {
      appleAppSiteAssociation: apple,
      assetLinks: android,
    });
    expect(set.status).to.equal(200);
    expect(set.body).to.deep.include({ appleAppSiteAssociation: apple, assetLinks: android });
    for (const process of [0, 1] as const) {
      for (const [path, content] of [
        [APPLE, apple],
        [`${ANDROID}?x=1`, android],
      ] as const) {
        const { status, headers, body } = await world.visit(path, { process });
        expect(status, path).to.equal(200);
        expect(headers['content-type']).to.equal('application/json');
        expect(headers.location).to.equal(undefined);
        expect(JSON.parse(body)).to.deep.equal(content);
      }
    }
    const head = await world.visit(APPLE, { method: 'HEAD' });
    expect(head).to.include({ status: 200, body: '' });

    const changed = { applinks: { details: [] } };
    await api.patch(`/domains/${domain}`, { appleAppSiteAssociation: changed });
    expect(JSON.parse((await world.visit(APPLE, { process: 1 })).body)).to.deep.equal(changed);
    expect((await world.visit(ANDROID)).status).to.equal(200);
    await api.patch(`/domains/${domain}`, { appleAppSiteAssociation: null, assetLinks: null });
    for (const path of [APPLE, ANDROID]) {
      expect((await world.visit(path, { process: 1 })).status, path).to.equal(404);
    }
  });

  it('are not served for domains that are not verified, nor for others', async () => {
    const world = await aWorkspace();
    const slug = `later.${world.domain}`;
    const { status } = await world.api.post('/domains', { slug, appleAppSiteAssociation: apple });
    expect(status).to.equal(201);
    expect((await world.visit(APPLE, { host: slug })).status).to.equal(404);
    const other = await aWorkspace();
    expect((await other.visit(APPLE)).status).to.equal(404);
    for (const path of ['/.well-known/other', `${APPLE}/x`, '/.well-known/assetlinks']) {
      expect((await world.visit(path)).status, path).to.equal(404);
    }
  });

  const refused: [what: string, fields: object, message: RegExp][] = [
    ['a text', { appleAppSiteAssociation: '{}' }, /^appleAppSiteAssociation must be/],
    ['no service', { appleAppSiteAssociation: {} }, /^appleAppSiteAssociation must have one of/],
    [
      'a service that is no object',
      { appleAppSiteAssociation: { applinks: [] } },
      /^appleAppSiteAssociation\.applinks must be/,
    ],
    [
      'too much',
      { appleAppSiteAssociation: { applinks: { text: 'ä'.repeat(66_000) } } },
      /^appleAppSiteAssociation must not be larger than 131072 bytes/,
    ],
    ['an object for Android', { assetLinks: {} }, /^assetLinks must be an array/],
    [
      'a statement without a relation',
      { assetLinks: [{ target: { namespace: 'web' } }] },
      /^assetLinks\[0\]\.relation is required/,
    ],
    [
      'a statement about nothing',
      { assetLinks: [{ relation: ['a'], target: {} }] },
      /^assetLinks\[0\]\.target\.namespace is required/,
    ],
  ];
  for (const [what, fields, message] of refused) {
    it(`refuse ${what}`, async () => {
      const { api, domain } = await aWorkspace();
      const { status, body } = await api.patch(`/domains/${domain}`, fields);
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }
});

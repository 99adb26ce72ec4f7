import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('a link in a sentence', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
    const links = [
      { url: A, key: 'a' },
      { url: 'https://example.com/dot', key: 'dot.' },
      { url: 'https://example.com/no-dot', key: 'dot' },
      { url: 'https://example.com/flexible', key: 'docs', flexible: true },
      { url: 'https://example.com/page', key: 'docs/page' },
      { url: A, key: 'locked', password: 'sesame' },
    ];
    for (const link of links) expect((await world.api.post('/links', link)).status).to.equal(201);
  });

  const found: [path: string, location: string][] = [
    ...[
      '.',
      ',',
      ')',
      '!',
      ';',
      '%22',
      '%E2%80%A6',
      '%E3%80%82',
      '%20',
      '%E2%80%8B',
      '%C2%A0',
      '%EF%BB%BF',
    ].map((end): [string, string] => [`/a${end}`, A]),
    ['//a', A],
    ['//a).', A],
    ['/a.?x=1', `${A}?x=1`],
    ['/a&utm_source=x', `${A}?utm_source=x`],
    ['/a%3Futm_source=x&b=1?c=2', `${A}?utm_source=x&b=1&c=2`],
    ['/dot.', 'https://example.com/dot'],
    ['/dot', 'https://example.com/no-dot'],
    ['/docs/page.', 'https://example.com/page'],
    ['/docs/other.', 'https://example.com/flexible/other.'],
  ];
  for (const [path, location] of found) {
    it(`is found without what follows it: ${path}`, async () => {
      for (const process of [0, 1] as const) {
        expect((await world.visit(path, { process })).headers.location).to.equal(location);
      }
    });
  }

  for (const path of ['/b.', '/a.b', '/a%20b', '/a&b', '//', '/a+.', '/./a%2Fx']) {
    it(`is a 404 where no link has the rest: ${path}`, async () => {
      const { status } = await world.visit(path);
      expect(status).to.equal(path === '//' ? (await world.visit('/')).status : 404);
    });
  }

  it('asks for its password, and continues at its short link', async () => {
    expect((await world.visit('/locked.')).status).to.equal(403);
    const { status, headers } = await world.visit('/locked.', { form: { password: 'sesame' } });
    expect([status, headers.location]).to.deep.equal([303, '/locked']);
  });

  it('counts its visits with its key', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'counted' });
    await world.visit('/counted.', { userAgent: browser(1) });
    await world.visit('/counted', { userAgent: browser(2), host: `www.${world.domain}` });
    await eventually(async () => {
      const { body } = await world.api.get('/events', { linkId: link.id });
      const names = body.map((event: { domain: string; key: string }) => [event.domain, event.key]);
      expect(names).to.deep.equal([
        [world.domain, 'counted'],
        [world.domain, 'counted'],
      ]);
    });
  });
});

describe('www. before a domain', () => {
  it('finds the domain', async () => {
    const { api, domain } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a' });
    await api.patch(`/domains/${domain}`, { target: 'https://example.com/root' });
    const host = `www.${domain}`;
    expect((await visit('/a', { host })).headers.location).to.equal(A);
    expect((await visit('/', { host })).headers.location).to.equal('https://example.com/root');
    expect((await visit('/nope', { host })).status).to.equal(404);
    const asked = async (name: string) => visit(`/_/domains/ask?domain=${name}`);
    expect((await asked(host)).status).to.equal(200);
    expect((await asked(`www.${host}`)).status).to.equal(404);
    expect((await visit('/a', { host: `www.${host}` })).status).to.equal(404);
    expect((await visit('/a', { host: `ww.${domain}` })).status).to.equal(404);
  });

  it('is another domain if that exists', async () => {
    const bare = await aWorkspace();
    await bare.api.post('/links', { url: A, key: 'a' });
    const other = await aWorkspace();
    const { addDomainNow } = await import('../../src/domains/commands.ts');
    const host = `www.${bare.domain}`;
    expect((await visit('/a', { host })).headers.location).to.equal(A);
    await addDomainNow(other.projectId, { slug: host }, true);
    await other.api.post('/links', { url: 'https://example.com/other', key: 'b', domain: host });
    expect((await visit('/b', { host })).headers.location).to.equal('https://example.com/other');
    expect((await visit('/a', { host })).status).to.equal(404);
  });
});

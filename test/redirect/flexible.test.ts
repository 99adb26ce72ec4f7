import { expect } from 'chai';
import { keyPrefixesOf, readAddress } from '../../src/redirect/address.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/base';

describe('a flexible link', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
    const links = [
      { url: A, key: 'docs', flexible: true },
      { url: 'https://example.com/exact', key: 'docs/exact' },
      { url: 'https://example.com/v2/?a=1#top', key: 'docs/v2', flexible: true },
      { url: 'https://example.com', key: 'bare', flexible: true },
      { url: A, key: 'fixed' },
      { url: 'myapp://open', key: 'app', flexible: true },
      { url: A, key: 'größe/ä', flexible: true },
    ];
    for (const link of links) {
      const { status, body } = await world.api.post('/links', link);
      expect(status, JSON.stringify(body)).to.equal(201);
    }
  });

  const locationOf = async (path: string, options: object = {}) => {
    const { status, headers } = await world.visit(path, options);
    return status === 302 ? headers.location : status;
  };

  const cases: [what: string, path: string, location: string | number][] = [
    ['itself', '/docs', A],
    ['itself, with a slash at the end', '/docs/', A],
    ['a path after its key', '/docs/more/path', `${A}/more/path`],
    ['a slash at the end of that', '/docs/more/', `${A}/more/`],
    ['several slashes', '/docs/a//b', `${A}/a//b`],
    ['the bytes of the path', '/docs/a%20b/%C3%A4/%2Fx%2fy;z=1', `${A}/a%20b/%C3%A4/%2Fx%2fy;z=1`],
    ['an empty byte, as it was sent', '/docs/a%00', `${A}/a%00`],
    ['the query', '/docs/more?x=%20y', `${A}/more?x=%20y`],
    ['not the mark of its code', '/docs/more?qr=1&x=1', `${A}/more?x=1`],
    ['a long path', `/docs/${'x'.repeat(3_000)}`, `${A}/${'x'.repeat(3_000)}`],
    ['an exact key first', '/docs/exact', 'https://example.com/exact'],
    ['what follows a key that is not flexible', '/docs/exact/x', `${A}/exact/x`],
    ['the longest flexible key next', '/docs/v2/x?b=2', 'https://example.com/v2/x?a=1&b=2#top'],
    ['a path where the destination has none', '/bare/x', 'https://example.com/x'],
    ['keys in any script', '/gr%C3%B6%C3%9Fe/%C3%A4/x', `${A}/x`],
    ['nothing to an app’s own address', '/app/x', 'myapp://open'],
    ['nothing without its key', '/doc/more', 404],
    ['nothing where it is not flexible', '/fixed/more', 404],
    ...[
      '..',
      '../x',
      'a/../b',
      '%2e%2E/x',
      '.%2e',
      './x',
      'a/%2e/b',
      '..%2fx',
      'a%5c..%5cx',
      '..\\x',
      'x/..',
    ].map((rest): [string, string, number] => ['nothing that climbs up', `/docs/${rest}`, 404]),
    ['nothing of the server’s own paths', '/_/docs/x', 404],
    ['nothing of well-known paths', '/.well-known/docs/x', 404],
  ];
  for (const [what, path, location] of cases) {
    it(`forwards ${what}: ${path.slice(0, 40)}`, async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(path, { process })).to.equal(location);
      }
    });
  }

  it('takes no longer for hostile paths', async () => {
    const SIZE = 60_000;
    const paths = {
      slashes: '/docs'.padEnd(SIZE, '/a'),
      'empty segments': '/docs'.padEnd(SIZE, '/'),
      climbing: '/docs'.padEnd(SIZE, '/..'),
      'encoded climbing': '/docs/'.padEnd(SIZE - 1, '%2e%2e%2f'),
      'characters to be composed': `/a${'%CC%80'.repeat(SIZE / 12)}${'%CC%96'.repeat(SIZE / 12)}`,
      'and a path': `/a${'%CC%80'.repeat(SIZE / 12)}${'%CC%96'.repeat(SIZE / 12)}/a/b/c`,
      'plus signs': '/docs/'.padEnd(SIZE, '+/'),
      ampersands: '/docs/x?'.padEnd(SIZE, '&a'),
    };
    for (const [what, path] of Object.entries(paths)) {
      const start = process.cpuUsage();
      const address = readAddress(path);
      if (address !== undefined) keyPrefixesOf(address, path);
      expect(process.cpuUsage(start).user / 1_000, what).to.be.below(50);
      expect((await world.visit(path)).status, what).to.be.oneOf([200, 302, 400, 404]);
    }
  });

  it('is found in the first 16 segments of a path', async () => {
    const deep = Array.from({ length: 16 }, (_, n) => `s${n}`).join('/');
    await world.api.post('/links', { url: A, key: deep, flexible: true });
    expect(await locationOf(`/${deep}/x`)).to.equal(`${A}/x`);
    const path = `/nothing${'/x'.repeat(10_000)}`;
    expect(await locationOf(path)).to.equal(404);
  });

  it('starts and stops forwarding within 100 ms of a change', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'later' });
    expect(await locationOf('/later/x')).to.equal(404);
    for (const flexible of [true, false, true]) {
      const { status } = await world.api.patch(`/links/${link.id}`, { flexible });
      expect(status).to.equal(200);
      await eventually(async () => {
        expect(await locationOf('/later/x')).to.equal(flexible ? `${A}/x` : 404);
      }, 100);
    }
    await world.api.post('/links', { url: 'https://example.com/own', key: 'later/x' });
    expect(await locationOf('/later/x')).to.equal('https://example.com/own');
  });

  it('keeps the path behind a password, a page and in its preview', async () => {
    const { body: page } = await world.api.post('/pages', { title: 'Before you go' });
    await world.api.post('/links', {
      url: A,
      key: 'guarded',
      flexible: true,
      password: 'open sesame',
      preRedirection: true,
      pageId: page.id,
    });
    const path = '/guarded/a%2Fb/c?x=1';
    const asked = await world.visit(path);
    expect(asked.status).to.equal(403);
    expect(asked.body).to.contain(`action="${path}"`);
    const form = { password: 'open sesame' };
    const opened = await world.visit(path, { form });
    expect([opened.status, opened.headers.location]).to.deep.equal([303, path]);
    const cookie = opened.headers['set-cookie']![0]!.split(';')[0]!;
    const shown = await world.visit(path, { headers: { cookie } });
    const onward = /href="(\/_\/continue\/[^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
    expect(await locationOf(onward)).to.equal(`${A}/a%2Fb/c?x=1`);
    const preview = await world.visit('/docs/a%20b+');
    expect(preview.body).to.contain(`${A}/a%20b<`).and.to.contain('href="/docs/a%20b"');
  });

  it('counts for the link, with the visited URL as destination', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'c', flexible: true });
    await world.visit('/c/more?qr=1', { userAgent: browser(99) });
    await eventually(async () => {
      const { body } = await world.api.get('/events', { linkId: link.id, event: 'clicks' });
      expect(body).to.have.lengthOf(1);
      expect(body[0].click).to.include({ url: `${A}/more`, type: 'qr' });
      expect(body[0].link.key).to.equal('c');
    });
  });
});

import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/base';

describe('a wildcard link', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
    const links = [
      { url: A, key: 'docs/*' },
      { url: 'https://example.com/exact', key: 'docs/exact' },
      { url: 'https://example.com/v2?a=1#top', key: 'docs/v2/*' },
      { url: 'https://example.com/flexible', key: 'docs/v2', flexible: true },
      { url: 'https://example.com/deep', key: 'docs/v2/deep', flexible: true },
      { url: 'https://example.com', key: 'bare/*' },
      { url: 'myapp://open', key: 'app/*' },
      { url: A, key: 'größe/*' },
      { url: A, key: 'locked/*', password: 'sesame' },
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
    ['a path below it', '/docs/a', `${A}/a`],
    ['a path far below it', '/docs/a/b/c', `${A}/a/b/c`],
    ['the query', '/docs/a?x=%20y', `${A}/a?x=%20y`],
    ['a slash at the end', '/docs/a/', `${A}/a/`],
    ['not its own beginning', '/docs', 404],
    ['not its beginning with a slash', '/docs/', 404],
    ['not what only begins alike', '/docsx/a', 404],
    ['an exact key first', '/docs/exact', 'https://example.com/exact'],
    ['what is below an exact key', '/docs/exact/x', `${A}/exact/x`],
    ['the longest key next', '/docs/v2/x?b=2', 'https://example.com/v2/x?a=1&b=2#top'],
    ['a flexible link itself', '/docs/v2', 'https://example.com/flexible'],
    ['a flexible link with a longer key', '/docs/v2/deep/x', 'https://example.com/deep/x'],
    ['keys in any script', '/gr%C3%B6%C3%9Fe/x', `${A}/x`],
    ['nothing to an app’s own address', '/app/x', 'myapp://open'],
    ['another host in the path', '/bare//evil.example/x', 'https://example.com//evil.example/x'],
    ['a user name in the path', '/bare/@evil.example', 'https://example.com/@evil.example'],
    ['an encoded user name', '/bare/%40evil.example', 'https://example.com/%40evil.example'],
    ['a host after a colon', '/bare/:80@evil.example', 'https://example.com/:80@evil.example'],
    [
      'encoded slashes as they are',
      '/bare/%2F%2Fevil.example',
      'https://example.com/%2F%2Fevil.example',
    ],
    [
      'a whole URL in the path',
      '/bare/https://evil.example',
      'https://example.com/https://evil.example',
    ],
    ...['..', '../x', 'a/../b', '%2e%2E/x', '.%2e', './x', 'a\\..\\b', '..%5cx', '..%2fx'].map(
      (path): [string, string, number] => [`nothing for ${path}`, `/bare/${path}`, 404],
    ),
  ];
  for (const [what, path, location] of cases) {
    it(`answers ${what}: ${path}`, async () => {
      expect(await locationOf(path)).to.equal(location);
      expect(await locationOf(path, { process: 1 })).to.equal(location);
      if (typeof location === 'string' && location.startsWith('http')) {
        expect(new URL(location).hostname).to.equal('example.com');
      }
    });
  }

  it('is found at once by every process, on a domain that had none before', async () => {
    const other = await aWorkspace();
    const path = '/new/a/b';
    for (const process of [0, 1] as const) {
      expect((await other.visit(path, { process })).status).to.equal(404);
    }
    const { body: link } = await other.api.post('/links', { url: A, key: 'new/*' });
    for (const process of [0, 1] as const) {
      expect((await other.visit(path, { process })).headers.location).to.equal(`${A}/a/b`);
    }
    await other.api.patch(`/links/${link.id}`, { key: 'newer/*' });
    expect((await other.visit(path)).status).to.equal(404);
    expect((await other.visit('/newer/x')).headers.location).to.equal(`${A}/x`);
    await other.api.delete(`/links/${link.id}`);
    expect((await other.visit('/newer/x', { process: 1 })).status).to.equal(404);
  });

  it('becomes one by a change of its key', async () => {
    const other = await aWorkspace();
    const { body: link } = await other.api.post('/links', { url: A, key: 'plain' });
    expect((await other.visit('/plain/x')).status).to.equal(404);
    await other.api.patch(`/links/${link.id}`, { key: 'wild/*' });
    expect((await other.visit('/wild/x')).headers.location).to.equal(`${A}/x`);
  });

  it('counts visits, and keeps the whole destination in the event', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'counted/*' });
    await world.visit('/counted/a/b?x=1', { userAgent: browser(1) });
    await world.visit('/counted/c', { userAgent: browser(2) });
    await eventually(async () => {
      const { body } = await world.api.get('/events', { linkId: link.id });
      expect(body.map(({ click }: { click: { url: string } }) => click.url)).to.have.members([
        `${A}/a/b?x=1`,
        `${A}/c`,
      ]);
      expect(body[0].link).to.include({ key: 'counted/*', clicks: 2 });
    });
  });

  it('asks for its password at the path, and continues there', async () => {
    const path = '/locked/a?x=1';
    const asked = await world.visit(path);
    expect(asked.status).to.equal(403);
    const { status, headers } = await world.visit(path, { form: { password: 'sesame' } });
    expect([status, headers.location]).to.deep.equal([303, path]);
    const cookie = [headers['set-cookie']].flat()[0]!.split(';')[0]!;
    expect(await locationOf(path, { headers: { cookie } })).to.equal(`${A}/a?x=1`);
  });

  it('is not meant by a star elsewhere in the key', async () => {
    for (const key of ['st*r', 'st*', 'a/*/b']) {
      await world.api.post('/links', { url: `${A}/${key}`, key });
      expect(await locationOf(`/${key}`), key).to.equal(`${A}/${key}`);
      expect(await locationOf(`/${key}/x`), key).to.equal(404);
    }
  });

  const refused: [what: string, fields: object, message: RegExp][] = [
    ['two stars', { key: 'a/*/*' }, /^key must have \* only at its end, after a \/$/],
    ['nothing before the star', { key: '/*' }, /^key must/],
    ['reserved names', { key: '.well-known/*' }, /^key must not be/],
    [
      'the domain that all workspaces share',
      { key: 'a/*', domain: 'localhost' },
      /^key must not end in \/\* on localhost, which all workspaces share/,
    ],
  ];
  for (const [what, fields, message] of refused) {
    it(`is refused with ${what}`, async () => {
      const { status, body } = await world.api.post('/links', { url: A, ...fields });
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('must not lead below itself, and is no QR code', async () => {
    const url = `https://${world.domain}/loop/x`;
    const { status, body } = await world.api.post('/links', { url, key: 'loop/*' });
    expect([status, body.error.message]).to.deep.equal([
      422,
      'url must not be the short link itself',
    ]);
    const code = await world.api.post('/qrcodes', { type: 'url', url: A, key: 'code/*' });
    expect([code.status, code.body.error.message]).to.deep.equal([
      422,
      'key must not end in /*: a QR code has exactly one short link',
    ]);
  });
});

import { expect } from 'chai';
import { allowsFrames, findFrameable } from '../../src/metatags/framing.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';

describe('a destination in a frame', () => {
  let world: World;
  let site: Site;
  let open: string;
  let closed: string;

  before(async () => {
    [world, site] = [await aWorkspace(), await Site.start()];
    open = site.answer('/open', { body: 'open' });
    closed = site.answer('/closed', { headers: { 'x-frame-options': 'DENY' } });
  });

  after(() => site.stop());

  const shown = async (key: string, options = {}) => {
    const { status, headers, body } = await world.visit(`/${key}`, options);
    const frame = /<iframe src="([^"]+)"/.exec(body)?.[1];
    return frame === undefined ? `${status} ${headers.location}` : `frame ${frame}`;
  };

  async function make(fields: object): Promise<{ id: string; key: string }> {
    const { status, body } = await world.api.post('/links', { rewrite: true, ...fields });
    expect(status).to.equal(201);
    return body;
  }

  it('is framed if its headers allow it, and redirected to otherwise', async () => {
    expect(await shown((await make({ url: open })).key)).to.equal(`frame ${open}`);
    expect(await shown((await make({ url: closed })).key)).to.equal(`302 ${closed}`);
    const nobody = 'http://127.0.0.1:9/';
    expect(await shown((await make({ url: nobody })).key)).to.equal(`302 ${nobody}`);
    expect(await shown((await make({ url: 'mailto:a@e.com' })).key)).to.equal('302 mailto:a@e.com');
  });

  it('is checked when the link is written, never when it is visited', async () => {
    const url = site.answer('/once', { body: 'once' });
    const { key } = await make({ url });
    expect(site.requests('/once')).to.equal(1);
    for (let at = 0; at < 5; at += 1) await shown(key);
    expect(site.requests('/once')).to.equal(1);
    await world.api.post('/links', { url });
    expect(site.requests('/once')).to.equal(1);
  });

  it('is framed with the visitor’s query and the link’s UTM fields', async () => {
    const { key } = await make({ url: `${open}?a=1`, utm_source: 'mail', title: 'A "title"' });
    const { body } = await world.visit(`/${key}?b=2`);
    expect(body).to.contain(
      `<iframe src="${open}?a=1&amp;utm_source=mail&amp;b=2" title="A &quot;title&quot;"`,
    );
  });

  it('has no right to a place, the clipboard or protected media on the domain that all workspaces share', async () => {
    const rights = async (domain: string) => {
      const { key } = await make({ url: open, domain });
      const { headers, body } = await visit(`/${key}`, { host: domain });
      const allowed = /<iframe [^>]* allow="([^"]*)"/.exec(body)![1]!.split('; ');
      return { allowed, denied: String(headers['permissions-policy']) };
    };
    const delicate = ['clipboard-write', 'encrypted-media', 'geolocation'];
    const own = await rights(world.domain);
    expect(own.allowed).to.include.members(delicate);
    expect(own.denied)
      .to.contain('camera=()')
      .and.not.to.match(/geolocation|encrypted-media/);
    const shared = await rights('localhost');
    expect(shared.allowed).to.deep.equal(['autoplay', 'fullscreen', 'picture-in-picture']);
    expect(shared.denied).to.contain('geolocation=()').and.to.contain('encrypted-media=()');
  });

  it('is checked after redirects', async () => {
    const away = site.answer('/away', { status: 302, headers: { location: closed } });
    expect(await shown((await make({ url: away })).key)).to.equal(`302 ${away}`);
  });

  it('is checked for each destination that a visitor may get', async () => {
    const { key } = await make({
      url: closed,
      ios: open,
      geo: { DE: open, JP: closed },
      rules: [{ value: { query: { r: '1' } }, url: open }],
    });
    const at = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
    expect(await shown(key)).to.equal(`302 ${closed}`);
    expect(await shown(key, { userAgent: 'Mozilla/5.0 (iPhone; CPU)' })).to.equal(`frame ${open}`);
    expect(await shown(key, at('192.0.2.1'))).to.equal(`frame ${open}`);
    expect(await shown(key, at('198.51.100.1'))).to.equal(`302 ${closed}`);
    expect(await shown(`${key}?r=1`)).to.equal(`frame ${open}?r=1`);
  });

  it('is checked again when the link changes', async () => {
    const link = await make({ url: closed, rewrite: false, flexible: true, externalId: 'changes' });
    await world.api.patch(`/links/${link.id}`, { rewrite: true });
    expect(await shown(link.key)).to.equal(`302 ${closed}`);
    await world.api.patch(`/links/${link.id}`, { url: open });
    expect(await shown(link.key)).to.equal(`frame ${open}`);
    await world.api.patch('/links/bulk', { linkIds: ['ext_changes'], data: { url: closed } });
    expect(await shown(link.key)).to.equal(`302 ${closed}`);
    await world.api.put('/links/upsert', { url: open, externalId: 'changes' });
    expect(await shown(link.key)).to.equal(`frame ${open}`);
    await world.api.patch(`/links/${link.id}`, { title: 'Else' });
    expect(await shown(link.key)).to.equal(`frame ${open}`);
    await world.api.patch(`/links/${link.id}`, { rewrite: false });
    expect(await shown(link.key)).to.equal(`302 ${open}`);
  });

  it('is checked for the link that an upsert changes', async () => {
    const other = site.answer('/other', { body: 'other' });
    const iPhone = { userAgent: 'Mozilla/5.0 (iPhone; CPU)' };
    const upsert = async (fields: object) =>
      (await world.api.put('/links/upsert', fields)).body.key;
    // Match by key, on the default domain.
    const named = await make({ url: closed, flexible: true });
    expect(await upsert({ url: open, key: named.key })).to.equal(named.key);
    expect(await shown(named.key)).to.equal(`frame ${open}`);
    // Match by destination, of which the newest link is updated.
    const url = `${closed}?upsert`;
    const older = await make({ url, rewrite: false });
    const newest = await make({ url });
    expect(await upsert({ url, ios: other })).to.equal(newest.key);
    expect(await shown(newest.key, iPhone)).to.equal(`frame ${other}`);
    expect(await shown(older.key, iPhone)).to.equal(`302 ${url}`);
    // Match by destination after UTM fields are added to its query.
    const tagged = await make({ url: `${open}?by=utm&utm_source=mail` });
    const sent = { url: `${open}?by=utm`, utm_source: 'mail', android: other };
    expect(await upsert(sent)).to.equal(tagged.key);
    expect(await shown(tagged.key, { userAgent: 'Mozilla/5.0 (Linux; Android 14)' })).to.equal(
      `frame ${other}?utm_source=mail`,
    );
  });

  it('is framed for links created in bulk, QR codes and domain roots too', async () => {
    const { body: links } = await world.api.post('/links/bulk', [
      { url: open, rewrite: true },
      { url: closed, rewrite: true },
      { url: open },
    ]);
    const seen = await Promise.all(links.map(({ key }: { key: string }) => shown(key)));
    expect(seen).to.deep.equal([`frame ${open}`, `302 ${closed}`, `302 ${open}`]);
    const { body: code } = await world.api.post('/qrcodes', {
      type: 'url',
      url: open,
      rewrite: true,
      flexible: true,
    });
    expect(await shown(code.key)).to.equal(`frame ${open}`);
    await world.api.patch(`/qrcodes/${code.id}`, { url: closed });
    expect(await shown(code.key)).to.equal(`302 ${closed}`);
    const [domain] = (await world.api.get('/domains')).body;
    const root = async (changes: object) => {
      expect((await world.api.patch(`/domains/${domain.id}`, changes)).status).to.equal(200);
      return shown('');
    };
    expect(await root({ target: open, type: 'rewrite' })).to.equal(`frame ${open}`);
    expect(await root({ target: closed })).to.equal(`302 ${closed}`);
    expect(await root({ target: open, type: 'redirect' })).to.equal(`302 ${open}`);
    expect(await root({ type: 'rewrite' })).to.equal(`frame ${open}`);
  });

  it('does not delay a write for long when its host hangs', async () => {
    const slow = site.answer('/slow', { delayMs: 20_000 });
    const began = Date.now();
    const { body } = await world.api.post('/links/bulk', [
      ...Array.from({ length: 40 }, (_, at) => ({ url: `${slow}?${at}`, rewrite: true })),
      { url: open, rewrite: true },
    ]);
    expect(Date.now() - began).to.be.below(19_000);
    expect(await shown(body[0].key)).to.equal(`302 ${slow}?0`);
  });
});

describe('headers of a framed page', () => {
  const cases: [what: string, headers: Record<string, string>, allowed: boolean][] = [
    ['has neither header', {}, true],
    ['denies it', { 'x-frame-options': 'DENY' }, false],
    ['allows its own origin', { 'x-frame-options': 'sameorigin' }, false],
    [
      'has a policy without frame-ancestors',
      { 'content-security-policy': "default-src 'self'" },
      true,
    ],
    ['has frame-ancestors none', { 'content-security-policy': "frame-ancestors 'none'" }, false],
    ['has itself', { 'content-security-policy': "script-src x; frame-ancestors 'self'" }, false],
    [
      'has frame-ancestors with one host',
      { 'content-security-policy': 'frame-ancestors https://a.example' },
      false,
    ],
    ['has frame-ancestors *', { 'content-security-policy': 'frame-ancestors *' }, true],
    ['has frame-ancestors https:', { 'content-security-policy': 'Frame-Ancestors HTTPS:' }, true],
    ['has empty frame-ancestors', { 'content-security-policy': 'frame-ancestors' }, false],
    [
      'has two contradicting policies',
      { 'content-security-policy': "frame-ancestors *, frame-ancestors 'self'" },
      false,
    ],
    [
      'has a policy that overrides X-Frame-Options',
      { 'x-frame-options': 'DENY', 'content-security-policy': 'frame-ancestors *' },
      true,
    ],
  ];
  for (const [what, headers, allowed] of cases) {
    it(`returns ${allowed} when the page ${what}`, () =>
      expect(allowsFrames(headers)).to.equal(allowed));
  }
});

describe('a check of thousands of addresses', () => {
  it('does not block other work of its process', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const urls = Array.from({ length: 3_000 }, (_, n) => `not an address ${n}`);
    expect(await findFrameable({ urls })).to.deep.equal([]);
    clearImmediate(next);
    expect(turns).to.be.at.least(urls.length);
  });
});

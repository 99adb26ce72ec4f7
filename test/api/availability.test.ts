import { expect } from 'chai';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('GET /links/availability', () => {
  let world: World;
  let other: World;

  before(async () => {
    [world, other] = await Promise.all([aWorkspace(), aWorkspace()]);
  });

  const ask = (query: Record<string, string>) => world.api.get('/links/availability', query);

  it('says that a slug is free on the domain of new links', async () => {
    const { status, body } = await ask({ key: 'spring' });
    expect(status).to.equal(200);
    // The created link has the same addresses.
    const { shortLink, qrCode } = (await world.api.post('/links', { url: A, key: 'spring' })).body;
    expect(body).to.deep.equal({
      domain: world.domain,
      key: 'spring',
      shortLink,
      qrCode,
      available: true,
      reason: null,
      holder: null,
    });
  });

  it('names the link or QR code of the workspace that has a slug', async () => {
    const link = (await world.api.post('/links', { url: A, key: 'l' })).body;
    const code = (await world.api.post('/qrcodes', { type: 'url', url: A, key: 'q' })).body;
    const taken = { domain: world.domain, available: false, reason: 'taken' };
    expect((await ask({ key: 'l' })).body).to.deep.include({
      ...taken,
      key: 'l',
      holder: { kind: 'link', id: link.id, url: A },
    });
    expect((await ask({ key: 'q' })).body).to.deep.include({
      ...taken,
      key: 'q',
      holder: { kind: 'qrcode', id: code.id, url: null },
    });
  });

  it('tells of a slug on the default domain that another workspace has, and not which link has it', async () => {
    const key = `taken-${other.slug}`;
    await other.api.post('/links', { url: A, key, domain: 'localhost' });
    const { defaultDomain } = (await world.api.get('/workspace')).body;
    expect((await ask({ domain: defaultDomain, key })).body).to.deep.include({
      domain: 'localhost',
      key,
      available: false,
      reason: 'taken',
      holder: null,
    });
    expect((await ask({ domain: defaultDomain, key: `free-${key}` })).body.available).to.equal(
      true,
    );
  });

  it('is free at once for the workspace that deleted the link, and kept for others', async () => {
    const key = `left-${other.slug}`;
    const { id } = (await other.api.post('/links', { url: A, key, domain: 'localhost' })).body;
    await other.api.delete(`/links/${id}`);
    const query = { domain: 'localhost', key };
    expect((await ask(query)).body).to.include({ available: false, reason: 'kept' });
    expect((await other.api.get('/links/availability', query)).body.available).to.equal(true);
  });

  it('refuses what no slug can be, and domains of others', async () => {
    const bad = await ask({ key: 'My Spring Sale!' });
    expect([bad.status, bad.body.error.message]).to.deep.equal([
      422,
      "key must contain only letters, digits, -, _, ., / and emoji, or one of ~!$&'()*+,;=:@",
    ]);
    expect((await ask({ domain: 'localhost', key: 'a/*' })).status).to.equal(422);
    expect((await ask({ domain: other.domain, key: 'a' })).status).to.equal(403);
    expect((await ask({ domain: 'nowhere.test', key: 'a' })).status).to.equal(403);
    expect((await ask({})).status).to.equal(422);
  });

  it('filters lists and counts of links and codes by the default domain', async () => {
    const { defaultDomain: domain } = (await world.api.get('/workspace')).body;
    const key = `on-default-${world.slug}`;
    const { id } = (await world.api.post('/links', { url: A, key, domain })).body;
    const code = (await world.api.post('/qrcodes', { type: 'url', url: A, domain })).body;
    const idsOf = async (path: string) =>
      (await world.api.get(path, { domain })).body.map((record: { id: string }) => record.id);
    expect(await idsOf('/links')).to.deep.equal([id]);
    expect(await idsOf('/qrcodes')).to.deep.equal([code.id]);
    expect((await world.api.get('/links/count', { domain })).body).to.equal(1);
    expect((await world.api.get('/qrcodes/count', { domain })).body).to.equal(1);
  });
});

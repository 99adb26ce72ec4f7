import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

describe('domains', () => {
  it('are added unverified, with the DNS record that proves them', async () => {
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
      target: 'https://example.com',
      type: 'redirect',
      expiredUrl: null,
    });
    expect(body.placeholder).to.match(/^http/);
    expect(body.verification).to.include({ type: 'TXT', name: `_shortlinks.go.${slug}.example` });
    expect((await api.post('/domains', { slug: `go.${slug}.example` })).status).to.equal(409);
    expect((await api.post('/domains', { slug: 'localhost' })).status).to.equal(422);
    expect((await api.post('/domains', { slug: '127.0.0.1' })).status).to.equal(422);
    expect((await api.post('/domains', { slug: 'a b.test' })).status).to.equal(422);
  });

  it('resolve once their TXT record is there, and not before', async () => {
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

  it('follow a change of their target within 100 ms, on both processes', async () => {
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

  it('have one primary among them', async () => {
    const { api, slug, domain } = await aWorkspace();
    const { body: second } = await api.post('/domains', {
      slug: `two.${slug}.example`,
      primary: true,
    });
    const primaries = (await api.get('/domains')).body.filter(
      ({ primary }: { primary: boolean }) => primary,
    );
    expect(primaries.map((one: { slug: string }) => one.slug)).to.deep.equal([second.slug]);
    expect((await api.post('/links', { url: 'https://example.com' })).body.domain).to.equal(
      second.slug,
    );
    expect(domain).not.to.equal(second.slug);
  });

  it('are listed, searched, paged, and hidden when archived', async () => {
    const { api, slug } = await aWorkspace();
    const { body: extra } = await api.post('/domains', { slug: `extra.${slug}.example` });
    const slugs = async (query: object) =>
      (await api.get('/domains', query as Record<string, string>)).body.map(
        (one: { slug: string }) => one.slug,
      );
    expect(await slugs({ search: 'EXTRA' })).to.deep.equal([extra.slug]);
    expect(await slugs({ page: 2, pageSize: 1 })).to.deep.equal([extra.slug]);
    expect((await api.patch(`/domains/${extra.id}`, { archived: true })).body.archived).to.equal(
      true,
    );
    expect(await slugs({})).to.deep.equal([`${slug}.test`]);
    expect(await slugs({ archived: true })).to.deep.equal([`${slug}.test`, extra.slug]);
    expect((await api.get('/domains', { pageSize: 51 })).status).to.equal(422);
    expect((await api.get(`/domains/${extra.id}`)).body.slug).to.equal(extra.slug);
  });

  it('are deleted only when they carry nothing', async () => {
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

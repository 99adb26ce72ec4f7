import { expect } from 'chai';
import { aWorkspace, visit } from '../support/world.ts';

describe('files and endpoints of every domain', () => {
  it('include a robots.txt that allows what each link allows', async () => {
    const world = await aWorkspace();
    const { status, headers, body } = await world.visit('/robots.txt');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.contain('text/plain');
    expect(body).to.equal('User-agent: *\nDisallow: /_/\n');
    expect((await visit('/robots.txt', { host: 'nobody.example' })).status).to.equal(404);
  });

  it('include no icon, without an error in the browser’s console', async () => {
    const { visit } = await aWorkspace();
    expect((await visit('/favicon.ico')).status).to.equal(204);
  });

  it('include the check for on-demand certificates of a proxy', async () => {
    const world = await aWorkspace();
    const ask = async (domain: string, host = '127.0.0.1') =>
      (await visit(`/_/domains/ask?domain=${encodeURIComponent(domain)}`, { host })).status;
    expect(await ask(world.domain)).to.equal(200);
    expect(await ask(world.domain.toUpperCase())).to.equal(200);
    expect(await ask(world.domain, world.domain)).to.equal(200);
    const { body: added } = await world.api.post('/domains', { slug: `new.${world.domain}` });
    expect(added.verified).to.equal(false);
    for (const name of [added.slug, 'nobody.example', '', 'a b', '<script>', 'x'.repeat(5_000)]) {
      expect(await ask(name), name.slice(0, 40)).to.equal(404);
    }
    expect((await visit('/_/domains/ask', { host: '127.0.0.1' })).status).to.equal(404);
  });

  it('accept https only from a trusted proxy, and from the nearest one', async () => {
    const { api, visit: open } = await aWorkspace();
    await api.post('/links', {
      url: 'https://example.com/',
      key: 'a',
      preRedirection: true,
      pageUrl: 'https://o.example/',
    });
    const schemeOf = async (proto: string) => {
      const { headers } = await open('/a', { headers: { 'x-forwarded-proto': proto } });
      return new URL(new URL(headers.location!).searchParams.get('continue')!).protocol;
    };
    expect(await schemeOf('https')).to.equal('https:');
    expect(await schemeOf('http')).to.equal('http:');
    expect(await schemeOf('https, http')).to.equal('http:');
    expect(await schemeOf('javascript')).to.equal('http:');
  });
});

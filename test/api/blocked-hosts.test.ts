import { expect } from 'chai';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { imported, rest } from '../support/imports.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const RULE = 'must not lead to a host that the operator of this service blocks';

describe('blocked hosts', () => {
  let world: World;
  let operator: ApiClient;
  /** Of this test alone: the list is that of the whole installation. */
  let host: string;
  const path = () => `/admin/blocked-hosts/${host}`;

  const block = async () => {
    const { status, body } = await operator.put(path(), { reason: 'Phishing' });
    expect(status).to.equal(200);
    return body;
  };

  beforeEach(async () => {
    world = await aWorkspace();
    operator = (await aPerson({ isOperator: true })).api;
    host = `${world.slug}.example`;
  });

  afterEach(() => operator.delete(path()));

  it('are listed, found, changed and taken from the list by operators', async () => {
    const made = await block();
    expect(made).to.include({ host, reason: 'Phishing' });
    const { body: changed } = await operator.put(path(), { reason: 'Malware' });
    expect(changed).to.include({ reason: 'Malware', createdAt: made.createdAt });
    const list = async () => (await operator.get('/admin/blocked-hosts', { search: host })).body;
    expect(await list()).to.deep.equal([changed]);

    expect((await operator.delete(path())).status).to.equal(204);

    expect(await list()).to.deep.equal([]);
    expect((await operator.delete(path())).status).to.equal(404);
    const { status, body } = await operator.put('/admin/blocked-hosts/example', { reason: 'a' });
    expect(status).to.equal(422);
    expect(body.error.message).to.contain('host must be a host name with a dot');
  });

  const refused: Record<string, [route: string, body: (url: string) => object, field: string]> = {
    'a link': ['/links', (url) => ({ url }), 'url'],
    'a link for iOS': ['/links', (ios) => ({ url: 'https://a.test', ios }), 'ios'],
    'a link for Android': ['/links', (android) => ({ url: 'https://a.test', android }), 'android'],
    'a link by country': ['/links', (DE) => ({ url: 'https://a.test', geo: { DE } }), 'geo.DE'],
    'a link by rule': [
      '/links',
      (url) => ({ url: 'https://a.test', rules: [{ value: { country: ['DE'] }, url }] }),
      'rules[0].url',
    ],
    'an expired link': [
      '/links',
      (expiredUrl) => ({ url: 'https://a.test', expiredUrl }),
      'expiredUrl',
    ],
    'a link by A/B test': [
      '/links',
      (url) => ({
        url: 'https://a.test',
        testVariants: [
          { url: 'https://a.test', percentage: 50 },
          { url, percentage: 50 },
        ],
      }),
      'testVariants[1].url',
    ],
    'a link of an app': [
      '/links',
      (url) => ({ url: 'https://a.test', ios: url.replace('https', 'app') }),
      'ios',
    ],
    'a contact': [
      '/qrcodes',
      (url) => ({ type: 'vcard', vcard: { firstName: 'A', lastName: 'B', urls: [url] } }),
      'vcard.urls[0]',
    ],
    'a QR code': ['/qrcodes', (url) => ({ type: 'url', url }), 'url'],
    'a domain': ['/domains', (target) => ({ slug: 'go.example.com', target }), 'target'],
  };
  for (const [what, [route, body, field]] of Object.entries(refused)) {
    it(`refuse ${what} that leads to a subdomain of one, naming ${field}`, async () => {
      await block();
      const answer = await world.api.post(route, body(`https://www.${host.toUpperCase()}:8443/a`));
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.equal(`${field} ${RULE}`);
    });
  }

  it('refuse one of several links, and a new destination, but no other change', async () => {
    const { body: link } = await world.api.post('/links', { url: `https://${host}/a` });
    await block();

    const { body: made } = await world.api.post('/links/bulk', [
      { url: `https://${host}/b` },
      { url: `https://other-${host}/b` },
    ]);
    expect(made[0].error.message).to.equal(`url ${RULE}`);
    expect(made[1].id).to.match(/^link_/);
    const change = (body: object) => world.api.patch(`/links/${link.id}`, body);
    expect((await change({ title: 'Blocked' })).status).to.equal(200);
    expect((await change({ url: `https://${host}/c` })).status).to.equal(422);
    expect((await change({ url: 'https://a.test' })).status).to.equal(200);
  });

  it('refuse rows of an import, and show them in its dry run, but for links that it skips', async () => {
    const url = `https://${host}/a`;
    await world.api.post('/links', { url, key: 'there' });
    await block();
    const file = `url,key\n${url},there\n${url},new\nhttps://a.test,fine\n`;

    const checked = await imported(world, file, { dryRun: true });

    const counts = { created: 1, updated: 0, skipped: 1, refused: 1 };
    expect(checked.counts).to.deep.equal(counts);
    const message = `url ${RULE}`;
    expect(checked.errors).to.deep.equal([{ row: 3, column: 'url', message }]);
    await world.api.post(`/imports/${checked.id}/start`);
    const done = await rest(world, checked.id);
    expect(done.counts).to.deep.equal(counts);
    expect(done.errors).to.deep.equal(checked.errors);
  });

  it('can be IP addresses, in every notation', async () => {
    const path = '/admin/blocked-hosts/2001:db8:0:0:0:0:0:7';
    expect((await operator.put(path, { reason: 'Phishing' })).body.host).to.equal('2001:db8::7');
    const { status } = await world.api.post('/links', { url: 'http://[2001:0db8::7]/a' });
    expect(status).to.equal(422);
    expect((await world.api.post('/links', { url: 'http://[2001:db8::8]/a' })).status).to.equal(
      201,
    );
    expect((await operator.delete(path)).status).to.equal(204);
  });

  it('are not redirected to, from the answer on, until they are taken from the list', async () => {
    const url = `https://sub.${host}/a`;
    await world.api.post('/links', { url, key: 'plain' });
    await world.api.post('/links', { url: 'https://a.test', ios: url, key: 'ios' });
    await world.api.post('/links', { url: 'https://a.test', key: 'fine' });
    await world.api.post('/links', { url, key: 'utm', utm_source: 'mail', flexible: true });
    await world.api.post('/links', { url, key: 'docs/*' });
    const { body: domains } = await world.api.get('/domains');
    await world.api.patch(`/domains/${domains[0].id}`, { target: url, notFoundUrl: url });
    const iPhone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' };
    const visits = () =>
      Promise.all([
        world.visit('/plain'),
        world.visit('/plain+'),
        world.visit('/ios', iPhone),
        world.visit('/'),
        world.visit('/nothing-here'),
        world.visit('/utm/b?c=1', { process: 1 }),
        world.visit('/docs/a/b', { process: 1 }),
      ]);
    for (const { status } of await visits()) expect(status).to.be.oneOf([200, 302]);

    await block();

    await eventually(async () => expect((await world.visit('/plain')).status).to.equal(403), 1_000);
    for (const { status, headers, body } of await visits()) {
      expect(status).to.equal(403);
      expect(headers.location).to.equal(undefined);
      expect(body).to.contain('Link blocked').and.not.to.contain(host);
    }
    expect((await world.visit('/fine')).headers.location).to.equal('https://a.test');
    expect((await world.visit('/ios')).headers.location).to.equal('https://a.test');
    await operator.delete(path());
    await eventually(
      async () => expect((await world.visit('/plain')).headers.location).to.equal(url),
      1_000,
    );
  });
});

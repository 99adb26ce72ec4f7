import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { imported, rest } from '../support/imports.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const RULE = 'must not lead to a host that the operator of this service blocks';

describe('blocked hosts', () => {
  let world: World;
  let operator: ApiClient;
  /** Host of the current test, since the blocklist is shared by the whole installation. */
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

  describe('within other URLs', () => {
    const ADDRESS = '203.0.113.77';
    const encoded = encodeURIComponent;
    const escaped = (text: string) =>
      text.replaceAll(/[a-z.]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
    /** Spellings of a host. */
    const names: ((host: string) => string)[] = [
      (host) => host,
      (host) => host.toUpperCase(),
      (host) => `${host}.`,
      (host) => `www.${host}:8443`,
      (host) => `user:pass@${host}`,
      (host) => host.replaceAll('.', '%2E'),
      (host) => escaped(host),
      (host) => host.replaceAll('.', encoded('。')),
      (host) => host.replace('.', `${encoded('\u00ad')}.`),
    ];
    const addresses = [
      ADDRESS,
      '3405803853',
      '0xcb.0.0x71.77',
      `[::ffff:${ADDRESS}]`,
      '[0:0:0:0:0:ffff:cb00:714d]',
      `[64:ff9b::${ADDRESS}]`,
      '[64:ff9b::cb00:714d]',
      '[64:ff9b:1::cb00:714d]',
      '[2002:cb00:714d::1]',
    ];
    /** App URLs that contain another URL of any scheme. */
    const around: ((url: string) => string)[] = [
      (url) => `firefox://open-url?url=${encoded(url)}`,
      (url) => `intent:#Intent;action=a.b.c;S.browser_fallback_url=${encoded(url)};end`,
      (url) => `app://open.example/path/${encoded(url)}?then=a#b`,
    ];
    /** App URLs that contain a web address. */
    const carriers: ((url: string) => string)[] = [
      ...around,
      (url) => `app://open.example/?a=${encoded(encoded(url))}`,
      (url) => `microsoft-edge:${url}`,
      (url) => `googlechrome://navigate?url=${url}`,
      (url) => `x-safari-${url}`,
      (url) => `intent:${url.replace(/^https:/, '')}#Intent;scheme=https;end`,
      (url) => `opera-http${url.replace(/^https?/, '')}`,
    ];
    const carried = (host: fc.Arbitrary<string>) =>
      fc
        .tuple(
          host,
          fc.constantFrom('/', '/a/b?c=d', '', '?a#b'),
          fc.constantFrom(...carriers),
          fc.option(fc.constantFrom(...around), { nil: undefined }),
        )
        .map(([name, rest, inner, outer]) => {
          const url = inner(`https://${name}${rest}`);
          return outer === undefined ? url : outer(url);
        });
    const COUNT = 100;
    const make = async (urls: readonly string[]) =>
      (
        await world.api.post(
          '/links/bulk',
          urls.map((url) => ({ url })),
        )
      ).body as {
        id?: string;
        key: string;
        error?: { message: string };
      }[];

    /**
     * Creates links to URLs, blocks the host, and expects that no such link can be created or
     * visited.
     */
    async function expectFound(urls: readonly string[], blocked: string): Promise<void> {
      const links = await make(urls);
      for (const [at, link] of links.entries()) expect(link.id, urls[at]).to.be.a('string');
      const list = `/admin/blocked-hosts/${blocked}`;
      expect((await operator.put(list, { reason: 'Phishing' })).status).to.equal(200);
      try {
        // If every item is refused, the answer is the first refusal, so one URL is allowed.
        const [first, ...others] = await make(['https://a.test', ...urls]);
        expect(first!.id).to.be.a('string');
        const missed = urls.filter((_, at) => others[at]!.error?.message !== `url ${RULE}`);
        expect(missed).to.deep.equal([]);
        const visited = () =>
          Promise.all(links.map(async ({ key }) => (await world.visit(`/${key}`)).status));
        await eventually(async () => {
          const statuses = await visited();
          expect(urls.filter((_, at) => statuses[at] !== 403)).to.deep.equal([]);
        });
      } finally {
        await operator.delete(list);
      }
    }

    it('are found, whatever app they are for and however they are written', async () => {
      const names$ = fc.constantFrom(...names).map((write) => write(host));
      const urls = fc.sample(carried(names$), COUNT - 1);
      await expectFound(urls, host);
    });

    it('are found as addresses, also within addresses of IPv6', async () => {
      const direct = addresses.map((address) => `http://${address}/a`);
      const urls = fc.sample(carried(fc.constantFrom(...addresses)), COUNT - 1 - direct.length);
      await expectFound([...direct, ...urls], ADDRESS);
      // Blocking the IPv4-mapped form blocks the address itself.
      await expectFound(direct, `::ffff:${ADDRESS}`);
    });

    it('are found for every visitor, and in the content of codes', async () => {
      await block();
      const url = `microsoft-edge:https://${host}/`;
      const bodies: [route: string, body: object, field: string][] = [
        ['/links', { url: 'https://a.test', ios: url }, 'ios'],
        ['/links', { url: 'https://a.test', android: url }, 'android'],
        ['/links', { url: 'https://a.test', geo: { DE: url } }, 'geo.DE'],
        ['/links', { url: 'https://a.test', rules: [{ value: 'x', url }] }, 'rules[0].url'],
        ['/links', { url: 'https://a.test', expiredUrl: url }, 'expiredUrl'],
        ['/qrcodes', { type: 'url', url }, 'url'],
        ['/qrcodes', { type: 'text', text: url }, 'text'],
        ['/domains', { slug: 'go.example.com', target: url }, 'target'],
      ];
      for (const [route, body, field] of bodies) {
        const answer = await world.api.post(route, body);
        expect(answer.status, field).to.equal(422);
        expect(answer.body.error.message).to.contain(RULE);
      }
    });

    it('are not looked for in URLs that write to people or name other hosts', async () => {
      await block();
      const fine = [
        `mailto:a@${host}`,
        `app://other-${host}/`,
        `app://send?text=${encoded(Array.from({ length: 300 }, (_, n) => `Größe ${n}.`).join(' '))}`,
        `intent:#Intent;S.browser_fallback_url=${encoded('https://a.test/')};end`,
        'http://[::ffff:203.0.113.78]/',
      ];
      for (const link of await make(fine)) expect(link.id).to.be.a('string');
    });

    it('cannot hide among hundreds of others', async () => {
      const many = Array.from({ length: 600 }, (_, n) => `h${n}.example`).join(',');
      const { status, body } = await world.api.post('/links', { url: `app:${many},${host}` });
      expect(status).to.equal(422);
      expect(body.error.message).to.equal(
        'url must not have more than 500 parts that can be hosts',
      );
    });

    it('are no destinations by schemes that carry one for no app', async () => {
      const schemes = ['view-source', 'filesystem', 'jar', 'search', 'SEARCH-MS', 'sealed'];
      for (const scheme of [...schemes, 'ms-appinstaller', 'Ms-Settings', 'ms-word']) {
        const { status, body } = await world.api.post('/links', {
          url: `${scheme}:https://a.test/`,
        });
        expect(status, scheme).to.equal(422);
        expect(body.error.message).to.contain(
          `url must not use the scheme ${scheme.toLowerCase()}:`,
        );
      }
    });
  });
});

import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { linkOf, rest } from '../support/imports.ts';
import { PEER_APIS, PeerServer } from '../support/peers.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

describe('imports from the APIs of other services', () => {
  let world: World;
  let peer: PeerServer | undefined;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  afterEach(async () => {
    await peer?.close();
    peer = undefined;
  });

  /** Starts a provider with links on the domain of the workspace. */
  async function aPeer(source: string, count: number): Promise<PeerServer> {
    peer = await PeerServer.start(PEER_APIS[source]!(world.domain, count));
    return peer;
  }

  const begin = (source: string, url: string, fields: object = {}) =>
    world.api.post('/imports/fetch', { source, url, token: 'token-1', ...fields });

  /**
   * Imports the links of a provider.
   * @returns the finished import
   */
  async function fetched(source: string, url: string, fields: object = {}) {
    const { status, body } = await begin(source, url, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return rest(world, body.id);
  }

  for (const [source, count] of [
    ['bitly', 30],
    ['dub', 110],
    ['kutt', 60],
    ['shlink', 110],
    ['shortio', 110],
    ['yourls', 2_010],
  ] as const) {
    it(`read all pages of ${source}, once however often they are asked for`, async () => {
      const { url, asked } = await aPeer(source, count);
      const checked = await fetched(source, url, { dryRun: true, name: 'Ours' });
      const counts = { created: count, updated: 0, skipped: 0, refused: 0 };
      expect(checked).to.deep.include({ state: 'checked', source, counts, url, failure: null });
      expect(checked.preview.rows).to.have.lengthOf(20);
      await world.api.post(`/imports/${checked.id}/start`);
      expect((await rest(world, checked.id)).counts).to.deep.equal(counts);
      for (const n of [0, 24, 25, count - 1]) {
        expect((await linkOf(world, `k${n}`)).importedClicks, `k${n}`).to.equal(n * 10);
        expect((await world.visit(`/k${n}`)).headers.location).to.equal(`https://example.com/${n}`);
      }
      const again = await fetched(source, url);
      expect(again.counts).to.deep.equal({ ...counts, created: 0, skipped: count });
      expect((await world.api.get('/links/count', { showArchived: 'true' })).body).to.equal(count);
      expect(asked.length).to.be.below(count * 3 + 20);
    });
  }

  it('keep the redirect rules of Shlink in their order, but for conditions that ours do not have', async () => {
    const { url } = await aPeer('shlink', 3);
    await fetched('shlink', url);
    expect((await linkOf(world, 'k2')).rules).to.deep.equal([
      { value: { os: ['iOS'] }, url: 'https://example.com/ios' },
      { value: { language: ['de'], query: { a: ['b'] } }, url: 'https://example.com/de' },
    ]);
  });

  it('wait where the service asks to, and go on by themselves', async () => {
    const server = await aPeer('kutt', 120);
    server.failures.push({ status: 429, retryAfter: '1' }, { status: 503 });
    const began = Date.now();
    const one = await fetched('kutt', server.url);
    expect(one.counts.created).to.equal(120);
    expect(Date.now() - began).to.be.above(1_900);
    expect(server.asked).to.have.lengthOf(5);
  });

  it('tell why they failed, and can be cancelled', async () => {
    const { url } = await aPeer('dub', 1);
    const wrong = await fetched('dub', url, { token: 'another' });
    expect(wrong).to.include({
      state: 'failed',
      failure: 'token must be one that Dub accepts: it answers with status 401',
    });
    expect((await world.api.post(`/imports/${wrong.id}/start`)).status).to.equal(409);
    const elsewhere = await fetched('kutt', `${url}/nowhere`);
    expect(elsewhere.failure).to.match(/^(?:token|url) must be/);

    peer!.failures.push(...Array.from({ length: 9 }, () => ({ status: 429, retryAfter: '600' })));
    const { body } = await begin('dub', url);
    await eventually(async () => {
      const row = await db()('imports').where({ id: body.id }).first('remote');
      expect(row.remote.attempts).to.equal(1);
    });
    expect((await world.api.post(`/imports/${body.id}/cancel`)).body.state).to.equal('cancelled');
    const rows = await db()('imports').where({ project_id: world.projectId }).select('token');
    expect(rows.map(({ token }) => token)).to.deep.equal([null, null, null]);
  });

  it('keep the token sealed while they need it, and not after', async () => {
    const server = await aPeer('dub', 3);
    server.delayMs = 300;
    const { body } = await begin('dub', server.url, { dryRun: true });
    const read = async () => {
      const row = await db()('imports').where({ id: body.id }).first();
      const jobs = await db()('jobs').where({ project_id: world.projectId });
      const slices = await db()('import_slices').where({ import_id: body.id });
      return { row, text: JSON.stringify([row, jobs, slices]) };
    };
    const during = await read();
    expect(during.row.token).to.match(/^sealed:/);
    await rest(world, body.id);
    const after = await read();
    expect(after.row.token).to.equal(null);
    for (const { text } of [during, after]) {
      expect(text).not.to.contain('token-1');
      expect(text).not.to.contain('hidden word');
    }
    expect(JSON.stringify((await world.api.get(`/imports/${body.id}`)).body)).not.to.contain(
      'token-1',
    );
  });

  it('are read to their end although their worker is killed', async function () {
    const server = await aPeer('kutt', 1_200);
    server.delayMs = 60;
    const { body } = await begin('kutt', server.url);
    await eventually(() => expect(server.asked.length).to.be.above(5));
    await eventually(() => stack().signal('worker_bulk', 'SIGKILL'));
    const one = await rest(world, body.id, 90_000);
    expect(one.counts).to.deep.equal({ created: 1_200, updated: 0, skipped: 0, refused: 0 });
    // Pages that the killed worker had read are not read again.
    expect(server.asked.length).to.be.within(24, 26);
  });

  for (const [source, list, wrap] of [
    ['bitly', '/bitlinks', (links: object[]) => ({ links, pagination: {} })],
    ['dub', '/links', (links: object[]) => links],
    ['kutt', '/api/v2/links', (data: object[]) => ({ data, total: 200 })],
    ['shlink', '/rest/v3/short-urls', (data: object[]) => ({ shortUrls: { data } })],
    ['shortio', '/api/links', (links: object[]) => ({ links })],
    [
      'yourls',
      '/yourls-api.php',
      (links: object[]) => ({ links: Object.fromEntries(links.entries()) }),
    ],
  ] as const) {
    it(`fail where ${source} answers more links in a page than were asked for`, async () => {
      const links = Array.from({ length: 19_000 }, (_, n) => ({
        id: n,
        idString: `${n}`,
        shortCode: `k${n}`,
        hasRedirectRules: true,
      }));
      peer = await PeerServer.start(({ path }) => {
        if (path.endsWith(list)) return wrap(links);
        if (path === '/v4/groups') return { groups: [{ guid: 'g' }] };
        return path === '/api/domains' ? [{ id: 1 }] : {};
      });
      const one = await fetched(source, peer.url);
      expect(one.state).to.equal('failed');
      expect(one.failure).to.contain('19000 links in a page, which must have at most 100');
      // One request lists groups or domains, and one reads the page.
      expect(peer.asked.length).to.be.at.most(2);
    });
  }

  it('fail where links have no address, unless they may get random keys', async () => {
    const data = [{ shortCode: 'k', longUrl: 'https://example.com/' }];
    const pagination = { pagesCount: 1, totalItems: 1 };
    peer = await PeerServer.start(() => ({ shortUrls: { data, pagination } }));
    const sentence = 'the only row has no key: its link would get a random one';
    expect(await fetched('shlink', peer.url)).to.deep.include({
      state: 'failed',
      failure: `allowRandomKeys must be true: ${sentence}`,
    });
    const allowed = await fetched('shlink', peer.url, { allowRandomKeys: true });
    expect(allowed).to.deep.include({ state: 'done', keyless: 1 });
  });

  it('fail where links are not objects', async () => {
    for (const data of [[null], [7], ['k']]) {
      peer = await PeerServer.start(() => ({ shortUrls: { data } }));
      const one = await fetched('shlink', peer.url);
      expect(one).to.deep.include({
        state: 'failed',
        failure: 'url must be the API of Shlink: links in its answer are not objects',
      });
      await peer.close();
    }
  });

  it('of APIs that hold their answers back leave two thirds of the slots to others, and end', async function () {
    const data = Array.from({ length: 100 }, (_, n) => ({
      shortCode: `k${n}`,
      shortUrl: `https://s.test/k${n}`,
      longUrl: 'https://example.com',
      hasRedirectRules: true,
    }));
    const server = await PeerServer.start(({ path }) =>
      path.endsWith('/short-urls')
        ? { shortUrls: { data, pagination: { pagesCount: 9, totalItems: 900 } } }
        : { redirectRules: [] },
    );
    peer = server;
    // With five concurrent requests, the rules of one page would take 500 s.
    server.delayMs = ({ path }) => (path.endsWith('/redirect-rules') ? 25_000 : 0);
    const pages = () => server.asked.filter(({ path }) => path.endsWith('/short-urls')).length;
    // An import can use a third of the 12 slots of each `worker_bulk` process.
    const most = 4 * stack().copies('worker_bulk').length;
    const worlds = [world, ...(await Promise.all(Array.from({ length: 7 }, () => aWorkspace())))];
    const ids: [World, string][] = [];
    try {
      for (const one of worlds) {
        for (let n = 0; n < 2; n += 1) {
          const wanted = { source: 'shlink', url: server.url, token: 'token-1' };
          ids.push([one, (await one.api.post('/imports/fetch', wanted)).body.id]);
        }
      }
      await eventually(() => expect(pages()).to.be.at.least(1));
      const regular = await aWorkspace();
      const made = await regular.api.post('/links/bulk', [
        { url: 'https://example.com', key: 'a' },
      ]);
      expect(made.status).to.be.oneOf([200, 202]);
      await eventually(async () => {
        expect((await regular.visit('/a')).status).to.equal(302);
      });
      expect(pages()).to.be.at.most(most);
      await eventually(async () => {
        const rows = await db()('imports').where({ state: 'fetching' }).select('remote');
        expect(rows.some(({ remote }) => remote.attempts > 0)).to.equal(true);
      });
    } finally {
      for (const [{ api }, id] of ids) await api.post(`/imports/${id}/cancel`);
    }
  });

  it('refuse addresses that are not the internet’s, and what is missing', async () => {
    const wrongs: [object, string][] = [
      [{ source: 'shlink', token: 'x' }, 'url is required'],
      [
        { source: 'kutt', token: 'x', url: 'http://10.0.0.1' },
        'url must not point to a private IP address',
      ],
      [
        { source: 'kutt', token: 'x', url: 'http://ada:secret@example.com' },
        'url must not contain a user name or password',
      ],
      [
        { source: 'csv', token: 'x' },
        'source must be one of bitly, dub, kutt, shlink, shortio, yourls',
      ],
      [{ source: 'dub' }, 'token is required'],
    ];
    for (const [sent, message] of wrongs) {
      const { status, body } = await world.api.post('/imports/fetch', sent);
      expect(status, message).to.equal(422);
      expect(body.error.message).to.equal(message);
    }
  });

  it('are limited in links by the plan', async () => {
    world = await aWorkspace({ plan: 'free' });
    const { url } = await aPeer('yourls', 1_001);
    const one = await fetched('yourls', url);
    expect(one).to.include({ state: 'failed' });
    expect(one.failure).to.match(/must not have more than 1000 rows/);
    expect((await world.api.get('/links/count')).body).to.equal(0);
  });
});

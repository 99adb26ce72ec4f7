import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import type { Peer, PeerRoute } from '../../src/compat/peer.ts';
import { PEERS } from '../../src/compat/peers.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { db } from '../../src/infra/db.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * The compatible endpoints call this service's own endpoints, so the same rules hold. These tests
 * call each of them without rights, with hostile values, and for the records of another workspace.
 */

const A = 'https://example.com/a';
const SCOPES = new Map(routes.map(({ operationId, scope }) => [operationId as string, scope]));

/**
 * Sends a request to a compatible endpoint, with the API key in the place where the other service
 * expects it.
 */
function send(
  peer: Peer,
  { method, path, takes }: Pick<PeerRoute, 'method' | 'path' | 'takes'>,
  {
    key,
    value = 'x_1',
    query = '',
    body = '{}',
    headers = {},
  }: {
    key?: string | undefined;
    value?: string;
    query?: string;
    body?: string;
    headers?: Record<string, string>;
  },
): Promise<Response> {
  const isYourls = peer.path.includes('yourls');
  const search = new URLSearchParams(query);
  if (isYourls && key !== undefined) search.set('signature', key);
  const sends = method !== 'get' && method !== 'delete';
  const type = takes === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return fetch(
    `${stack().apiUrl}${peer.path}${path.replaceAll(/\{\w+\}/g, encodeURIComponent(value))}?${search}`,
    {
      method: method.toUpperCase(),
      headers: {
        ...(key === undefined || isYourls
          ? {}
          : { authorization: `Bearer ${key}`, 'x-api-key': key }),
        ...(sends ? { 'content-type': type } : {}),
        ...headers,
      },
      ...(sends ? { body: takes === 'form' ? '' : body } : {}),
    },
  );
}

const ALL = PEERS.flatMap((peer) => peer.routes.map((route) => ({ peer, route })));
const guarded = ALL.filter(({ route: { operation } }) => {
  const scope = SCOPES.get(operation ?? '');
  return scope !== undefined && isOfWorkspace(scope);
});
const nameOf = ({ peer, route }: (typeof ALL)[number]) =>
  `${route.method.toUpperCase()} ${peer.path}${route.path}`;

/** The Shlink endpoints answer 501 for unsupported features. */
const isExpected = (status: number) => status < 500 || status === 501;

describe('the endpoints of other services', function () {
  let world: World;
  let others: World;

  before(async () => {
    [world, others] = await Promise.all([aWorkspace(), aWorkspace()]);
  });

  it('name endpoints that there are', () => {
    const unknown = ALL.filter(
      ({ route: { operation } }) => operation !== undefined && !SCOPES.has(operation),
    );
    expect(unknown.map(nameOf)).to.deep.equal([]);
    expect(guarded.length).to.be.greaterThan(50);
  });

  it('want a key: no cookie will do', async () => {
    const { token } = await aPerson({ in: { ...world, role: 'owner' } });
    const headers = {
      cookie: `session=${token}`,
      'sec-fetch-site': 'same-origin',
      'x-workspace': world.slug,
    };
    for (const one of guarded) {
      const { status } = await send(one.peer, one.route, { headers });
      expect(status, nameOf(one)).to.equal(one.peer.path.includes('yourls') ? 403 : 401);
    }
  });

  it('want the scope of the endpoint that they ask', async () => {
    const { apiKey } = await createApiKey(db(), {
      workspace: world.slug,
      name: 'little',
      scopes: ['pages.read'],
    });
    for (const one of guarded) {
      const response = await send(one.peer, one.route, { key: apiKey, query: 'format=json' });
      expect(response.status, nameOf(one)).to.equal(403);
      expect(await response.text(), nameOf(one)).to.contain('lacks the scope');
    }
  });

  it('want the plan of the endpoint that they ask', async () => {
    const free = await aWorkspace({ plan: 'free' });
    const peer = PEERS[0]!;
    const analytics = await send(peer, { method: 'get', path: '/analytics' }, { key: free.apiKey });
    expect(analytics.status).to.equal(403);
    expect(await analytics.text()).to.contain('needs the pro plan');
  });

  it('count against the limit of the workspace, every further write too', async () => {
    const limited = await aWorkspace();
    await limited.set({ requestsPerMinute: 3 });
    const [dub, shlink, yourls] = PEERS as [Peer, Peer, Peer];
    const key = limited.apiKey;
    // This request creates a link and its tag, and so counts as two requests.
    const made = await send(
      shlink,
      { method: 'post', path: '/short-urls', takes: 'json' },
      { key, body: JSON.stringify({ longUrl: A, tags: ['one'] }) },
    );
    expect(made.status).to.equal(200);
    expect(made.headers.get('ratelimit-remaining')).to.equal('1');
    expect((await send(dub, { method: 'get', path: '/links' }, { key })).status).to.equal(200);
    const refused = await Promise.all([
      send(dub, { method: 'get', path: '/links' }, { key }),
      send(shlink, { method: 'get', path: '/short-urls' }, { key }),
      send(yourls, { method: 'get', path: '/yourls-api.php' }, { key, query: 'format=json' }),
    ]);
    for (const { status, headers } of refused) {
      expect(status).to.equal(429);
      expect(headers.get('retry-after')).to.match(/^\d+$/);
    }
    const [ours, problem, result] = (await Promise.all(
      refused.map((response) => response.json()),
    )) as Record<string, unknown>[];
    expect(ours).to.have.nested.property('error.code', 'rate_limit_exceeded');
    expect(problem).to.include({ title: 'Too many requests', status: 429 });
    expect(result).to.include({ status: 'fail', errorCode: '429' });
    await limited.set({ requestsPerMinute: 0 });
  });

  it('reach no records of another workspace', async () => {
    const { body: link } = await others.api.post('/links', {
      url: 'https://secret.example/',
      key: 'secret',
      externalId: 'secret',
    });
    const { body: tag } = await others.api.post('/tags', { name: 'Secret' });
    const { body: folder } = await others.api.post('/folders', { name: 'Secret' });
    const { body: domains } = await others.api.get('/domains');
    const values = ['secret', 'Secret', 'ext_secret', link.id, tag.id, folder.id, domains[0].id];
    for (const one of guarded) {
      for (const value of one.route.path.includes('{') ? [...values, others.domain] : ['']) {
        const response = await send(one.peer, one.route, {
          key: world.apiKey,
          value,
          query: `domain=${others.domain}&key=secret&linkIds=${link.id}&shorturl=secret&action=expand&tags[]=Secret`,
          body: JSON.stringify({ oldName: 'Secret', newName: 'x', domain: others.domain }),
        });
        const text = await response.text();
        expect(response.status, nameOf(one)).to.satisfy(isExpected);
        expect(text, nameOf(one)).not.to.contain('secret.example');
      }
    }
    expect((await others.api.get(`/links/${link.id}`)).body.url).to.equal(
      'https://secret.example/',
    );
    expect((await others.api.get(`/tags/${tag.id}`)).body.name).to.equal('Secret');
    expect((await others.api.get(`/folders/${folder.id}`)).status).to.equal(200);
    expect((await others.api.get(`/domains/${others.domain}`)).body.target).to.equal(null);
  });

  it('answer hostile values as they answer any that are wrong', async () => {
    const bodies = [
      'null',
      '[]',
      '"text"',
      '[null,1,"a",[],{}]',
      '{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1}',
      '{"url":{"toString":1},"longUrl":{"valueOf":1},"tags":[{},null,1],"prefix":{},"keyLength":{}}',
      '{"linkIds":[{}],"externalIds":[{},null],"data":[]}',
      '{"redirectRules":[null,1,{"conditions":[null,{"type":{"toString":1},"matchKey":{"toString":1}}]}]}',
      '{"oldName":{"toString":1},"newName":{"toString":1},"domain":{"toString":1}}',
      '{"slug":[],"tag":{},"accessLevel":{},"mode":{},"eventQuantity":{},"paymentProcessor":{}}',
      '{"url":"a\\u0000b","longUrl":"a\\u0000b"}',
      '{"shortCodeLength":1e308,"keyLength":-1,"url":"https://example.com/","longUrl":"https://example.com/"}',
      `${'['.repeat(200)}${']'.repeat(200)}`,
      '{"a":',
    ];
    const queries = [
      'groupBy=constructor&interval=__proto__&timezone=%00&orderBy=constructor&page=1e999&itemsPerPage=-1',
      'page=99999999999999999999&pageSize=1e999&startingAfter=x&sortBy=toString&start=99999-12-31',
      'interval=mtd&timezone=Nowhere/Nothing&ids=,,,&tags[]=&tags[]=%25&trigger=constructor&qr=x',
      'action=stats&limit=1e308&start=1e308&filter=bottom&format=constructor',
      'action=shorturl&url=%00&keyword=../..&title=%ff&format=jsonp&callback=__proto__',
      'action=stats&limit=Infinity&start=NaN&filter=rand&format=xml',
      'startDate=x&endDate=x&type=constructor&searchTerm=%00&margin=Infinity&url=x',
    ];
    for (const one of ALL) {
      const sends = one.route.takes === 'json';
      for (const body of sends ? bodies : ['{}']) {
        const { status } = await send(one.peer, one.route, { key: world.apiKey, body });
        expect(status, `${nameOf(one)} ${body}`).to.satisfy(isExpected);
      }
      if (one.route.method !== 'get') continue;
      for (const query of queries) {
        const answer = await send(one.peer, one.route, {
          key: world.apiKey,
          query,
          value: '\u0000',
        });
        expect(answer.status, `${nameOf(one)} ${query}`).to.satisfy(isExpected);
      }
    }
  });

  it('note writes in the audit log, and answer repeats with the first answer', async () => {
    const create = (body: object) =>
      send(
        PEERS[0]!,
        { method: 'post', path: '/links', takes: 'json' },
        {
          key: world.apiKey,
          body: JSON.stringify(body),
          headers: { 'idempotency-key': 'once' },
        },
      );
    const first = (await (await create({ url: A })).json()) as { id: string };
    const second = (await (await create({ url: A })).json()) as { id: string };
    expect(second.id).to.equal(first.id);
    expect((await create({ url: `${A}/other` })).status).to.equal(409);
    const { body: log } = await world.api.get('/audit-log');
    const entries = log.filter(({ target }: { target: { id: string } }) => target.id === first.id);
    expect(entries.map(({ action }: { action: string }) => action)).to.deep.equal(['link.create']);
  });

  it('let the listed origins of browsers ask, and no others', async () => {
    const preflight = (path: string, origin: string) =>
      fetch(stack().apiUrl + path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key,content-type',
        },
      });
    for (const path of ['/compat/shlink/rest/v3/short-urls', '/compat/dub/links']) {
      const listed = await preflight(path, 'https://app.listed.test');
      expect(listed.status).to.equal(204);
      expect(listed.headers.get('access-control-allow-origin')).to.equal('https://app.listed.test');
      expect(listed.headers.get('access-control-allow-headers')).to.contain('X-Api-Key');
      expect(listed.headers.get('access-control-allow-credentials')).to.equal(null);
      const other = await preflight(path, 'https://evil.test');
      expect(other.headers.get('access-control-allow-origin')).to.equal(null);
    }
  });
});

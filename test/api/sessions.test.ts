import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { db } from '../../src/infra/db.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson, signedInClient } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

describe('a session', () => {
  it('acts in the workspace that X-Workspace names, with the rights of the role', async () => {
    const { projectId, slug } = await aWorkspace();
    const { api } = await aPerson({ in: { projectId, slug, role: 'member' } });
    const { status, body } = await api.post('/tags', { name: 'News' });
    expect(status).to.equal(201);
    expect((await api.get('/tags')).body).to.deep.equal([body]);
    const viewer = await aPerson({ in: { projectId, slug, role: 'viewer' } });
    expect((await viewer.api.get('/tags')).body).to.deep.equal([body]);
    const refused = await viewer.api.post('/tags', { name: 'Other' });
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      403,
      'The role "viewer" lacks the scope "tags.write"',
    ]);
  });

  it('answers 403 where X-Workspace is absent, unknown, or of a workspace of others', async () => {
    const [own, other] = [await aWorkspace(), await aWorkspace()];
    const { token } = await aPerson({ in: { ...own, role: 'owner' } });
    for (const slug of [undefined, '', 'no-such-workspace', other.slug, own.projectId, "'"]) {
      const { status, body } = await signedInClient(token, slug).get('/links');
      expect([status, body.error.message], slug).to.deep.equal([
        403,
        'X-Workspace must be the slug of a workspace that you belong to',
      ]);
    }
    expect((await signedInClient(token, own.slug).get('/links')).status).to.equal(200);
  });

  it('loses a workspace with the membership, at once', async () => {
    const { projectId, slug } = await aWorkspace();
    const { api, userId } = await aPerson({ in: { projectId, slug, role: 'owner' } });
    expect((await api.get('/links')).status).to.equal(200);
    await db()('workspace_users').where({ user_id: userId }).delete();
    expect((await api.get('/links')).status).to.equal(403);
    expect((await api.get('/me')).body.workspaces).to.deep.equal([]);
  });

  it('gives way to an API key that is sent with it', async () => {
    const { projectId, slug, apiKey } = await aWorkspace();
    const { token } = await aPerson({ in: { projectId, slug, role: 'viewer' } });
    const cookie = `session=${token}`;
    const both = new ApiClient(apiKey, { cookie, 'x-workspace': slug });
    expect((await both.post('/tags', { name: 'a' })).status).to.equal(201);
    const wrong = new ApiClient('sk_unknown', { cookie, 'x-workspace': slug });
    expect((await wrong.get('/links')).status).to.equal(401);
  });

  it('is what endpoints of people need, rather than an API key', async () => {
    const { api } = await aWorkspace();
    const { status, body } = await api.get('/me');
    expect([status, body.error.message]).to.deep.equal([
      403,
      'This needs the session of a signed-in person, not an API key',
    ]);
    const nobody = await new ApiClient(undefined).get('/me');
    expect([nobody.status, nobody.body.error.code]).to.deep.equal([401, 'unauthorized']);
  });

  it('answers 401 when it is unknown, malformed or has expired', async () => {
    const { api, sessionId } = await aPerson();
    expect((await api.get('/me')).status).to.equal(200);
    await db()('sessions').where({ id: sessionId }).update({ expires_at: new Date() });
    expect((await api.get('/me')).body.error.message).to.equal(
      'The session has ended: sign in again',
    );
    for (const token of ['B'.repeat(43), 'short', '', '%00', `${'C'.repeat(43)}x`]) {
      expect((await signedInClient(token).get('/me')).status, token).to.equal(401);
    }
  });

  it('is renewed by use, and notes it', async () => {
    const { api, sessionId } = await aPerson();
    const soon = new Date(Date.now() + 60_000);
    const before = new Date(Date.now() - 120_000);
    const session = () => db()('sessions').where({ id: sessionId });
    await session().update({ expires_at: soon, last_used_at: before });
    await api.get('/me');
    await eventually(async () => {
      const { expires_at, last_used_at } = await session().first();
      expect(expires_at.getTime() - Date.now()).to.be.closeTo(30 * 86_400_000, 10_000);
      expect(last_used_at).to.be.greaterThan(before);
    });
  });

  it('has the requests of its person counted, and leaves the workspace its own', async () => {
    const { projectId, slug, set } = await aWorkspace();
    await set({ requestsPerMinute: 1 });
    const { api } = await aPerson({ in: { projectId, slug, role: 'viewer' } });
    const { headers } = await api.get('/tags');
    expect(headers.get('ratelimit-limit')).to.equal('1200');
    expect((await api.get('/tags')).headers.get('ratelimit-remaining')).to.equal('1198');
  });
});

describe('requests with a session from another site', () => {
  const origins: [name: string, headers: Record<string, string>, isAllowed: boolean][] = [
    ['the console', { 'sec-fetch-site': 'same-origin' }, true],
    ['another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['a sub-domain', { 'sec-fetch-site': 'same-site' }, false],
    ['an address bar', { 'sec-fetch-site': 'none' }, false],
    ['another origin, by Origin', { origin: 'https://evil.test' }, false],
    ['an opaque origin', { origin: 'null' }, false],
    ['no known place', {}, false],
    [
      'another site with the right Origin',
      { 'sec-fetch-site': 'cross-site', origin: 'own' },
      false,
    ],
    ['this origin, by Origin', { origin: 'own' }, true],
  ];
  for (const [name, { origin, ...headers }, isAllowed] of origins) {
    it(`are ${isAllowed ? 'accepted' : 'refused'} from ${name}`, async () => {
      const { projectId, slug } = await aWorkspace();
      const { token } = await aPerson({ in: { projectId, slug, role: 'owner' } });
      const own = `http://localhost:${new URL(stack().apiUrl).port}`;
      const api = new ApiClient(undefined, {
        cookie: `session=${token}`,
        'x-workspace': slug,
        ...headers,
        ...(origin === undefined ? {} : { origin: origin === 'own' ? own : origin }),
      });
      const { status } = await api.post('/tags', { name: 'a' });
      expect(status).to.equal(isAllowed ? 201 : 403);
      // A read changes nothing, and other origins cannot read the answer.
      const read = await api.get('/tags');
      expect(read.status).to.equal(200);
      expect(read.headers.get('access-control-allow-credentials')).to.equal(null);
    });
  }

  for (const { method, path, scope } of routes) {
    if (method === 'get') continue;
    it(`are refused: ${method.toUpperCase()} ${path}`, async () => {
      const { slug, projectId } = await aWorkspace();
      const { token, api } = await aPerson({ in: { projectId, slug, role: 'owner' } });
      const forged = new ApiClient(undefined, {
        cookie: `session=${token}`,
        'sec-fetch-site': 'cross-site',
        ...(isOfWorkspace(scope) ? { 'x-workspace': slug } : {}),
      });
      const at = path.replaceAll(/\{\w+\}/g, 'x_1');
      const { status, headers } = await forged.send(method.toUpperCase(), at, {});
      expect(status).to.equal(403);
      expect(headers.get('set-cookie')).to.equal(null);
      expect((await api.get('/me')).status).to.equal(200);
    });
  }
});

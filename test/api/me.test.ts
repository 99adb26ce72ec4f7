import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { createSignInAddress } from '../../src/users/accounts.ts';
import {
  aBrowser,
  aPerson,
  aSession,
  signedInClient,
  tokenOf,
  tokenSet,
} from '../support/people.ts';
import { aWorkspace } from '../support/world.ts';

const PASSWORD = 'a good long password';
const OTHER = 'another good password';

describe('a signed-in person', () => {
  it('changes their name', async () => {
    const { api } = await aPerson();
    const { status, body } = await api.patch('/me', { name: '  Ada Lovelace ' });
    expect([status, body.name]).to.deep.equal([200, 'Ada Lovelace']);
    expect((await api.get('/me')).body).to.deep.equal(body);
  });

  it('chooses a language for the console, or that of the browser', async () => {
    const { api } = await aPerson();
    expect((await api.get('/me')).body.language).to.equal(null);
    for (const language of ['de', 'ja', null]) {
      const { status, body } = await api.patch('/me', { language });
      expect([status, body.language]).to.deep.equal([200, language]);
      expect((await api.get('/me')).body.language).to.equal(language);
    }
    const named = await api.patch('/me', { name: 'Ada', language: 'fr' });
    expect(named.body).to.include({ name: 'Ada', language: 'fr' });
    expect((await api.patch('/me', { name: 'Grace' })).body.language).to.equal('fr');
  });

  for (const language of ['nl', 'DE', 'de-AT', '', 7]) {
    it(`is refused the language ${JSON.stringify(language)}`, async () => {
      const { api } = await aPerson();
      const { status, body } = await api.patch('/me', { language });
      expect([status, body.error.code]).to.deep.equal([422, 'unprocessable_entity']);
      expect(body.error.message).to.match(/^language must be /);
    });
  }

  it('sees what their role in each workspace may do', async () => {
    const rights = [
      { role: 'owner', may: ['*'], mayNot: [] },
      {
        role: 'member',
        may: ['links.read', 'links.write', 'keys.read', 'webhooks.write', 'workspace.read'],
        mayNot: ['*', 'keys.write', 'members.write', 'workspace.write', 'audit.read'],
      },
      {
        role: 'viewer',
        may: ['links.read', 'analytics.read', 'workspace.read'],
        mayNot: ['*', 'links.write', 'keys.read', 'webhooks.read', 'jobs.read', 'audit.read'],
      },
    ] as const;
    for (const { role, may, mayNot } of rights) {
      const { projectId, slug } = await aWorkspace();
      const { api } = await aPerson({ in: { projectId, slug, role } });
      const [{ scopes }] = (await api.get('/me')).body.workspaces;
      expect(scopes, role).to.include.members([...may]);
      expect(
        scopes.filter((scope: string) => mayNot.some((one) => one === scope)),
        role,
      ).to.deep.equal([]);
    }
  });

  it('sets a first password, and signs in with it', async () => {
    const { api, email } = await aPerson();
    expect((await api.get('/me')).body).to.include({
      locationsBy: 'DB-IP',
      hasPassword: false,
      needsCurrentPassword: false,
    });
    const { status, body } = await api.patch('/me', { password: PASSWORD });
    expect([status, body.hasPassword]).to.deep.equal([200, true]);
    const signIn = await aBrowser().post('/auth/sign-in', { email, password: PASSWORD });
    expect(signIn.status).to.equal(200);
  });

  it('changes the password with the current one; other sessions and unused links end', async () => {
    const { api, email, userId } = await aPerson({ password: PASSWORD });
    const other = await aSession(userId);
    const address = await createSignInAddress(db(), userId);
    const without = await api.patch('/me', { password: OTHER });
    expect([without.status, without.body.error.message]).to.deep.equal([
      422,
      'currentPassword is required',
    ]);
    const wrong = await api.patch('/me', { password: OTHER, currentPassword: OTHER });
    expect([wrong.status, wrong.body.error.message]).to.deep.equal([
      422,
      'currentPassword must be your current password',
    ]);
    expect((await other.api.get('/me')).status).to.equal(200);
    const changed = await api.patch('/me', { password: OTHER, currentPassword: PASSWORD });
    expect(changed.status).to.equal(200);
    expect((await api.get('/me')).status).to.equal(200);
    expect((await other.api.get('/me')).status).to.equal(401);
    const signIn = async (password: string) =>
      (await aBrowser().post('/auth/sign-in', { email, password })).status;
    expect([await signIn(PASSWORD), await signIn(OTHER)]).to.deep.equal([401, 200]);
    const link = await aBrowser().post('/auth/links', { token: tokenOf(address) });
    expect(link.status).to.equal(401);
  });

  it('may try the current password five times', async () => {
    const { api } = await aPerson({ password: PASSWORD });
    const attempt = (currentPassword: string) =>
      api.patch('/me', { password: OTHER, currentPassword });
    for (let at = 0; at < 5; at += 1) expect((await attempt('wrong')).status).to.equal(422);
    expect((await attempt(PASSWORD)).status).to.equal(429);
  });

  it('who has forgotten the password sets a new one after a one-time link', async () => {
    const { userId, email } = await aPerson({ password: PASSWORD });
    const token = tokenOf(await createSignInAddress(db(), userId));
    const answer = await aBrowser().post('/auth/links', { token });
    expect(answer.body).to.include({ hasPassword: true, needsCurrentPassword: false });
    const api = signedInClient(tokenSet(answer)!);
    expect((await api.patch('/me', { password: OTHER })).status).to.equal(200);
    const signIn = await aBrowser().post('/auth/sign-in', { email, password: OTHER });
    expect(signIn.status).to.equal(200);
    // A session can change the password without the current one only while it is new.
    const created_at = new Date(Date.now() - 3_700_000);
    await db()('sessions').where({ user_id: userId }).update({ created_at });
    expect((await api.patch('/me', { password: PASSWORD })).status).to.equal(422);
  });

  const weak: [name: string, password: (email: string) => string, message: string][] = [
    ['a short one', () => 'short one', 'password must be at least 10 characters long'],
    ['a long one', () => 'x y z '.repeat(40), 'password must be at most 200 characters long'],
    ['the email address', (email) => email.toUpperCase(), 'must not be your email address'],
    ['a common one', () => 'Password123', 'must not be one of the most common'],
    ['one of few characters', () => 'abababababab', 'must have at least 5 different characters'],
  ];
  for (const [name, password, message] of weak) {
    it(`is refused as a new password: ${name}`, async () => {
      const { api, email } = await aPerson();
      const { status, body } = await api.patch('/me', { password: password(email) });
      expect(status).to.equal(422);
      expect(body.error.message).to.contain(message);
      expect((await api.get('/me')).body.hasPassword).to.equal(false);
    });
  }

  it('sends at least one field', async () => {
    const { api } = await aPerson();
    for (const body of [{}, { currentPassword: 'x' }, { email: 'a@b.test' }, { name: '' }]) {
      expect((await api.patch('/me', body)).status, JSON.stringify(body)).to.equal(422);
    }
  });
});

describe('the sessions of a person', () => {
  it('are listed, the last used first, without those that have ended', async () => {
    const { api, userId, sessionId, email } = await aPerson({ password: PASSWORD });
    const userAgent = `Mozilla/5.0 ${'x'.repeat(400)}`;
    const browser = aBrowser({ 'user-agent': userAgent, 'x-forwarded-for': '192.0.2.7' });
    const signedIn = await browser.post('/auth/sign-in', { email, password: PASSWORD });
    const ended = await aSession(userId);
    await ended.api.post('/auth/sign-out');
    const expired = await aSession(userId);
    await db()('sessions').where({ id: expired.sessionId }).update({ expires_at: new Date() });
    await aPerson();
    const { status, body } = await api.get('/me/sessions');
    expect(status).to.equal(200);
    expect(body.map(({ id }: { id: string }) => id)).to.deep.equal([body[0].id, sessionId]);
    expect(body[0]).to.include({
      userAgent: userAgent.slice(0, 300),
      network: '192.0.2.7',
      isCurrent: false,
    });
    expect(body[1].isCurrent).to.equal(true);
    expect(JSON.stringify(body)).not.to.contain(tokenSet(signedIn));
  });

  it('end one by one, at once', async () => {
    const { api, userId, sessionId } = await aPerson();
    const other = await aSession(userId);
    const stranger = await aPerson();
    expect((await stranger.api.delete(`/me/sessions/${sessionId}`)).status).to.equal(404);
    const { status, body } = await api.delete(`/me/sessions/${other.sessionId}`);
    expect([status, body]).to.deep.equal([200, { id: other.sessionId }]);
    expect((await other.api.get('/me')).status).to.equal(401);
    expect((await api.delete(`/me/sessions/${other.sessionId}`)).status).to.equal(404);
    expect((await api.delete('/me/sessions/sess_none')).status).to.equal(404);
    const own = await api.delete(`/me/sessions/${sessionId}`);
    expect(own.status).to.equal(200);
    expect(own.headers.get('set-cookie')).to.match(/^session=; Max-Age=0/);
    expect((await api.get('/me')).status).to.equal(401);
  });

  it('all end but the one that asks', async () => {
    const { api, userId } = await aPerson();
    const others = [await aSession(userId), await aSession(userId), await aSession(userId)];
    const stranger = await aPerson();
    const { status, body } = await api.delete('/me/sessions');
    expect([status, body]).to.deep.equal([200, { deletedCount: 3 }]);
    for (const other of others) expect((await other.api.get('/me')).status).to.equal(401);
    expect((await api.get('/me')).status).to.equal(200);
    expect((await stranger.api.get('/me')).status).to.equal(200);
    expect((await api.delete('/me/sessions')).body).to.deep.equal({ deletedCount: 0 });
  });
});

describe('a workspace of a person', () => {
  const aSlug = () => `own-${newId('workspace').slice(5).toLowerCase()}`;

  it('is created on the free plan, and theirs', async () => {
    const { api, token } = await aPerson();
    const slug = aSlug();
    const { status, body, headers } = await api.post('/workspaces', { slug, name: 'My own' });
    expect([status, body]).to.deep.equal([
      201,
      {
        id: body.id,
        slug,
        name: 'My own',
        plan: 'free',
        role: 'owner',
        needsSecondFactor: false,
        limits: null,
        scopes: ['*'],
      },
    ]);
    expect(headers.get('location')).to.equal('/workspace');
    expect((await api.get('/me')).body.workspaces).to.deep.equal([body]);
    const inside = signedInClient(token, slug);
    expect((await inside.post('/tags', { name: 'a' })).status).to.equal(201);
    expect(await db()('api_keys').where({ project_id: body.id })).to.deep.equal([]);
    const [entry] = (await inside.get('/audit-log', { action: 'workspace.create' })).body;
    expect(entry.target).to.deep.equal({ kind: 'workspace', id: body.id });
  });

  it('has a slug that is free and well-formed', async () => {
    const { slug: taken } = await aWorkspace();
    const { api } = await aPerson();
    const { status, body } = await api.post('/workspaces', { slug: taken });
    expect([status, body.error.message]).to.deep.equal([
      409,
      `The workspace slug "${taken}" is taken`,
    ]);
    for (const slug of ['', 'A', '-a', 'a-', 'a b', 'a'.repeat(49), 'ä', 1, null]) {
      const answer = await api.post('/workspaces', { slug });
      expect(answer.status, String(slug)).to.equal(422);
    }
    for (const slug of ['admin', 'assets', 'invitation', 'sign-in', 'welcome']) {
      const answer = await api.post('/workspaces', { slug });
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        422,
        `slug must not be "${slug}", which is a path of the console`,
      ]);
    }
    expect((await api.get('/me')).body.workspaces).to.deep.equal([]);
  });

  it('is one of at most fifty, also for concurrent requests', async () => {
    const { api, userId } = await aPerson();
    const rows = Array.from({ length: 48 }, () => {
      const id = newId('workspace');
      return { id, slug: id.slice(5).toLowerCase(), name: 'x', plan: 'free' };
    });
    await db()('workspaces').insert(rows);
    await db()('workspace_users').insert(
      rows.map(({ id }) => ({ project_id: id, user_id: userId, role: 'owner' })),
    );
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => api.post('/workspaces', { slug: aSlug() })),
    );
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 422);
    expect([made.length, refused.length]).to.deep.equal([2, 2]);
  });
});

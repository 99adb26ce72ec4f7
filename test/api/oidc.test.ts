import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { seal } from '../../src/infra/seal.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { createAccount, createSignInLink, setOperator } from '../../src/users/accounts.ts';
import { secretContext } from '../../src/users/second-factor/check.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import { createWorkspace } from '../../src/workspaces/commands.ts';
import { SCOPES_OF } from '../../src/workspaces/roles.ts';
import { OwnService } from '../support/own-service.ts';
import { aBrowser, tokenOf, tokenSet } from '../support/people.ts';
import { CLIENT, CookieJar, SingleSignOn } from '../support/single-sign-on.ts';

/*
 * Tests sign-in with OpenID Connect against a real provider on this machine, with a browser that
 * keeps cookies and a separate service whose settings name the provider.
 */

describe('single sign-on', function () {
  const own = new OwnService();
  const provider = new SingleSignOn();
  let base: string;

  before(async () => {
    await provider.listen();
    const settings = {
      LOG_LEVEL: 'trace',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Acme accounts',
      OUTBOUND_ALLOW: '127.0.0.1',
      SIGN_INS_PER_MINUTE: '0',
      // Without mail, the inviter receives the token.
      SMTP_URL: '',
    };
    await own.start(settings, 'Procfile.small');
    // The service and the browser use this origin, also in the redirect URI of the provider.
    base = own.service.apiUrl.replace('127.0.0.1', 'localhost');
    provider.serve(`${base}/auth/oidc/callback`);
  });
  after(async () => {
    await own.stop();
    await provider.stop();
  });

  const SIGN_IN = () => `${base}/console/sign-in`;

  /** Creates an account at the provider, and a person of the service with the same address. */
  async function anAccount({ isVerified = true, isKnown = true } = {}) {
    const login = `login-${newToken().slice(0, 12)}`;
    const email = `${login}@People.test`;
    provider.accounts[login] = { email, email_verified: isVerified, name: 'Ada Lovelace' };
    const userId = newId('user');
    if (isKnown) {
      await own.db('users').insert({
        id: userId,
        email: email.toLowerCase(),
        name: 'Ada',
        email_verified_at: new Date(),
      });
    }
    return { login, email, userId };
  }

  /** Signs in at the provider, and resolves with the callback URL and its code. */
  const returning = (jar: CookieJar, login: string) =>
    jar.follow(`${base}/auth/oidc`, `${base}/auth/oidc/callback`, { login, password: 'x' });

  /** Signs in through all redirects, and resolves with the final address. */
  async function signIn(jar: CookieJar, login: string): Promise<string> {
    const callback = await returning(jar, login);
    return CookieJar.next(await jar.open(callback), callback);
  }

  const me = async (jar: CookieJar) => {
    const answer = await jar.open(`${base}/me`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  interface Sent {
    /** Cookies to send, which receive the session of the answer. */
    jar?: CookieJar;
    key?: string;
    workspace?: string;
    body?: object;
  }
  /** Sends a request with a session or an API key. */
  async function request(path: string, { jar, key, workspace, body }: Sent) {
    const cookies = jar?.of(base) ?? new Map<string, string>();
    const answer = await fetch(base + path, {
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(workspace === undefined ? {} : { 'x-workspace': workspace }),
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const session = tokenSet(answer);
    if (session !== undefined) cookies.set('session', session);
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
    return { status: answer.status, body: (await answer.json()) as any };
  }

  it('is one of the ways to sign in', async () => {
    const answer = await fetch(`${base}/auth/methods`);
    expect(await answer.json()).to.deep.equal({
      password: true,
      passwordReset: false,
      passkey: true,
      oidc: { name: 'Acme accounts' },
    });
  });

  it('asks a person with a second factor for its code, unless the provider had one', async () => {
    const { login, userId } = await anAccount();
    await own.db('second_factors').insert({
      user_id: userId,
      secret: seal(secretContext(userId), 'JBSWY3DPEHPK3PXP'),
      last_step: 0,
    });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${base}/console/sign-in/code`);
    expect((await me(jar)).status).to.equal(401);
    const code = totpCode('JBSWY3DPEHPK3PXP', stepAt(Date.now()));
    const answer = await request('/auth/second-factor', { jar, body: { code } });
    expect([answer.status, answer.body.id]).to.deep.equal([200, userId]);
    expect((await me(jar)).status).to.equal(200);
    const session = await own.db('sessions').where({ user_id: userId }).first();
    expect(session).to.include({ method: 'oidc', second_factor: 'totp' });
  });

  it('signs in the person with the verified e-mail address, and then by the account alone', async () => {
    const { login, userId } = await anAccount();
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${base}/console`);
    expect((await me(jar)).body).to.include({ id: userId, name: 'Ada', hasPassword: false });
    provider.accounts[login] = { email: 'changed@people.test', email_verified: false };
    const other = new CookieJar();
    expect(await signIn(other, login)).to.equal(`${base}/console`);
    expect((await me(other)).body).to.include({ id: userId });
    const identities = await own.db('user_identities').where({ user_id: userId });
    expect(identities).to.have.length(1);
    expect(identities[0]).to.include({ issuer: provider.issuer, subject: login });
  });

  it('sets a new session cookie, ends the one before, and removes its own', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const callback = await returning(jar, login);
    const planted = 'A'.repeat(43);
    jar.of(base).set('session', planted);
    const answer = await jar.open(callback);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).to.have.length(2);
    expect(cookies[0]).to.match(/^oidc=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookies[1]).to.match(
      /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const first = jar.of(base).get('session')!;
    expect(first).not.to.equal(planted);
    await signIn(jar, login);
    expect(jar.of(base).get('session')).not.to.equal(first);
    const [session] = await own.db('sessions').where({ hash: hashToken(first) });
    expect(session.ended_at).not.to.equal(null);
  });

  it('makes an account for a person whom a workspace has invited, who is asked to join', async () => {
    const { login, email } = await anAccount({ isKnown: false });
    const id = newId('invitation');
    await own.db('invitations').insert({
      project_id: own.projectId,
      id,
      email,
      role: 'viewer',
      hash: hashToken(newToken()),
      expires_at: new Date(Date.now() + 60_000),
    });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${base}/console`);
    const { body } = await me(jar);
    expect(body).to.include({ email, name: 'Ada Lovelace' });
    expect(body['workspaces']).to.deep.equal([]);
    const workspace = { name: 'chaos', slug: 'chaos' };
    expect(body['invitations']).to.deep.equal([{ id, workspace, role: 'viewer', invitedBy: null }]);
    const joined = await request('/invitations/accept', { jar, body: { id } });
    expect(joined.body.invitations).to.deep.equal([]);
    expect(joined.body.workspaces).to.deep.equal([
      {
        id: own.projectId,
        slug: 'chaos',
        name: 'chaos',
        plan: 'enterprise',
        role: 'viewer',
        needsSecondFactor: false,
        limits: null,
        scopes: SCOPES_OF.viewer,
      },
    ]);
    expect((await request('/invitations/accept', { jar, body: { id } })).status).to.equal(410);
    expect(await own.db('invitations').where({ email })).to.deep.equal([]);
  });

  describe('and an account that somebody else has made beforehand with the address', () => {
    /** Creates a workspace of Mallory, who registers the address of a person without an account. */
    async function anAccountBeforehand() {
      const { login, email } = await anAccount({ isKnown: false });
      const slug = `evil-${newToken().slice(0, 8).toLowerCase().replaceAll('_', 'x')}x`;
      const { apiKey } = await createWorkspace(own.db, { slug, plan: 'free' });
      const invited = await request('/invitations', {
        key: apiKey,
        body: { email, role: 'owner' },
      });
      const token = tokenOf(invited.body.url);
      const mallory = new CookieJar();
      const password = 'the password of Mallory';
      const fields = { token, name: 'Victim', password };
      const accepted = await request('/invitations/accept', { jar: mallory, body: fields });
      expect(accepted.status).to.equal(200);
      expect(accepted.body.email.toLowerCase()).to.equal(email.toLowerCase());
      const made = await request('/keys', {
        jar: mallory,
        workspace: slug,
        body: { name: 'kept', scopes: ['*'] },
      });
      expect(made.status).to.equal(201);
      const userId = accepted.body.id as string;
      const link = newToken();
      await own.db('sign_in_links').insert({
        hash: hashToken(link),
        user_id: userId,
        expires_at: new Date(Date.now() + 60_000),
      });
      /** Reads the statuses of every request by which Mallory could use the account. */
      const attempts = async () => [
        (await me(mallory)).status,
        (await request('/auth/sign-in', { body: { email, password } })).status,
        (await request('/links', { key: made.body.key })).status,
        (await request('/auth/links', { body: { token: link } })).status,
      ];
      return { login, email, slug, userId, attempts };
    }
    type Offered = { id: string; role: string; workspace: { slug: string } };
    const offered = (invitations: unknown) =>
      (invitations as Offered[]).map(({ role, workspace }) => `${workspace.slug}:${role}`);

    it('ends what was done with it at the first proof, and joins nothing unasked', async () => {
      const { login, email, slug, userId, attempts } = await anAccountBeforehand();
      const invited = await request('/invitations', {
        key: own.apiKey,
        body: { email, role: 'owner' },
      });
      expect(invited.status).to.equal(201);
      const victim = new CookieJar();
      expect(await signIn(victim, login)).to.equal(`${base}/console`);
      expect(await attempts()).to.deep.equal([401, 401, 401, 401]);
      const { body } = await me(victim);
      expect(body).to.include({ id: userId, name: 'Ada Lovelace', hasPassword: false });
      expect(body['workspaces']).to.deep.equal([]);
      expect(offered(body['invitations'])).to.have.members([`${slug}:owner`, 'chaos:owner']);
      const { id } = (body['invitations'] as Offered[]).find(
        ({ workspace }) => workspace.slug === 'chaos',
      )!;
      const joined = await request('/invitations/accept', { jar: victim, body: { id } });
      expect(joined.body.workspaces.map((one: { slug: string }) => one.slug)).to.deep.equal([
        'chaos',
      ]);
      expect(await attempts()).to.deep.equal([401, 401, 401, 401]);
      // Later sign-ins end no sessions.
      const other = new CookieJar();
      await signIn(other, login);
      expect((await me(victim)).status).to.equal(200);
      expect((await me(other)).body['workspaces']).to.have.length(1);
    });

    it('shows it no invitation before the proof', async () => {
      const { email } = await anAccount({ isKnown: false });
      const mallory = new CookieJar();
      const invited = await request('/invitations', {
        key: own.apiKey,
        body: { email, role: 'viewer' },
      });
      const fields = { token: tokenOf(invited.body.url), name: 'a', password: 'of Mallory alone' };
      const made = await request('/invitations/accept', { jar: mallory, body: fields });
      expect(made.status).to.equal(200);
      const { id: projectId } = await createWorkspace(own.db, {
        slug: `other-${Date.now()}`,
        plan: 'free',
      });
      const id = newId('invitation');
      await own.db('invitations').insert({
        project_id: projectId,
        id,
        email,
        role: 'owner',
        hash: hashToken(newToken()),
        expires_at: new Date(Date.now() + 60_000),
      });
      expect((await me(mallory)).body['invitations']).to.deep.equal([]);
      const accepted = await request('/invitations/accept', { jar: mallory, body: { id } });
      expect(accepted.status).to.equal(410);
    });

    const BY_OPERATORS: [string, (email: string, userId: string) => Promise<unknown>][] = [
      ['user create', (email) => createAccount(own.db, { email, name: 'Ada' })],
      ['user link', (email) => createSignInLink(own.db, email)],
      ['user set --operator true', (_, userId) => setOperator(own.db, userId, true)],
    ];
    for (const [command, run] of BY_OPERATORS) {
      it(`ends what was done with it at the operator’s ${command}`, async () => {
        const { email, userId, attempts } = await anAccountBeforehand();
        await run(email, userId);
        expect(await attempts()).to.deep.equal([401, 401, 401, 401]);
        expect(await own.db('workspace_users').where({ user_id: userId })).to.deep.equal([]);
      });
    }

    it('is not made the owner of a workspace by the operator', async () => {
      const { email, slug } = await anAccountBeforehand();
      let refusal: unknown;
      await createWorkspace(own.db, { slug: `of-${slug}`, plan: 'free', email }).catch(
        (error: unknown) => {
          refusal = error;
        },
      );
      expect(refusal).to.include({ code: 'conflict' });
    });
  });

  it('refuses an account that nobody here has', async () => {
    const { login } = await anAccount({ isKnown: false });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${SIGN_IN()}?error=unknown_user`);
    expect((await me(jar)).status).to.equal(401);
  });

  it('does not trust an e-mail address that the provider has not verified', async () => {
    const { login } = await anAccount({ isVerified: false });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${SIGN_IN()}?error=unknown_user`);
  });

  it('refuses a disabled person', async () => {
    const { login, userId } = await anAccount();
    await signIn(new CookieJar(), login);
    await own.db('users').where({ id: userId }).update({ disabled_at: new Date() });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${SIGN_IN()}?error=disabled`);
    expect((await me(jar)).status).to.equal(401);
  });

  it('refuses a disabled person with a second factor, and asks for no code', async () => {
    const { login, userId } = await anAccount();
    await own.db('second_factors').insert({
      user_id: userId,
      secret: seal(secretContext(userId), 'JBSWY3DPEHPK3PXP'),
      last_step: 0,
    });
    await own.db('users').where({ id: userId }).update({ disabled_at: new Date() });
    expect(await signIn(new CookieJar(), login)).to.equal(`${SIGN_IN()}?error=disabled`);
  });

  it('refuses another state, and a browser that did not begin', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const callback = new URL(await returning(jar, login));
    const stranger = new CookieJar();
    const expired = `${SIGN_IN()}?error=expired`;
    const end = async (browser: CookieJar) =>
      CookieJar.next(await browser.open(callback.href), callback.href);
    // An attacker could open this URL in the browser of a victim.
    expect(await end(stranger)).to.equal(expired);
    // The victim has started a sign-in attempt too.
    await stranger.open(`${base}/auth/oidc`);
    expect(await end(stranger)).to.equal(expired);
    callback.searchParams.set('state', 'another');
    expect(await end(jar)).to.equal(expired);
    expect((await me(jar)).status).to.equal(401);
    expect((await me(stranger)).status).to.equal(401);
  });

  it('refuses a cookie that was changed', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const callback = await returning(jar, login);
    const cookies = jar.of(base);
    const value = cookies.get('oidc')!;
    cookies.set('oidc', `${value.slice(0, -2)}${value.endsWith('AA') ? 'BB' : 'AA'}`);
    const end = CookieJar.next(await jar.open(callback), callback);
    expect(end).to.equal(`${SIGN_IN()}?error=expired`);
  });

  it('refuses a code that is used again', async () => {
    const { login, userId } = await anAccount();
    const jar = new CookieJar();
    const callback = await returning(jar, login);
    const attempt = jar.of(base).get('oidc')!;
    const first = CookieJar.next(await jar.open(callback), callback);
    expect(first).to.equal(`${base}/console`);
    const thief = new CookieJar();
    thief.of(base).set('oidc', attempt);
    const second = CookieJar.next(await thief.open(callback), callback);
    expect(second).to.equal(`${SIGN_IN()}?error=failed`);
    expect(await own.db('sessions').where({ user_id: userId })).to.have.length(1);
  });

  it('refuses a code of another attempt of the same browser', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const earlier = new URL(await returning(jar, login));
    const later = new URL(await returning(jar, login));
    later.searchParams.set('code', earlier.searchParams.get('code')!);
    // PKCE and the nonce bind a code to its attempt.
    const end = CookieJar.next(await jar.open(later.href), later.href);
    expect(end).to.equal(`${SIGN_IN()}?error=failed`);
  });

  it('returns to the page to sign in when the provider refuses', async () => {
    const answer = await new CookieJar().open(`${base}/auth/oidc/callback?error=access_denied`);
    expect(answer.headers.get('location')).to.equal(`${SIGN_IN()}?error=denied`);
  });

  it('leaves no code, token or secret in the log', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const callback = await returning(jar, login);
    await jar.open(callback);
    const secrets = [
      new URL(callback).searchParams.get('code')!,
      jar.of(base).get('session')!,
      CLIENT.secret,
    ];
    for (const secret of secrets) {
      expect(own.service.lines.filter((line) => line.includes(secret))).to.deep.equal([]);
    }
  });
});

describe('without a provider', () => {
  it('there is no single sign-on', async () => {
    expect((await aBrowser().get('/auth/oidc')).status).to.equal(404);
    expect((await aBrowser().get('/auth/oidc/callback', { code: 'x' })).status).to.equal(404);
  });
});

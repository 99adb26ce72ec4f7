import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { OwnService } from '../support/own-service.ts';
import { aBrowser } from '../support/people.ts';
import { CLIENT, CookieJar, SingleSignOn } from '../support/single-sign-on.ts';

/*
 * Against a real provider on this machine, by a browser that keeps cookies: its own service, whose settings name the
 * provider.
 */

describe('single sign-on', function () {
  this.timeout(120_000);
  const own = new OwnService();
  const provider = new SingleSignOn();
  let base: string;

  before(async () => {
    await provider.listen();
    await own.start({
      LOG_LEVEL: 'trace',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Acme accounts',
      OUTBOUND_ALLOW: '127.0.0.1',
      SIGN_INS_PER_MINUTE: '0',
    });
    // As the browser knows it, and as the service names itself to the provider.
    base = own.service.apiUrl.replace('127.0.0.1', 'localhost');
    provider.serve(`${base}/auth/oidc/callback`);
  });
  after(async () => {
    await own.stop();
    await provider.stop();
  });

  const SIGN_IN = () => `${base}/console/sign-in`;

  /** An account at the provider, and a person of ours with its address. */
  async function anAccount({ isVerified = true, isKnown = true } = {}) {
    const login = `login-${newToken().slice(0, 12)}`;
    const email = `${login}@People.test`;
    provider.accounts[login] = { email, email_verified: isVerified, name: 'Ada Lovelace' };
    const userId = newId('user');
    if (isKnown) {
      await own.db('users').insert({ id: userId, email: email.toLowerCase(), name: 'Ada' });
    }
    return { login, email, userId };
  }

  /** Goes to the provider, signs in there, and returns the address of the callback with its code. */
  const returning = (jar: CookieJar, login: string) =>
    jar.follow(`${base}/auth/oidc`, `${base}/auth/oidc/callback`, { login, password: 'x' });

  /** The whole way; resolves with where it ends. */
  async function signIn(jar: CookieJar, login: string): Promise<string> {
    const callback = await returning(jar, login);
    return CookieJar.next(await jar.open(callback), callback);
  }

  const me = async (jar: CookieJar) => {
    const answer = await jar.open(`${base}/me`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('is one of the ways to sign in', async () => {
    const answer = await fetch(`${base}/auth/methods`);
    expect(await answer.json()).to.deep.equal({ password: true, oidc: { name: 'Acme accounts' } });
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

  it('makes an account for a person whom a workspace has invited', async () => {
    const { login, email } = await anAccount({ isKnown: false });
    await own.db('invitations').insert({
      project_id: own.projectId,
      id: newId('job'),
      email,
      role: 'viewer',
      hash: hashToken(newToken()),
      expires_at: new Date(Date.now() + 60_000),
    });
    const jar = new CookieJar();
    expect(await signIn(jar, login)).to.equal(`${base}/console`);
    const { body } = await me(jar);
    expect(body).to.include({ email, name: 'Ada Lovelace' });
    expect(body['workspaces']).to.deep.equal([
      { id: own.projectId, slug: 'chaos', name: 'chaos', plan: 'enterprise', role: 'viewer' },
    ]);
    expect(await own.db('invitations').where({ email })).to.deep.equal([]);
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

  it('refuses another state, and a browser that did not begin', async () => {
    const { login } = await anAccount();
    const jar = new CookieJar();
    const callback = new URL(await returning(jar, login));
    const stranger = new CookieJar();
    const expired = `${SIGN_IN()}?error=expired`;
    const end = async (browser: CookieJar) =>
      CookieJar.next(await browser.open(callback.href), callback.href);
    // The address that a page of an attacker would open in the browser of a victim.
    expect(await end(stranger)).to.equal(expired);
    // The victim has begun an attempt of their own.
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
    // PKCE and nonce bind a code to its attempt.
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

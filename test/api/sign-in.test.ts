import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { createSignInAddress, setDisabled } from '../../src/users/accounts.ts';
import { SCOPES_OF } from '../../src/workspaces/roles.ts';
import { eventually } from '../support/eventually.ts';
import { aBrowser, aPerson, signedInClient, tokenOf, tokenSet } from '../support/people.ts';
import { aWorkspace } from '../support/world.ts';

const PASSWORD = 'a good long password';

describe('signing in with a password', () => {
  it('answers who the person is, and sets a cookie that authenticates them', async () => {
    const { projectId, slug } = await aWorkspace();
    const { email, userId } = await aPerson({
      in: { projectId, slug, role: 'viewer' },
      password: PASSWORD,
    });
    const answer = await aBrowser().post('/auth/sign-in', {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      {
        id: userId,
        email,
        name: 'A Person',
        hasPassword: true,
        needsCurrentPassword: true,
        isOperator: false,
        secondFactor: null,
        passkeys: 0,
        language: null,
        locationsBy: 'DB-IP',
        invitations: [],
        workspaces: [
          {
            id: projectId,
            slug,
            name: slug,
            plan: 'enterprise',
            role: 'viewer',
            needsSecondFactor: false,
            limits: null,
            scopes: SCOPES_OF.viewer,
          },
        ],
      },
    ]);
    const api = signedInClient(tokenSet(answer)!, slug);
    expect((await api.get('/me')).body).to.deep.equal(answer.body);
    expect((await api.get('/links')).body).to.deep.equal([]);
  });

  it('sets a cookie for 30 days that scripts cannot read, and GET /me renews it', async () => {
    const { email } = await aPerson({ password: PASSWORD });
    const answer = await aBrowser().post('/auth/sign-in', { email, password: PASSWORD });
    const flags = '; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax';
    const cookie = `session=${tokenSet(answer)!}${flags}`;
    expect(answer.headers.get('set-cookie')).to.equal(cookie);
    expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
    const me = await signedInClient(tokenSet(answer)!).get('/me');
    expect(me.headers.get('set-cookie')).to.equal(cookie);
  });

  it('answers 401 in the same words for a wrong password, an unknown address, and an account without one', async () => {
    const [withPassword, without] = [await aPerson({ password: PASSWORD }), await aPerson()];
    const attempts = [
      { email: withPassword.email, password: `${PASSWORD}!` },
      { email: without.email, password: PASSWORD },
      { email: 'nobody@people.test', password: PASSWORD },
    ];
    for (const attempt of attempts) {
      const { status, body, headers } = await aBrowser().post('/auth/sign-in', attempt);
      expect([status, body.error.message]).to.deep.equal([401, 'email or password is wrong']);
      expect(headers.get('set-cookie')).to.equal(null);
    }
  });

  it('takes as long for an unknown address', async () => {
    const fastest = async (address: string) => {
      const times: number[] = [];
      for (let at = 0; at < 4; at += 1) {
        const began = performance.now();
        await aBrowser().post('/auth/sign-in', { email: address, password: 'wrong password' });
        times.push(performance.now() - began);
      }
      return Math.min(...times);
    };
    // Password verification takes at least 15 ms; without it, the answer would take 2 to 3 ms.
    // Other programs can slow down single attempts.
    await eventually(async () => {
      const { email } = await aPerson({ password: PASSWORD });
      const [known, unknown] = [await fastest(email), await fastest(`unknown.${email}`)];
      expect(unknown).to.be.greaterThan(known / 2);
      expect(known).to.be.greaterThan(unknown / 2);
    });
  });

  it('never adopts a token that the browser sent, and ends the session that it had', async () => {
    const { email, token: earlier } = await aPerson({ password: PASSWORD });
    const planted = 'A'.repeat(43);
    for (const sent of [planted, earlier]) {
      const browser = aBrowser({ cookie: `session=${sent}` });
      const answer = await browser.post('/auth/sign-in', { email, password: PASSWORD });
      expect(answer.status).to.equal(200);
      expect(tokenSet(answer)).to.be.a('string').and.not.equal(sent);
      expect((await signedInClient(sent).get('/me')).status).to.equal(401);
      expect((await signedInClient(tokenSet(answer)!).get('/me')).status).to.equal(200);
    }
  });

  it('compares passwords after Unicode normalization', async () => {
    const { email } = await aPerson({ password: 'ein Ärger mehr' });
    const password = 'ein A\u0308rger mehr';
    expect((await aBrowser().post('/auth/sign-in', { email, password })).status).to.equal(200);
  });

  const refused: [name: string, body: object, message: string][] = [
    ['no password', { email: 'a@b.test' }, 'password is required'],
    ['no address', { password: 'x' }, 'email is required'],
    ['a long password', { email: 'a@b.test', password: 'x'.repeat(201) }, 'password must'],
    ['a password that is no text', { email: 'a@b.test', password: 1 }, 'password must'],
    ['an unknown field', { email: 'a@b.test', password: 'x', remember: true }, 'remember is not'],
  ];
  for (const [name, body, message] of refused) {
    it(`answers 422 to ${name}`, async () => {
      const answer = await aBrowser().post('/auth/sign-in', body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.contain(message);
    });
  }

  it('is refused to a disabled person, whose sessions end', async () => {
    const { email, userId, api } = await aPerson({ password: PASSWORD });
    expect((await api.get('/me')).status).to.equal(200);
    await setDisabled(db(), userId, true);
    expect((await api.get('/me')).status).to.equal(401);
    const attempt = { email, password: PASSWORD };
    expect((await aBrowser().post('/auth/sign-in', attempt)).status).to.equal(401);
    await setDisabled(db(), userId, false);
    expect((await api.get('/me')).status).to.equal(401);
    expect((await aBrowser().post('/auth/sign-in', attempt)).status).to.equal(200);
  });

  it('is limited per account: after five wrong passwords the right one waits too', async () => {
    const { email } = await aPerson({ password: PASSWORD });
    const attempt = async (password: string) =>
      await aBrowser().post('/auth/sign-in', { email, password });
    for (let at = 0; at < 4; at += 1) expect((await attempt('wrong')).status).to.equal(401);
    expect((await attempt(PASSWORD)).status).to.equal(200);
    for (let at = 0; at < 5; at += 1) expect((await attempt('wrong')).status).to.equal(401);
    const { status, headers, body } = await attempt(PASSWORD);
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(890, 900);
    expect(body.error.message).to.match(/^Too many sign-ins were tried; try again in \d+ s$/);
  });

  it('is limited per account for concurrent attempts from many networks', async () => {
    const { email } = await aPerson({ password: PASSWORD });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        aBrowser().post('/auth/sign-in', { email, password: 'wrong' }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.length(5);
    expect(statuses.filter((status) => status === 429)).to.have.length(15);
  });

  it('is limited per network', async () => {
    const browser = aBrowser();
    const attempts = Array.from({ length: 11 }, (_, at) =>
      browser.post('/auth/sign-in', { email: `nobody-${at}@people.test`, password: 'wrong' }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(1);
    expect((await browser.post('/auth/links', { token: 'x' })).status).to.equal(429);
  });
});

describe('signing in with a one-time link', () => {
  it('works once', async () => {
    const { userId, email } = await aPerson();
    const token = tokenOf(await createSignInAddress(db(), userId));
    const answer = await aBrowser().post('/auth/links', { token });
    expect([answer.status, answer.body.email]).to.deep.equal([200, email]);
    expect((await signedInClient(tokenSet(answer)!).get('/me')).status).to.equal(200);
    const again = await aBrowser().post('/auth/links', { token });
    expect([again.status, again.body.error.message]).to.deep.equal([
      401,
      'The sign-in link has been used or has expired',
    ]);
  });

  it('tells beforehand whom it signs in, and stays valid', async () => {
    const { userId, email } = await aPerson();
    const token = tokenOf(await createSignInAddress(db(), userId));
    const lookup = (sent: string) => aBrowser().post('/auth/links/lookup', { token: sent });
    const { status, body, headers } = await lookup(token);
    expect([status, body]).to.deep.equal([200, { email }]);
    expect(headers.get('set-cookie')).to.equal(null);
    expect((await lookup(token)).status).to.equal(200);
    expect((await aBrowser().post('/auth/links', { token })).status).to.equal(200);
    expect((await lookup(token)).status).to.equal(401);
    expect((await lookup('unknown')).status).to.equal(401);
    const abroad = aBrowser({ 'sec-fetch-site': 'cross-site' });
    expect((await abroad.post('/auth/links/lookup', { token })).status).to.equal(403);
  });

  it('works once for concurrent requests', async () => {
    const { userId } = await aPerson();
    const token = tokenOf(await createSignInAddress(db(), userId));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => aBrowser().post('/auth/links', { token })),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 401)).to.have.length(7);
  });

  it('answers 401 to links that have expired, are unknown, or were the first person’s', async () => {
    const { userId } = await aPerson();
    const expired = tokenOf(await createSignInAddress(db(), userId));
    await db()('sign_in_links')
      .where({ user_id: userId })
      .update({ expires_at: new Date(0) });
    // A link for the first sign-in is invalid once anybody has signed in.
    const first = tokenOf(await createSignInAddress(db(), userId, { isFirst: true }));
    for (const token of [expired, first, 'unknown']) {
      expect((await aBrowser().post('/auth/links', { token })).status).to.equal(401);
    }
    expect((await aBrowser().post('/auth/links', {})).status).to.equal(422);
  });

  it('answers 401 to a disabled person', async () => {
    const { userId } = await aPerson();
    await setDisabled(db(), userId, true);
    const token = tokenOf(await createSignInAddress(db(), userId));
    expect((await aBrowser().post('/auth/links', { token })).status).to.equal(401);
  });
});

describe('signing out', () => {
  it('ends the session at once and clears the cookie', async () => {
    const { api, token } = await aPerson();
    const answer = await api.post('/auth/sign-out');
    expect(answer.status).to.equal(204);
    expect(answer.headers.get('set-cookie')).to.match(/^session=; Max-Age=0; Path=\/; HttpOnly/);
    expect((await api.get('/me')).status).to.equal(401);
    expect((await signedInClient(token).post('/auth/sign-out')).status).to.equal(204);
    expect((await aBrowser().post('/auth/sign-out')).status).to.equal(204);
  });
});

describe('the ways to sign in', () => {
  it('are public', async () => {
    const { status, body } = await aBrowser().get('/auth/methods');
    expect([status, body]).to.deep.equal([
      200,
      { password: true, passwordReset: true, passkey: true, oidc: null },
    ]);
  });
});

import { expect } from 'chai';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { seal } from '../../src/infra/seal.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import {
  createSignInAddress,
  createSignInLink,
  removeLostFactor,
} from '../../src/users/accounts.ts';
import { enter, userHandlers } from '../../src/users/commands.ts';
import { identityHandlers } from '../../src/users/identities.ts';
import { proveAddress } from '../../src/users/proof.ts';
import { secretContext } from '../../src/users/second-factor/check.ts';
import { secondFactorHandlers } from '../../src/users/second-factor/commands.ts';
import { keepFirstStep } from '../../src/users/second-factor/first-step.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import { scan } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { RawApp } from '../support/oauth.ts';
import {
  aBrowser,
  aPerson,
  aSession,
  type NewPerson,
  type Person,
  signedInClient,
  tokenOf,
  tokenSet,
} from '../support/people.ts';
import { anAuthenticator } from '../support/second-factor.ts';
import { aWorkspace, type World } from '../support/world.ts';

const PASSWORD = 'a good long password';
/** Makes the context of a job. */
const contextOf = () => ({
  jobId: newId('job'),
  projectId: '',
  isRepeat: false,
  log: pino({ level: 'silent' }),
});
const WRONG_CODE =
  'code must be the present code of your authenticator app, used once, or an unused recovery code';

const signIn = (email: string, password = PASSWORD) =>
  aBrowser().post('/auth/sign-in', { email, password });

/** Returns the value of a cookie that an answer sets; `undefined` if it sets none. */
const cookieOf = ({ headers }: { headers: Headers }, name: string): string | undefined =>
  headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0];

const secondStep = (cookie: string | undefined, code: string) =>
  aBrowser(cookie === undefined ? {} : { cookie }).post('/auth/second-factor', { code });

/** Begins a sign-in with the password, and resolves with the cookie of its first step. */
async function firstStep(email: string): Promise<string> {
  const answer = await signIn(email);
  expect(answer.status).to.equal(202);
  return cookieOf(answer, 'sign-in')!;
}

const sessionOf = (answer: { headers: Headers }) =>
  signedInClient(cookieOf(answer, 'session')!.slice('session='.length));

/** Creates a person with a second factor. */
async function aSecuredPerson(options: NewPerson = {}) {
  const person = await aPerson({ password: PASSWORD, ...options });
  return { ...person, app: await anAuthenticator(person, PASSWORD) };
}

/** Reads the actions of the audit log about a person, the latest first. */
const actionsOf = async (world: World, userId: string) =>
  ((await world.api.get('/audit-log')).body as { action: string; target: { id: string } }[])
    .filter(({ target }) => target.id === userId)
    .map(({ action }) => action);

describe('setting up a second factor', () => {
  it('shows a secret and its QR code, and takes a code of the app', async () => {
    const world = await aWorkspace();
    const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const { api, userId, email } = person;
    const other = await aSession(userId);
    expect((await api.get('/me')).body.secondFactor).to.equal(null);
    const { status, body: setup } = await api.post('/me/second-factor/setup');
    expect(status).to.equal(200);
    const uri = new URL(setup.uri);
    expect(uri.searchParams.get('secret')).to.equal(setup.secret);
    expect(decodeURIComponent(uri.pathname)).to.contain(`:${email}`);
    const svg = Buffer.from(setup.qrCode.split(',')[1], 'base64');
    expect(await scan(svg)).to.equal(setup.uri);
    expect(await db()('second_factors').where({ user_id: userId })).to.deep.equal([]);

    const { recoveryCodes, secret } = await anAuthenticator(person, PASSWORD);
    expect(recoveryCodes).to.have.length(10);
    const me = (await api.get('/me')).body;
    expect(me.secondFactor.recoveryCodes).to.equal(10);
    expect(new Date(me.secondFactor.createdAt).getTime()).to.be.closeTo(Date.now(), 60_000);
    expect((await other.api.get('/me')).status).to.equal(401);
    expect(await actionsOf(world, userId)).to.deep.equal(['secondFactor.create']);
    const stored = JSON.stringify([
      await db()('second_factors').where({ user_id: userId }),
      await db()('recovery_codes').where({ user_id: userId }),
    ]);
    for (const one of [secret, ...recoveryCodes]) expect(stored).not.to.contain(one);
    const again = await api.post('/me/second-factor/setup');
    expect(again.status).to.equal(200);
  });

  it('needs the password, a valid code and a recent setup of the same person', async () => {
    const { api, userId } = await aPerson({ password: PASSWORD });
    const other = await aPerson();
    const { setup } = (await api.post('/me/second-factor/setup')).body;
    const foreign = (await other.api.post('/me/second-factor/setup')).body.setup;
    const late = seal(
      { purpose: 'second factor setup', owner: userId },
      JSON.stringify({ secret: 'JBSWY3DPEHPK3PXP', until: Date.now() - 1 }),
    );
    const sealedOtherwise = seal(secretContext(userId), 'JBSWY3DPEHPK3PXP');
    const tooOld = 'setup must be at most ten minutes old: begin again';
    const currentPassword = PASSWORD;
    const refusals: [body: object, message: string][] = [
      [{ setup, code: '000000' }, 'currentPassword is required'],
      [
        { setup, code: '000000', currentPassword: 'x' },
        'currentPassword must be your current password',
      ],
      [{ setup, code: 'abcdef', currentPassword }, WRONG_CODE],
      [{ setup, currentPassword }, 'code is required'],
      [{ code: '000000', currentPassword }, 'setup is required'],
      [{ setup: foreign, code: '000000', currentPassword }, tooOld],
      [{ setup: late, code: '000000', currentPassword }, tooOld],
      [{ setup: sealedOtherwise, code: '000000', currentPassword }, tooOld],
      [{ setup: 'nonsense', code: '000000', currentPassword }, tooOld],
    ];
    for (const [body, message] of refusals) {
      const answer = await api.post('/me/second-factor', body);
      expect([answer.status, answer.body.error.message]).to.deep.equal([422, message]);
    }
    expect((await api.get('/me')).body.secondFactor).to.equal(null);
  });

  it('needs no password of a person who has none, and is refused where there is one', async () => {
    const person = await aPerson();
    await anAuthenticator(person);
    const { setup, secret } = (await person.api.post('/me/second-factor/setup')).body;
    const code = totpCode(secret, stepAt(Date.now()));
    const answer = await person.api.post('/me/second-factor', { setup, code });
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      409,
      'There is a second factor already: remove it first',
    ]);
  });

  it('takes a code with a hyphen, as signing in does', async () => {
    const { api } = await aPerson();
    const { setup, secret } = (await api.post('/me/second-factor/setup')).body;
    const code = totpCode(secret, stepAt(Date.now())).replace(/(\d{3})/, '$1-');
    expect((await api.post('/me/second-factor', { setup, code })).status).to.equal(201);
  });

  /** Resolves once a process waits for a lock, or a request has been answered. */
  async function waits(answer: Promise<unknown>): Promise<void> {
    let isAnswered = false;
    answer.finally(() => (isAnswered = true)).catch(() => {});
    await eventually(async () => {
      const waiting = await db()('pg_stat_activity').where({ wait_event_type: 'Lock' });
      expect(isAnswered || waiting.length > 0).to.equal(true);
    });
  }

  /** Sends the code of a new authenticator app. */
  async function confirmSetup({ api }: Pick<Person, 'api'>) {
    const { setup, secret } = (await api.post('/me/second-factor/setup')).body;
    const code = totpCode(secret, stepAt(Date.now()));
    return () => api.post('/me/second-factor', { setup, code, currentPassword: PASSWORD });
  }

  it('ends a session that another sign-in begins at the same time', async () => {
    const person = await aPerson({ password: PASSWORD });
    const { userId } = person;
    const confirm = await confirmSetup(person);
    const session = { id: newId('session'), hash: newToken(), userAgent: '', network: '' };
    const setup = await db().transaction(async (trx) => {
      const entered = await enter(trx, { userId }, { ...session, method: 'password' });
      expect(entered.needsSecondFactor).to.equal(false);
      const answer = confirm();
      await waits(answer);
      return { answer };
    });
    expect((await setup.answer).status).to.equal(201);
    const stored = await db()('sessions').where({ id: session.id }).first();
    expect(stored.ended_at).not.to.equal(null);
  });

  it('adds no app of a person whose access ends at the same time', async () => {
    const person = await aPerson({ password: PASSWORD, isVerified: false });
    const confirm = await confirmSetup(person);
    const setup = await db().transaction(async (trx) => {
      await proveAddress(trx, person.userId);
      const answer = confirm();
      await waits(answer);
      return { answer };
    });
    expect((await setup.answer).status).to.equal(401);
    expect(await db()('second_factors').where({ user_id: person.userId })).to.deep.equal([]);
  });

  it('adds no app after the session has ended', async () => {
    const person = await aPerson({ password: PASSWORD });
    const confirm = await confirmSetup(person);
    const setup = await db().transaction(async (trx) => {
      await trx('users').where({ id: person.userId }).forNoKeyUpdate().first('id');
      await trx('sessions').where({ id: person.sessionId }).update({ ended_at: new Date() });
      const answer = confirm();
      await waits(answer);
      return { answer };
    });
    const { status, body } = await setup.answer;
    expect([status, body.error.message]).to.deep.equal([
      401,
      'The session has ended: sign in again',
    ]);
    expect(await db()('second_factors').where({ user_id: person.userId })).to.deep.equal([]);
  });

  it('is for signed-in people only', async () => {
    const { api } = await aWorkspace();
    for (const path of ['/setup', '', '/recovery-codes', '/remove']) {
      const answer = await api.post(`/me/second-factor${path}`, {});
      expect(answer.status).to.be.oneOf([403, 422]);
      expect((await aBrowser().post(`/me/second-factor${path}`, {})).status).to.equal(401);
    }
  });
});

describe('signing in with a second factor', () => {
  it('begins a session only after the code', async () => {
    const { email, userId, app } = await aSecuredPerson();
    const before = await db()('sessions').where({ user_id: userId });
    const answer = await signIn(email);
    expect(answer.status).to.equal(202);
    expect(Object.keys(answer.body)).to.deep.equal(['expiresAt']);
    expect(tokenSet(answer)).to.equal(undefined);
    const [line] = answer.headers.getSetCookie();
    expect(line).to.match(
      /^sign-in=sealed%3Av2%3A\S+; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await db()('sessions').where({ user_id: userId })).to.have.length(before.length);
    const cookie = cookieOf(answer, 'sign-in')!;
    // The cookie is for the second step only.
    expect((await aBrowser({ cookie }).get('/me')).status).to.equal(401);
    const entered = await secondStep(cookie, await app.code());
    expect([entered.status, entered.body.email]).to.deep.equal([200, email]);
    expect(cookieOf(entered, 'sign-in')).to.equal('sign-in=');
    expect((await sessionOf(entered).get('/me')).status).to.equal(200);
    const session = await db()('sessions').where({ user_id: userId }).orderBy('id', 'desc').first();
    expect(session).to.include({ method: 'password', second_factor: 'totp' });
  });

  it('accepts a code once, also of the step before or after, and concurrently', async () => {
    const { email, app } = await aSecuredPerson();
    for (const offset of [-1, 0, 1]) {
      const cookies = [await firstStep(email), await firstStep(email), await firstStep(email)];
      const code = await app.code(offset);
      const answers = await Promise.all(cookies.map((cookie) => secondStep(cookie, code)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.have.length(1);
      expect(statuses.filter((status) => status === 409 || status === 422)).to.have.length(2);
      const again = await secondStep(cookies[0], code);
      expect([again.status, again.body.error.message]).to.deep.equal([422, WRONG_CODE]);
      await secondStep(cookies[0], await app.code(offset));
    }
    const cookie = await firstStep(email);
    for (const offset of [-3, 3]) {
      expect((await secondStep(cookie, await app.code(offset))).status).to.equal(422);
    }
    const spaced = (await app.code()).replace(/(\d{3})/, ' $1 ');
    expect((await secondStep(cookie, spaced)).status).to.equal(200);
  });

  it('accepts each recovery code once, in any case', async () => {
    const world = await aWorkspace();
    const { email, userId, app } = await aSecuredPerson({ in: { ...world, role: 'member' } });
    const [first, second] = app.recoveryCodes as [string, string];
    const sent = first.toUpperCase().replaceAll('-', ' ');
    const entered = await secondStep(await firstStep(email), sent);
    expect(entered.status).to.equal(200);
    expect(entered.body.secondFactor.recoveryCodes).to.equal(9);
    expect((await secondStep(await firstStep(email), first)).status).to.equal(422);
    const cookies = [await firstStep(email), await firstStep(email)];
    const answers = await Promise.all(cookies.map((cookie) => secondStep(cookie, second)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(await actionsOf(world, userId)).to.deep.equal([
      'recoveryCode.use',
      'recoveryCode.use',
      'secondFactor.create',
    ]);
  });

  it('is limited per account, apart from passwords', async () => {
    const { email, app } = await aSecuredPerson();
    const cookie = await firstStep(email);
    for (let at = 0; at < 5; at += 1) {
      expect((await secondStep(cookie, 'aaaa-aaaa-aaaa-aaaa')).status).to.equal(422);
    }
    const { status, headers } = await secondStep(cookie, await app.code());
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(890, 900);
    expect((await signIn(email)).status).to.equal(202);
  });

  it('answers 401 without a first step, or with one that has expired, was changed or is another text', async () => {
    const { email, userId, app } = await aSecuredPerson();
    const cookie = await firstStep(email);
    const sealed = (purpose: 'sign-in' | 'first step', content: object) =>
      `sign-in=${encodeURIComponent(seal({ purpose, owner: '' }, JSON.stringify(content)))}`;
    const first = { userId, method: 'password' };
    const until = Date.now() + 60_000;
    const wrong = [
      undefined,
      'sign-in=nonsense',
      `${cookie.slice(0, -2)}xx`,
      sealed('first step', { ...first, until: Date.now() - 1 }),
      sealed('sign-in', { ...first, until }),
    ];
    for (const one of wrong) {
      const answer = await secondStep(one, await app.code());
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        401,
        'The sign-in took too long: begin again',
      ]);
    }
    const abroad = aBrowser({ cookie, 'sec-fetch-site': 'cross-site' });
    expect((await abroad.post('/auth/second-factor', { code: '000000' })).status).to.equal(403);
    expect((await aBrowser({ cookie }).post('/auth/second-factor', {})).status).to.equal(422);
  });

  it('answers 401 after the password has changed meanwhile', async () => {
    const { email, api, app } = await aSecuredPerson();
    const cookie = await firstStep(email);
    const change = { password: 'another good long password', currentPassword: PASSWORD };
    expect((await api.patch('/me', change)).status).to.equal(200);
    const answer = await secondStep(cookie, await app.code());
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      401,
      'The password has changed: sign in again',
    ]);
  });

  it('follows a one-time link too, which is used by the second step', async () => {
    const { userId, app } = await aSecuredPerson();
    const token = tokenOf(await createSignInAddress(db(), userId));
    const begin = () => aBrowser().post('/auth/links', { token });
    const [one, two] = [await begin(), await begin()];
    expect([one.status, two.status]).to.deep.equal([202, 202]);
    const entered = await secondStep(cookieOf(one, 'sign-in'), await app.code());
    expect(entered.status).to.equal(200);
    expect((await sessionOf(entered).get('/me')).body.needsCurrentPassword).to.equal(false);
    const again = await secondStep(cookieOf(two, 'sign-in'), await app.code());
    expect(again.status).to.equal(401);
    expect((await begin()).status).to.equal(401);
  });

  it('does not make a used link valid again when its job is repeated', async () => {
    const person = await aPerson();
    const token = tokenOf(await createSignInAddress(db(), person.userId));
    const { run } = userHandlers.find(({ job }) => job.name === 'session.createByLink')!;
    const session = { id: newId('session'), hash: newToken(), userAgent: '', network: '' };
    const data = { hash: hashToken(token), session: { ...session, method: 'link' } };
    const result = await run(data, contextOf());
    await anAuthenticator(person);
    expect(await run(data, contextOf())).to.deep.equal(result);
    for (const path of ['/auth/links/lookup', '/auth/links']) {
      expect((await aBrowser().post(path, { token })).status).to.equal(401);
    }
  });

  it('takes no code of another person', async () => {
    const [one, two] = [await aSecuredPerson(), await aSecuredPerson()];
    const cookie = await firstStep(one.email);
    for (const code of [await two.app.code(), two.app.recoveryCodes[0]!]) {
      expect((await secondStep(cookie, code)).status).to.equal(422);
    }
  });

  it('takes no code of a person without a second factor', async () => {
    const { userId } = await aPerson();
    const { cookie } = keepFirstStep({ userId, method: 'password' });
    const sent = cookie.split(';')[0]!;
    expect((await secondStep(sent, '000000')).status).to.equal(422);
  });
});

describe('changing a second factor', () => {
  it('needs the password and a code to remove it', async () => {
    const world = await aWorkspace();
    const { api, email, userId, app } = await aSecuredPerson({ in: { ...world, role: 'member' } });
    const remove = (body: object) => api.post('/me/second-factor/remove', body);
    const refusals: [body: object, message: string][] = [
      [{ code: await app.code() }, 'currentPassword is required'],
      [
        { code: await app.code(), currentPassword: 'x' },
        'currentPassword must be your current password',
      ],
      [{ code: 'aaaa', currentPassword: PASSWORD }, WRONG_CODE],
      [{ currentPassword: PASSWORD }, 'code is required'],
    ];
    for (const [body, message] of refusals) {
      const answer = await remove(body);
      expect([answer.status, answer.body.error.message]).to.deep.equal([422, message]);
    }
    const removed = await remove({ code: await app.code(), currentPassword: PASSWORD });
    expect(removed.status).to.equal(204);
    expect((await api.get('/me')).body.secondFactor).to.equal(null);
    expect(await db()('recovery_codes').where({ user_id: userId })).to.deep.equal([]);
    expect((await signIn(email)).status).to.equal(200);
    expect(await actionsOf(world, userId)).to.deep.equal([
      'secondFactor.delete',
      'secondFactor.create',
    ]);
  });

  it('replaces recovery codes', async () => {
    const { api, email, app } = await aSecuredPerson();
    const [earlier] = app.recoveryCodes;
    const body = { code: await app.code(), currentPassword: PASSWORD };
    const answer = await api.post('/me/second-factor/recovery-codes', body);
    expect(answer.status).to.equal(201);
    const { recoveryCodes } = answer.body as { recoveryCodes: string[] };
    expect(recoveryCodes).to.have.length(10);
    expect(recoveryCodes.some((code) => app.recoveryCodes.includes(code))).to.equal(false);
    expect((await secondStep(await firstStep(email), earlier!)).status).to.equal(422);
    expect((await secondStep(await firstStep(email), recoveryCodes[0]!)).status).to.equal(200);
  });

  it('is for operators after a loss, and ends the sessions', async () => {
    const world = await aWorkspace();
    const { api, email, userId } = await aSecuredPerson({ in: { ...world, role: 'member' } });
    expect(await removeLostFactor(db(), email)).to.deep.equal({
      id: userId,
      removed: true,
      endedSessions: 1,
    });
    expect((await api.get('/me')).status).to.equal(401);
    expect((await signIn(email)).status).to.equal(200);
    const [entry] = (await world.api.get('/audit-log', { action: 'secondFactor.delete' })).body;
    expect(entry.actor.name).to.equal('operator');
    expect(await removeLostFactor(db(), email)).to.include({ removed: false });
  });

  it('ends with the first proof of the email address', async () => {
    const { email, userId } = await aSecuredPerson({ isVerified: false });
    await createSignInLink(db(), email);
    expect(await db()('second_factors').where({ user_id: userId })).to.deep.equal([]);
  });
});

describe('jobs whose requests were answered long ago', () => {
  const at = new Date(Date.now() - 61_000).toISOString();
  const LATE = 'The request is more than a minute old: send it again';
  const handlersOf = [...secondFactorHandlers, ...identityHandlers];

  /** Runs a job, and resolves with the message of its refusal. */
  const refusalOf = (name: string, data: object) =>
    handlersOf
      .find(({ job }) => job.name === name)!
      .run(data, contextOf())
      .then(
        () => expect.fail(`${name} was not refused`),
        (error: Error) => error.message,
      );

  it('add no authenticator app', async () => {
    const { userId, sessionId: keptId } = await aPerson();
    const factor = { secret: 'a', step: 1, hashes: ['a'], passwordVersion: 0 };
    const data = { userId, keptId, at, ...factor };
    expect(await refusalOf('secondFactor.create', data)).to.equal(LATE);
    expect(await db()('second_factors').where({ user_id: userId })).to.deep.equal([]);
  });

  it('leave recovery codes, the app and its last code', async () => {
    const { userId } = await aSecuredPerson();
    const stored = async () => [
      await db()('second_factors').where({ user_id: userId }),
      await db()('recovery_codes').where({ user_id: userId }).orderBy('hash'),
    ];
    const before = await stored();
    const change = { userId, at, proof: { kind: 'totp', step: stepAt(Date.now()) + 9 } };
    const renewal = { ...change, hashes: ['a'] };
    expect(await refusalOf('recoveryCodes.create', renewal)).to.equal(LATE);
    expect(await refusalOf('secondFactor.delete', change)).to.equal(LATE);
    expect(await stored()).to.deep.equal(before);
  });

  it('give no roles by groups, and begin no session', async () => {
    const world = await aWorkspace();
    const { userId, email } = await aPerson();
    const identity = {
      issuer: 'https://accounts.test',
      subject: userId,
      email,
      grants: [{ workspace: world.slug, role: 'owner' }],
    };
    const session = { id: newId('session'), hash: newToken(), userAgent: '', network: '' };
    const data = { identity, session: { ...session, method: 'oidc' }, at };
    expect(await refusalOf('session.createByIdentity', data)).to.equal(LATE);
    expect(await db()('workspace_users').where({ user_id: userId })).to.deep.equal([]);
    expect(await db()('sessions').where({ id: session.id })).to.deep.equal([]);
    expect(await db()('user_identities').where({ user_id: userId })).to.deep.equal([]);
  });
});

describe('a workspace that requires a second factor', () => {
  let world: World;
  const requireFactor = (by: Pick<World, 'api'>, requireSecondFactor = true) =>
    by.api.patch('/workspace', { requireSecondFactor });
  const MESSAGE = () =>
    `The workspace "${world.slug}" requires a second factor: set one up in the console, at /console/sign-in/second-factor`;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('is made by an owner who has one, and by nobody else', async () => {
    const owner = await aPerson({ in: { ...world, role: 'owner' }, password: PASSWORD });
    const refusal =
      'requireSecondFactor can be changed only by a person who has signed in with a second factor';
    for (const by of [owner, world]) {
      const answer = await requireFactor(by);
      expect([answer.status, answer.body.error.message]).to.deep.equal([403, refusal]);
      // The present value changes nothing.
      expect((await requireFactor(by, false)).status).to.equal(200);
    }
    await anAuthenticator(owner, PASSWORD);
    expect((await requireFactor(owner)).body.requireSecondFactor).to.equal(true);
    expect((await requireFactor(world, false)).status).to.equal(403);
    expect((await requireFactor(world, true)).status).to.equal(200);
    const [entry] = (await world.api.get('/audit-log', { action: 'workspace.update' })).body;
    expect(entry.actor.userId).to.be.a('string');
    expect((await requireFactor(owner, false)).body.requireSecondFactor).to.equal(false);
  });

  it('refuses sessions without one and says what to do, and takes API keys', async () => {
    const owner = await aSecuredPerson({ in: { ...world, role: 'owner' } });
    const member = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const elsewhere = await aWorkspace();
    await db()('workspace_users').insert({
      project_id: elsewhere.projectId,
      user_id: member.userId,
      role: 'member',
    });
    expect((await member.api.get('/links')).status).to.equal(200);
    expect((await requireFactor(owner)).status).to.equal(200);
    const report = { every: 'weekly', timezone: 'Europe/Berlin' };
    for (const answer of [
      await member.api.get('/links'),
      await member.api.post('/links', { url: 'https://example.com/' }),
      await member.api.get('/workspace'),
      await member.api.patch(`/me/notifications/${world.projectId}`, { report }),
    ]) {
      expect([answer.status, answer.body.error.message]).to.deep.equal([403, MESSAGE()]);
    }
    const choice = await owner.api.patch(`/me/notifications/${world.projectId}`, { report });
    expect(choice.status).to.equal(200);
    expect((await world.api.get('/links')).status).to.equal(200);
    expect((await owner.api.get('/links')).status).to.equal(200);
    expect((await signedInClient(member.token, elsewhere.slug).get('/links')).status).to.equal(200);
    const { workspaces } = (await member.api.get('/me')).body as {
      workspaces: { slug: string; needsSecondFactor: boolean }[];
    };
    expect(
      Object.fromEntries(
        workspaces.map(({ slug, needsSecondFactor }) => [slug, needsSecondFactor]),
      ),
    ).to.deep.equal({ [world.slug]: true, [elsewhere.slug]: false });

    const app = await RawApp.register({ client_name: 'App' });
    const consent = await member.api.post('/oauth/authorization', {
      parameters: app.parameters(),
      workspace: world.slug,
      scopes: ['links.read'],
    });
    expect([consent.status, consent.body.error.message]).to.deep.equal([403, MESSAGE()]);

    await anAuthenticator(member, PASSWORD);
    expect((await member.api.get('/links')).status).to.equal(200);
  });

  it('refuses a person who removes theirs, until they set up another', async () => {
    const owner = await aSecuredPerson({ in: { ...world, role: 'owner' } });
    await requireFactor(owner);
    const body = { code: await owner.app.code(), currentPassword: PASSWORD };
    expect((await owner.api.post('/me/second-factor/remove', body)).status).to.equal(204);
    expect((await owner.api.get('/links')).status).to.equal(403);
    await anAuthenticator(owner, PASSWORD);
    expect((await owner.api.get('/links')).status).to.equal(200);
  });
});

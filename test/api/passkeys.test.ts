import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { seal } from '../../src/infra/seal.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { createSignInLink, removeLostPasskeys, setDisabled } from '../../src/users/accounts.ts';
import { secondFactorHandlers } from '../../src/users/second-factor/commands.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import {
  type Algorithm,
  Authenticator,
  aPasskey,
  type CredentialJson,
  serviceOrigin,
  type Wrong,
} from '../support/authenticator.ts';
import type { ApiAnswer, ApiClient } from '../support/client.ts';
import { OneProcess } from '../support/one-process.ts';
import { aBrowser, aPerson, aSession, signedInClient, tokenSet } from '../support/people.ts';
import { anAuthenticator } from '../support/second-factor.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const PASSWORD = 'a good long password';
const WRONG_PASSKEY = 'The passkey is unknown, or its signature is wrong';
const WRONG_CREDENTIAL =
  'credential must be a passkey that this browser has made for this setup, with user verification';
const TOO_OLD = 'setup must be at most ten minutes old, and of this session: begin again';
const TOO_LATE = 'The sign-in took too long: begin again';

const refusal = ({ status, body }: ApiAnswer): [number, string] => [status, body.error?.message];

interface Attempt {
  options: { challenge: string; rpId: string };
  attempt: string;
  browser: ApiClient;
}

/** Begins a sign-in in a new browser, or in one with a cookie. */
async function begin(sent?: string): Promise<Attempt & { cookie: string }> {
  const answer = await aBrowser(sent === undefined ? {} : { cookie: sent }).post(
    '/auth/passkeys/start',
  );
  expect(answer.status).to.equal(200);
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  return { ...answer.body, browser: aBrowser({ cookie }), cookie };
}

const finish = ({ browser, attempt }: Attempt, credential: CredentialJson) =>
  browser.post('/auth/passkeys', { attempt, credential });

/** Signs in with a passkey. */
async function signIn(authenticator: Authenticator, wrong: Wrong = {}): Promise<ApiAnswer> {
  const begun = await begin();
  return finish(begun, authenticator.sign(begun.options, wrong));
}

const passkeysOf = async ({ api }: { api: ApiClient }) =>
  (await api.get('/me/passkeys')).body as {
    id: string;
    name: string;
    isSynced: boolean;
    createdAt: string;
    lastUsedAt: string | null;
  }[];

/** Reads the actions of the audit log about a person, the latest first. */
const actionsOf = async (world: World, userId: string) =>
  ((await world.api.get('/audit-log')).body as { action: string; target: { id: string } }[])
    .filter(({ target }) => target.id === userId)
    .map(({ action }) => action);

describe('adding a passkey', () => {
  it('offers options of this service, and takes what the authenticator makes of them', async () => {
    const world = await aWorkspace();
    const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const email = person.email.toLowerCase();
    await db()('users').where({ id: person.userId }).update({ email });
    const { api, userId } = person;
    const other = await aSession(userId);
    const confirmation = { currentPassword: PASSWORD };
    const begun = await api.post('/me/passkeys/setup', confirmation);
    expect(begun.body.options).to.deep.include({
      rp: { id: 'localhost', name: 'localhost' },
      user: {
        id: Buffer.from(userId).toString('base64url'),
        name: email,
        displayName: 'A Person',
      },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
    });
    expect((await api.get('/me')).body.passkeys).to.equal(0);

    const { recordId } = await aPasskey(person, { confirmation, name: ' Ada’s phone ' });
    await aPasskey(person, {
      confirmation,
      name: 'Key',
      authenticator: new Authenticator({ isSynced: false }),
    });
    const [first, second] = await passkeysOf(person);
    expect(first).to.deep.include({
      id: recordId,
      name: 'Ada’s phone',
      isSynced: true,
      lastUsedAt: null,
    });
    expect(second).to.deep.include({ name: 'Key', isSynced: false });
    expect((await api.get('/me')).body.passkeys).to.equal(2);
    const next = (await api.post('/me/passkeys/setup', confirmation)).body;
    expect(next.options.excludeCredentials).to.have.length(2);
    expect((await other.api.get('/me')).status).to.equal(200);
    expect(await actionsOf(world, userId)).to.deep.equal(['passkey.create', 'passkey.create']);
    const mails = await stack().mail.arrived(email, 2);
    expect(mails.map(({ headers }) => headers.get('subject'))).to.deep.equal([
      'A passkey was added to your account',
      'A passkey was added to your account',
    ]);
    expect(mails.some(({ body }) => body.includes('Ada’s phone'))).to.equal(true);
  });

  it('needs the password and the code that the person has', async () => {
    const person = await aPerson({ password: PASSWORD });
    const { api } = person;
    const setup = (body: object) => api.post('/me/passkeys/setup', body);
    expect(refusal(await setup({}))).to.deep.equal([422, 'currentPassword is required']);
    expect(refusal(await setup({ currentPassword: 'x' }))).to.deep.equal([
      422,
      'currentPassword must be your current password',
    ]);
    const app = await anAuthenticator(person, PASSWORD);
    expect(refusal(await setup({ currentPassword: PASSWORD }))).to.deep.equal([
      422,
      'code is required',
    ]);
    const wrong = await setup({ currentPassword: PASSWORD, code: 'abcdef' });
    expect(refusal(wrong)[0]).to.equal(422);
    const code = await app.code();
    await aPasskey(person, { confirmation: { currentPassword: PASSWORD, code } });
    // The code was used.
    expect((await setup({ currentPassword: PASSWORD, code })).status).to.equal(422);
    const [recoveryCode] = app.recoveryCodes;
    await aPasskey(person, { confirmation: { currentPassword: PASSWORD, code: recoveryCode } });
    expect((await api.get('/me')).body.secondFactor.recoveryCodes).to.equal(9);
  });

  it('uses a code once, and not at all if the passkey is refused', async () => {
    const person = await aPerson({ password: PASSWORD });
    const app = await anAuthenticator(person, PASSWORD);
    const code = await app.code();
    const confirmation = { currentPassword: PASSWORD, code };
    const begun = [0, 1].map(() => person.api.post('/me/passkeys/setup', confirmation));
    const [one, other] = (await Promise.all(begun)).map(({ body }) => body);
    const send = ({ setup, options }: typeof one, wrong: Wrong = {}) => {
      const credential = new Authenticator().create(options, wrong);
      return person.api.post('/me/passkeys', { setup, name: 'a', credential });
    };
    expect((await send(one, { rpId: 'evil.example' })).status).to.equal(422);
    expect((await send(one)).status).to.equal(201);
    expect(refusal(await send(other))).to.deep.equal([
      409,
      'The code has been used: enter another one',
    ]);
    expect(await passkeysOf(person)).to.have.length(1);
  });

  it('needs a recent sign-in of a person without a password', async () => {
    const person = await aPerson();
    await aPasskey(person);
    const age = new Date(Date.now() - 3_601_000);
    await db()('sessions').where({ id: person.sessionId }).update({ created_at: age });
    const message =
      'Passkeys of a person without a password can be changed within an hour of signing in: sign in again';
    const { id } = (await passkeysOf(person))[0]!;
    for (const path of ['/me/passkeys/setup', `/me/passkeys/${id}/remove`]) {
      expect(refusal(await person.api.post(path, {}))).to.deep.equal([403, message]);
    }
  });

  it('refuses a passkey for another challenge, host, origin or purpose, or without verification', async () => {
    const person = await aPerson();
    const wrongs: Wrong[] = [
      { challenge: newToken() },
      { rpId: 'evil.example' },
      { origin: 'http://evil.example' },
      { origin: serviceOrigin().replace('http:', 'https:') },
      { type: 'webauthn.get' },
      { isVerified: false },
    ];
    for (const wrong of wrongs) {
      const { options, setup } = (await person.api.post('/me/passkeys/setup', {})).body;
      const credential = new Authenticator().create(options, wrong);
      const answer = await person.api.post('/me/passkeys', { setup, name: 'a', credential });
      expect(refusal(answer), JSON.stringify(wrong)).to.deep.equal([422, WRONG_CREDENTIAL]);
    }
    expect(await passkeysOf(person)).to.deep.equal([]);
  });

  it('refuses a setup that has expired, was used, or is of another session or purpose', async () => {
    const person = await aPerson();
    const { api, userId, sessionId } = person;
    const { options, setup } = (await api.post('/me/passkeys/setup', {})).body;
    const sameBrowser = await aSession(userId);
    const content = { challenge: options.challenge, passwordVersion: 0 };
    const sealed = (owner: string, until: number) =>
      seal({ purpose: 'passkey setup', owner }, JSON.stringify({ ...content, until }));
    const until = Date.now() + 60_000;
    const signInText = seal(
      { purpose: 'passkey sign-in', owner: sessionId },
      JSON.stringify({ ...content, until }),
    );
    const send = (text: string, by = api, authenticator = new Authenticator()) =>
      by.post('/me/passkeys', {
        setup: text,
        name: 'a',
        credential: authenticator.create(options),
      });
    for (const text of [
      sealed(sessionId, Date.now() - 1),
      sealed('sess_other', until),
      signInText,
      'nonsense',
    ]) {
      expect(refusal(await send(text))).to.deep.equal([422, TOO_OLD]);
    }
    expect(refusal(await send(setup, sameBrowser.api))).to.deep.equal([422, TOO_OLD]);
    expect((await send(sealed(sessionId, until))).status).to.equal(201);
    expect(refusal(await send(setup))).to.deep.equal([
      409,
      'The passkey has signed this already: try again',
    ]);
    expect(await passkeysOf(person)).to.have.length(1);
  });

  it('refuses a passkey that exists, also of another person, and more than 20', async () => {
    const [one, other] = [await aPerson(), await aPerson()];
    const authenticator = await aPasskey(one);
    for (const { api } of [one, other]) {
      const { options, setup } = (await api.post('/me/passkeys/setup', {})).body;
      const credential = authenticator.create(options);
      const answer = await api.post('/me/passkeys', { setup, name: 'a', credential });
      expect(refusal(answer)).to.deep.equal([409, 'This passkey has been added already']);
    }
    for (let at = 0; at < 19; at += 1) await aPasskey(one);
    const { options, setup } = (await one.api.post('/me/passkeys/setup', {})).body;
    const credential = new Authenticator().create(options);
    const answer = await one.api.post('/me/passkeys', { setup, name: 'a', credential });
    expect(refusal(answer)).to.deep.equal([422, 'A person has at most 20 passkeys']);
  });

  it('ignores an attestation, and requests none of its URLs', async () => {
    const person = await aPerson();
    for (const fmt of ['packed', 'android-key', 'tpm', 'unknown']) {
      const { options, setup } = (await person.api.post('/me/passkeys/setup', {})).body;
      const attStmt = new Map<string, string | Buffer>([
        ['x5c', randomBytes(200)],
        ['sig', randomBytes(64)],
      ]);
      const credential = new Authenticator().create(options, { attestation: { fmt, attStmt } });
      const answer = await person.api.post('/me/passkeys', { setup, name: fmt, credential });
      expect(answer.status, fmt).to.equal(201);
    }
  });

  it('refuses hostile bytes and huge bodies, and keeps answering', async () => {
    const person = await aPerson();
    const { options, setup } = (await person.api.post('/me/passkeys/setup', {})).body;
    const good = new Authenticator().create(options);
    const send = (response: object, members: object = {}) =>
      person.api.post('/me/passkeys', {
        setup,
        name: 'a',
        credential: { ...good, ...members, response: { ...good.response, ...response } },
      });
    const arrays = Buffer.alloc(12_000, 0x81).toString('base64url');
    const claims = Buffer.from('bb7fffffffffffffff', 'hex').toString('base64url');
    for (const attestationObject of [arrays, claims, 'oA', 'A', '_-_-']) {
      expect(refusal(await send({ attestationObject }))).to.deep.equal([422, WRONG_CREDENTIAL]);
    }
    const data = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const value of [null, 1, 'a', [], {}, { type: {} }, { type: 'webauthn.create' }]) {
      expect((await send({ clientDataJSON: data(value) })).status).to.equal(422);
    }
    for (const [response, members] of [
      [{ attestationObject: 'A'.repeat(17_000) }, {}],
      [{ attestationObject: 'not base64url' }, {}],
      [{ attestationObject: 7 }, {}],
      [{ transports: Array.from({ length: 11 }, () => 'usb') }, {}],
      [{}, { id: 'A'.repeat(1_365) }],
      [{}, { id: 'another' }],
      [{}, { type: 'password' }],
    ] as const) {
      expect((await send(response, members)).status, JSON.stringify(members)).to.equal(422);
    }
    const bytes = Buffer.from(good.response['attestationObject'] as string, 'base64url');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.nat(bytes.length),
        async (at, change, length) => {
          const changed = Buffer.from(bytes);
          changed[at] = changed[at]! ^ change;
          const attestationObject = changed.subarray(0, length).toString('base64url') || 'AA';
          expect((await send({ attestationObject })).status).to.be.oneOf([201, 409, 422]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('signing in with a passkey', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] satisfies Algorithm[]) {
    it(`needs nothing else, and counts as a second factor (${algorithm})`, async () => {
      const person = await aPerson();
      const authenticator = await aPasskey(person, {
        authenticator: new Authenticator({ algorithm }),
      });
      const begun = await begin();
      expect(begun.options).to.deep.include({ rpId: 'localhost', userVerification: 'required' });
      expect(begun.options).not.to.have.property('allowCredentials');
      const answer = await finish(begun, authenticator.sign(begun.options));
      expect([answer.status, answer.body.id]).to.deep.equal([200, person.userId]);
      const cookies = answer.headers.getSetCookie();
      expect(cookies[0]).to.match(
        /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      );
      expect(cookies.slice(1).map((line) => line.split(';')[0])).to.deep.equal([
        'passkey=',
        'sign-in=',
      ]);
      expect((await signedInClient(tokenSet(answer)!).get('/me')).status).to.equal(200);
      const session = await db()('sessions')
        .where({ hash: hashToken(tokenSet(answer)!) })
        .first();
      expect(session).to.include({ method: 'passkey', second_factor: 'passkey' });
      const { lastUsedAt } = (await passkeysOf(person))[0]!;
      expect(Date.parse(lastUsedAt!)).to.be.closeTo(Date.now(), 60_000);
    });
  }

  it('replaces the session of the browser', async () => {
    const person = await aPerson();
    const authenticator = await aPasskey(person);
    const begun = await begin();
    const browser = aBrowser({ cookie: `${begun.cookie}; session=${person.token}` });
    const answer = await finish({ ...begun, browser }, authenticator.sign(begun.options));
    expect(answer.status).to.equal(200);
    expect(tokenSet(answer)).not.to.equal(person.token);
    expect((await person.api.get('/me')).status).to.equal(401);
  });

  it('refuses a signature for another challenge, host, origin or purpose, or without verification', async () => {
    const authenticator = await aPasskey(await aPerson());
    const wrongs: Wrong[] = [
      { challenge: newToken() },
      { rpId: 'evil.example' },
      { origin: 'http://evil.example' },
      { origin: stack().apiUrl },
      { type: 'webauthn.create' },
      { isVerified: false },
    ];
    for (const wrong of wrongs) {
      const answer = await signIn(authenticator, wrong);
      expect(refusal(answer), JSON.stringify(wrong)).to.deep.equal([401, WRONG_PASSKEY]);
      expect(tokenSet(answer)).to.equal(undefined);
    }
    expect((await signIn(authenticator)).status).to.equal(200);
  });

  it('answers an unknown passkey like a wrong signature, and one of another person', async () => {
    const [one, other] = [await aPasskey(await aPerson()), await aPasskey(await aPerson())];
    expect(refusal(await signIn(new Authenticator()))).to.deep.equal([401, WRONG_PASSKEY]);
    const begun = await begin();
    const good = one.sign(begun.options);
    const { id, rawId } = other.sign(begun.options);
    const { userHandle } = other;
    for (const credential of [
      // The signature of another key.
      { ...good, id, rawId },
      { ...good, id, rawId, response: { ...good.response, userHandle } },
      // The person of another passkey, or nobody.
      { ...good, response: { ...good.response, userHandle } },
      { ...good, response: { ...good.response, userHandle: null } },
      { ...good, response: { ...good.response, signature: 'AAAA' } },
    ]) {
      expect(refusal(await finish(begun, credential))).to.deep.equal([401, WRONG_PASSKEY]);
    }
    expect((await finish(begun, good)).body.id).to.equal(
      Buffer.from(one.userHandle, 'base64url').toString(),
    );
  });

  it('accepts an attempt once, also concurrently', async () => {
    const authenticator = await aPasskey(await aPerson());
    const begun = await begin();
    const credential = authenticator.sign(begun.options);
    const answers = await Promise.all([0, 1, 2].map(() => finish(begun, credential)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      200, 409, 409,
    ]);
    expect(refusal(await finish(begun, credential))).to.deep.equal([
      409,
      'The passkey has signed this already: try again',
    ]);
    // Another signature of the same challenge is no other attempt.
    const again = await finish(begun, authenticator.sign(begun.options));
    expect(again.status).to.equal(409);
  });

  it('is for the browser that began it, in each of its windows, for ten minutes', async () => {
    const authenticator = await aPasskey(await aPerson());
    const first = await begin();
    const second = await begin(first.cookie);
    const stranger = await begin();
    expect(second.cookie).to.equal(first.cookie);
    const credential = authenticator.sign(first.options);
    for (const browser of [aBrowser(), stranger.browser, aBrowser({ cookie: 'passkey=x' })]) {
      expect(refusal(await finish({ ...first, browser }, credential))).to.deep.equal([
        401,
        TOO_LATE,
      ]);
    }
    const owner = hashToken(first.cookie.slice('passkey='.length));
    const late = seal(
      { purpose: 'passkey sign-in', owner },
      JSON.stringify({ challenge: first.options.challenge, until: Date.now() - 1 }),
    );
    for (const attempt of [late, 'nonsense', first.attempt.slice(0, -4)]) {
      expect(refusal(await finish({ ...first, attempt }, credential))[1]).to.equal(TOO_LATE);
    }
    expect((await finish(first, credential)).status).to.equal(200);
    expect((await finish(second, authenticator.sign(second.options))).status).to.equal(200);
  });

  it('refuses a counter that has not grown, and accepts one that never counts', async () => {
    const counting = new Authenticator({ counts: true, isSynced: false });
    const person = await aPerson();
    await aPasskey(person, { authenticator: counting });
    expect((await signIn(counting)).status).to.equal(200);
    expect((await signIn(counting)).status).to.equal(200);
    for (const copied of [1, 0]) {
      counting.signCount = copied;
      expect(refusal(await signIn(counting))).to.deep.equal([401, WRONG_PASSKEY]);
    }
    counting.signCount = 8;
    expect((await signIn(counting)).status).to.equal(200);
    const synced = await aPasskey(await aPerson());
    for (let at = 0; at < 3; at += 1) expect((await signIn(synced)).status).to.equal(200);
  });

  it('is limited per network, like passwords', async () => {
    const authenticator = await aPasskey(await aPerson());
    const begun = await begin();
    const credential = authenticator.sign(begun.options, { rpId: 'evil.example' });
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) statuses.push((await finish(begun, credential)).status);
    expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 401), 429]);
    // Nobody else is locked out.
    expect((await signIn(authenticator)).status).to.equal(200);
  });

  it('is refused from other sites, of disabled people, and after the removal', async () => {
    const person = await aPerson();
    const authenticator = await aPasskey(person);
    for (const path of ['/auth/passkeys/start', '/auth/passkeys']) {
      const from = aBrowser({ 'sec-fetch-site': 'cross-site' });
      expect((await from.post(path, {})).status).to.equal(403);
    }
    await setDisabled(db(), person.userId, true);
    expect(refusal(await signIn(authenticator))).to.deep.equal([401, 'The account is disabled']);
    await setDisabled(db(), person.userId, false);
    await db()('passkeys').where({ user_id: person.userId }).delete();
    expect(refusal(await signIn(authenticator))).to.deep.equal([401, WRONG_PASSKEY]);
  });

  it('refuses damaged signatures and huge bodies, and keeps answering', async () => {
    const authenticator = await aPasskey(await aPerson());
    const begun = await begin();
    const good = authenticator.sign(begun.options);
    const names = ['clientDataJSON', 'authenticatorData', 'signature'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.option(fc.nat()),
        async (name, at, change, end) => {
          const bytes = Buffer.from(good.response[name] as string, 'base64url');
          const length = end === null ? bytes.length : end % bytes.length;
          bytes[at % bytes.length] = bytes[at % bytes.length]! ^ change;
          const damaged = bytes.subarray(0, length).toString('base64url') || 'AA';
          const browser = aBrowser({ cookie: begun.cookie });
          const response = { ...good.response, [name]: damaged };
          const answer = await finish({ ...begun, browser }, { ...good, response });
          expect(refusal(answer)).to.deep.equal([401, WRONG_PASSKEY]);
        },
      ),
      { numRuns: 60 },
    );
    for (const name of names) {
      const response = { ...good.response, [name]: 'A'.repeat(17_000) };
      expect((await finish(begun, { ...good, response })).status).to.equal(422);
    }
    expect((await finish(begun, good)).status).to.equal(200);
  });
});

describe('the passkeys of a person', () => {
  it('are renamed', async () => {
    const person = await aPerson();
    const { recordId } = await aPasskey(person);
    const rename = (name: unknown, id = recordId) =>
      person.api.patch(`/me/passkeys/${id}`, { name });
    expect((await rename(' Tablet ')).body.name).to.equal('Tablet');
    expect((await passkeysOf(person))[0]!.name).to.equal('Tablet');
    for (const name of ['', ' ', 'a'.repeat(101), 7]) {
      expect((await rename(name)).status).to.equal(422);
    }
    expect(refusal(await rename('a', 'pass_none'))).to.deep.equal([
      404,
      'There is no passkey "pass_none"',
    ]);
  });

  it('are nobody else’s', async () => {
    const [one, other] = [await aPerson(), await aPerson()];
    const { recordId } = await aPasskey(one);
    expect(await passkeysOf(other)).to.deep.equal([]);
    const answers = [
      await other.api.patch(`/me/passkeys/${recordId}`, { name: 'a' }),
      await other.api.post(`/me/passkeys/${recordId}/remove`, {}),
    ];
    for (const answer of answers) expect(answer.status).to.equal(404);
    expect((await passkeysOf(one))[0]!.name).to.equal('Phone');
    const { api } = await aWorkspace();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['POST', '/setup'],
      ['PATCH', `/${recordId}`],
      ['POST', `/${recordId}/remove`],
    ] as const) {
      const body = method === 'GET' ? undefined : {};
      expect((await aBrowser().send(method, `/me/passkeys${path}`, body)).status).to.equal(401);
      expect((await api.send(method, `/me/passkeys${path}`, body)).status).to.be.oneOf([403, 422]);
    }
  });

  it('are removed after a confirmation, which ends the sessions that began with them', async () => {
    const world = await aWorkspace();
    const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const confirmation = { currentPassword: PASSWORD };
    const authenticator = await aPasskey(person, { confirmation });
    const remove = (body: object) =>
      person.api.post(`/me/passkeys/${authenticator.recordId}/remove`, body);
    const byPasskey = signedInClient(tokenSet(await signIn(authenticator))!);
    const byPassword = await aSession(person.userId);
    expect(refusal(await remove({}))).to.deep.equal([422, 'currentPassword is required']);
    expect((await remove({ currentPassword: 'x' })).status).to.equal(422);
    expect((await byPasskey.get('/me')).status).to.equal(200);
    expect((await remove(confirmation)).status).to.equal(204);
    expect((await byPasskey.get('/me')).status).to.equal(401);
    expect((await byPassword.api.get('/me')).status).to.equal(200);
    expect((await person.api.get('/me')).body.passkeys).to.equal(0);
    expect(refusal(await signIn(authenticator))).to.deep.equal([401, WRONG_PASSKEY]);
    expect((await remove(confirmation)).status).to.equal(404);
    expect(await actionsOf(world, person.userId)).to.deep.equal([
      'passkey.delete',
      'passkey.create',
    ]);
  });

  it('stay if they are the only way to sign in, also concurrently', async () => {
    const person = await aPerson();
    const passkeys = [await aPasskey(person), await aPasskey(person)];
    const sessions = await Promise.all(
      passkeys.map(async (passkey) => ({
        id: passkey.recordId,
        api: signedInClient(tokenSet(await signIn(passkey))!),
      })),
    );
    const remove = ({ id, api }: (typeof sessions)[number], body = {}) =>
      api.post(`/me/passkeys/${id}/remove`, body);
    const answers = await Promise.all(sessions.map((session) => remove(session)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([204, 409]);
    const left = sessions[answers.findIndex(({ status }) => status === 409)]!;
    expect(refusal(await remove(left))).to.deep.equal([
      409,
      'The passkey is your only way to sign in: set a password or add another passkey first',
    ]);
    await left.api.patch('/me', { password: PASSWORD });
    expect((await remove(left, { currentPassword: PASSWORD })).status).to.equal(204);
  });

  it('end with the first proof of the email address, and are for operators after a loss', async () => {
    const unproven = await aPerson({ isVerified: false });
    const taken = await aPasskey(unproven);
    await createSignInLink(db(), unproven.email);
    expect(refusal(await signIn(taken))).to.deep.equal([401, WRONG_PASSKEY]);

    const world = await aWorkspace();
    const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    await aPasskey(person, { confirmation: { currentPassword: PASSWORD } });
    expect(await removeLostPasskeys(db(), person.email)).to.deep.equal({
      id: person.userId,
      removed: 1,
      endedSessions: 1,
    });
    expect((await person.api.get('/me')).status).to.equal(401);
    const [entry] = (await world.api.get('/audit-log', { action: 'passkey.delete' })).body;
    expect(entry.actor.name).to.equal('operator');
    expect(await removeLostPasskeys(db(), person.email)).to.include({ removed: 0 });
  });

  it('are deleted with the person', async () => {
    const { userId, api } = await aPerson();
    await aPasskey({ api });
    await db()('users').where({ id: userId }).delete();
    expect(await db()('passkeys').where({ user_id: userId })).to.deep.equal([]);
  });
});

describe('a passkey in a workspace that requires a second factor', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
    const owner = await aPerson({ in: { ...world, role: 'owner' } });
    await aPasskey(owner);
    const answer = await owner.api.patch('/workspace', { requireSecondFactor: true });
    expect(answer.status).to.equal(200);
  });

  it('opens it in the session that adds it and by signing in, and not by a password', async () => {
    const member = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    expect((await member.api.get('/links')).status).to.equal(403);
    const authenticator = await aPasskey(member, { confirmation: { currentPassword: PASSWORD } });
    expect((await member.api.get('/links')).status).to.equal(200);
    const open = async (answer: ApiAnswer) =>
      (await signedInClient(tokenSet(answer)!, world.slug).get('/links')).status;
    expect(await open(await signIn(authenticator))).to.equal(200);
    const { email } = member;
    const byPassword = await aBrowser().post('/auth/sign-in', { email, password: PASSWORD });
    expect(byPassword.status).to.equal(200);
    expect(await open(byPassword)).to.equal(403);
  });

  it('closes it with its removal, unless a code of the app has confirmed it', async () => {
    const member = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const confirmation = { currentPassword: PASSWORD };
    const first = await aPasskey(member, { confirmation });
    await member.api.post(`/me/passkeys/${first.recordId}/remove`, confirmation);
    expect((await member.api.get('/links')).status).to.equal(403);

    const second = await aPasskey(member, { confirmation });
    const signedIn = signedInClient(tokenSet(await signIn(second))!, world.slug);
    const app = await anAuthenticator({ ...member, api: signedIn }, PASSWORD);
    expect((await signedIn.get('/me')).body.secondFactor).not.to.equal(null);
    const code = await app.code();
    const path = `/me/passkeys/${second.recordId}/remove`;
    expect((await signedIn.post(path, { ...confirmation, code })).status).to.equal(204);
    expect((await signedIn.get('/links')).status).to.equal(200);
  });
});

describe('a person with a passkey and no authenticator app', () => {
  const confirmation = { currentPassword: PASSWORD };
  const FIRST = [403, 'Sign in with a passkey first'];

  it('changes second factors in no session of somebody who knows the password alone', async () => {
    const person = await aPerson({ password: PASSWORD });
    const passkey = await aPasskey(person, { confirmation });
    const { api, sessionId } = await aSession(person.userId);
    const { secret, setup } = (await person.api.post('/me/second-factor/setup')).body;
    const code = totpCode(secret, stepAt(Date.now()));
    const addApp = (by: ApiClient) =>
      by.post('/me/second-factor', { ...confirmation, setup, code });
    const remove = (by: ApiClient) =>
      by.post(`/me/passkeys/${passkey.recordId}/remove`, confirmation);
    for (const answer of [
      await api.post('/me/passkeys/setup', confirmation),
      await remove(api),
      await api.post('/me/second-factor/setup'),
      await addApp(api),
    ]) {
      expect(refusal(answer)).to.deep.equal(FIRST);
    }
    // A new password changes nothing.
    const changed = { ...confirmation, password: 'another good password' };
    expect((await api.patch('/me', changed)).status).to.equal(200);
    const next = { currentPassword: changed.password };
    expect(refusal(await api.post('/me/passkeys/setup', next))).to.deep.equal(FIRST);
    const session = await db()('sessions').where({ id: sessionId }).first();
    expect(session.second_factor).to.equal(null);

    const signedIn = signedInClient(tokenSet(await signIn(passkey))!);
    await aPasskey({ api: signedIn }, { confirmation: next });
    const { body } = await signedIn.post('/me/second-factor/setup');
    const made = await signedIn.post('/me/second-factor', {
      ...next,
      setup: body.setup,
      code: totpCode(body.secret, stepAt(Date.now())),
    });
    expect(made.status).to.equal(201);
  });

  it('adds none in a session that was about to before the passkey was there', async () => {
    const person = await aPerson({ password: PASSWORD });
    const { api, sessionId } = await aSession(person.userId);
    const { options, setup } = (await api.post('/me/passkeys/setup', confirmation)).body;
    await aPasskey(person, { confirmation });
    const credential = new Authenticator().create(options);
    const answer = await api.post('/me/passkeys', { setup, name: 'a', credential });
    expect(refusal(answer)).to.deep.equal(FIRST);
    // The job of an app finds a passkey that was added since the request.
    const job = secondFactorHandlers.find(({ job: { name } }) => name === 'secondFactor.create')!;
    const data = {
      userId: person.userId,
      keptId: sessionId,
      at: new Date().toISOString(),
      passwordVersion: 0,
      secret: 'sealed',
      step: 1,
      hashes: ['a'],
    };
    const log = pino({ level: 'silent' });
    const run = job.run(data, { jobId: newId('job'), projectId: '', isRepeat: false, log });
    expect(await run.catch((thrown: Error) => thrown.message)).to.equal(FIRST[1]);
    expect(await db()('second_factors').where({ user_id: person.userId })).to.deep.equal([]);
  });

  it('begins again after the operator has removed the lost passkeys', async () => {
    const person = await aPerson({ password: PASSWORD });
    await aPasskey(person, { confirmation });
    await removeLostPasskeys(db(), person.email);
    await aPasskey(await aSession(person.userId), { confirmation });
  });
});

describe('an installation without passkeys', () => {
  for (const [url, isPossible] of [
    ['http://links.example.com', false],
    ['https://203.0.113.7', false],
    ['https://[2001:db8::1]', false],
    ['http://127.0.0.1:3000', false],
    ['https://links.example.com', true],
    ['http://links.localhost:3000', true],
  ] as const) {
    it(`${isPossible ? 'is not' : 'is'} that of ${url}`, async () => {
      const api = new OneProcess('api', { BASE_URL: url, API_PORT: '0', HEALTH_PORT: '0' });
      try {
        const { port } = await api.logged('API is listening');
        const origin = `http://127.0.0.1:${String(port)}`;
        const methods = (await (await fetch(`${origin}/auth/methods`)).json()) as object;
        expect(methods).to.include({ passkey: isPossible });
        const start = await fetch(`${origin}/auth/passkeys/start`, {
          method: 'POST',
          headers: { 'sec-fetch-site': 'same-origin' },
        });
        expect(start.status).to.equal(isPossible ? 200 : 404);
        const body = (await start.json()) as {
          error?: { message: string };
          options?: { rpId: string };
        };
        if (isPossible) {
          expect(body.options?.rpId).to.equal(new URL(url).hostname);
        } else {
          expect(body.error?.message).to.equal(
            'This installation has no passkeys: they need a BASE_URL with https and a host name, or localhost',
          );
        }
      } finally {
        await api.stop();
      }
    });
  }
});

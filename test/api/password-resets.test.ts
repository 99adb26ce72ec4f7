import { expect } from 'chai';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { seal, unseal } from '../../src/infra/seal.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { sendMail } from '../../src/mail/send.ts';
import { createSignInAddress, setDisabled } from '../../src/users/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import {
  aBrowser,
  aPerson,
  aSession,
  type NewPerson,
  signedInClient,
  tokenOf,
  tokenSet,
} from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const PASSWORD = 'a good long password';
const NEW_PASSWORD = 'another good long password';

const request = (email: string, browser = aBrowser()) =>
  browser.post('/auth/password-resets', { email });
const lookup = (token: string) => aBrowser().post('/auth/password-resets/lookup', { token });
const complete = (token: string, password = NEW_PASSWORD) =>
  aBrowser().post('/auth/password-resets/complete', { token, password });
const signIn = (email: string, password: string) =>
  aBrowser().post('/auth/sign-in', { email, password });

/** Creates a person with a mailbox of lower-case letters, as mail servers deliver to. */
async function aReader(options: NewPerson = { password: PASSWORD }) {
  const person = await aPerson(options);
  const email = person.email.toLowerCase();
  await db()('users').where({ id: person.userId }).update({ email });
  return { ...person, email };
}

/** Resolves with the links that an email address received, once there are this many. */
async function links(email: string, count = 1): Promise<string[]> {
  const mails = await stack().mail.arrived(email, count);
  return mails.flatMap(({ body }) => /http\S+\/sign-in\/reset#[\w-]{43}/.exec(body) ?? []);
}

/** Requests a reset, and resolves with the token in the mail. */
async function mailedToken(email: string): Promise<string> {
  const before = stack().mail.to(email).length;
  expect((await request(email)).status).to.equal(204);
  return tokenOf((await links(email, before + 1)).at(-1)!);
}

/** Resolves once the workers have run all resets that were requested before. */
async function allRun(): Promise<void> {
  // Requests are jobs of one queue; a later one is mailed after the earlier ones have run.
  const { email } = await aReader();
  await mailedToken(email);
}

describe('resetting a forgotten password', () => {
  it('mails a link that sets a new password once, and ends all sessions and links', async () => {
    const world = await aWorkspace();
    const person = await aReader({ in: { ...world, role: 'member' }, password: PASSWORD });
    const { userId, email } = person;
    const other = await aSession(userId);
    const oneTime = tokenOf(await createSignInAddress(db(), userId));
    const [mail] = await (async () => {
      expect((await request(` ${email.toUpperCase()} `)).status).to.equal(204);
      return stack().mail.arrived(email);
    })();
    expect(mail!.headers.get('subject')).to.equal('Reset your password');
    expect(mail!.headers.get('auto-submitted')).to.equal('auto-generated');
    expect(mail!.body).to.contain('The link works once, within one hour.');
    const [link] = await links(email);
    expect(link).to.match(/\/console\/sign-in\/reset#[\w-]{43}$/);
    const token = tokenOf(link!);
    expect((await lookup(token)).body).to.deep.equal({ email });
    const answer = await complete(token);
    expect([answer.status, answer.body]).to.deep.equal([204, undefined]);
    expect(answer.headers.get('set-cookie')).to.equal(null);
    for (const { api } of [person, other]) expect((await api.get('/me')).status).to.equal(401);
    expect((await aBrowser().post('/auth/links', { token: oneTime })).status).to.equal(401);
    expect((await signIn(email, PASSWORD)).status).to.equal(401);
    const entered = await signIn(email, NEW_PASSWORD);
    expect(entered.status).to.equal(200);
    for (const again of [await lookup(token), await complete(token, 'a third long password')]) {
      expect([again.status, again.body.error.message]).to.deep.equal([
        401,
        'The link to reset the password has been used or has expired',
      ]);
    }
    const me = signedInClient(tokenSet(entered)!);
    expect((await me.get('/me')).body).to.include({ needsCurrentPassword: true });
    const [entry] = (await world.api.get('/audit-log', { action: 'password.reset' })).body;
    expect(entry.target).to.include({ kind: 'member', id: userId });
    expect(entry.actor.userId).to.equal(userId);
  });

  it('stores only the hash of the token, and the mail no longer once it is sent', async () => {
    const { userId, email } = await aReader();
    const token = await mailedToken(email);
    const row = await db()('password_resets').where({ user_id: userId }).first();
    expect(row.hash).to.equal(hashToken(token));
    expect(JSON.stringify(row)).not.to.contain(token);
    await eventually(async () => {
      const mail = await db()('mails').where({ recipient: email }).first();
      expect(mail).to.include({ state: 'sent', content: null, project_id: null });
    });
  });

  it('mails no link that has expired', async () => {
    const { userId } = await aReader();
    const email = `refused-${userId.toLowerCase()}@people.test`;
    await db()('users').where({ id: userId }).update({ email });
    expect((await request(email)).status).to.equal(204);
    // The content of a refused mail stays.
    const { id, content } = await eventually(async () => {
      const mail = await db()('mails').where({ recipient: email, state: 'refused' }).first();
      expect(mail).not.to.equal(undefined);
      return mail;
    });
    const sealedFor = { purpose: 'mail', owner: '' } as const;
    const message = JSON.parse(unseal(sealedFor, content));
    const reset = await db()('password_resets').where({ user_id: userId }).first();
    expect(message.expiresAt).to.equal(reset.expires_at.toISOString());
    const expired = { ...message, expiresAt: new Date(Date.now() - 1).toISOString() };
    const recipient = email.replace('refused', 'late');
    await db()('mails')
      .where({ id })
      .update({ state: 'pending', recipient, content: seal(sealedFor, JSON.stringify(expired)) });
    await sendMail({ mailId: id }, { log: pino({ level: 'silent' }) });
    expect(await db()('mails').where({ id })).to.deep.equal([]);
    expect(stack().mail.to(recipient)).to.deep.equal([]);
  });

  it('answers an unknown email address and a disabled account the same, and mails nothing', async () => {
    const [known, disabled] = [await aReader(), await aReader()];
    await setDisabled(db(), disabled.userId, true);
    const unknown = `${newId('user').toLowerCase()}@people.test`;
    const answers = [];
    for (const email of [known.email, disabled.email, unknown, 'no email address']) {
      const { status, body, headers } = await request(email);
      const names = [...headers.keys()].filter((name) => !/^(date|x-request-id)$/.test(name));
      answers.push({ status, body, names: names.toSorted() });
    }
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    await allRun();
    expect(stack().mail.to(known.email)).to.have.length(1);
    for (const email of [disabled.email, unknown]) {
      expect(stack().mail.to(email)).to.deep.equal([]);
    }
  });

  it('answers without waiting for the job', async () => {
    const { userId, email } = await aReader();
    // The job waits for this lock; the answer does not.
    const trx = await db().transaction();
    try {
      await trx('users').where({ id: userId }).forUpdate().first('id');
      expect((await request(email)).status).to.equal(204);
    } finally {
      await trx.rollback();
    }
    await stack().mail.arrived(email);
  });

  it('works once for concurrent requests', async () => {
    const { email } = await aReader();
    const token = await mailedToken(email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(token)));
    expect(answers.filter(({ status }) => status === 204)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 401)).to.have.length(7);
  });

  it('keeps an earlier link valid until one is used', async () => {
    const { email } = await aReader();
    const [first, second] = [await mailedToken(email), await mailedToken(email)];
    expect((await complete(first)).status).to.equal(204);
    expect((await complete(second)).status).to.equal(401);
  });

  it('answers 401 to links that have expired, or after the password has changed', async () => {
    const [late, changed] = [await aReader(), await aReader()];
    const expired = await mailedToken(late.email);
    await db()('password_resets')
      .where({ user_id: late.userId })
      .update({ expires_at: new Date() });
    const outdated = await mailedToken(changed.email);
    const change = { password: NEW_PASSWORD, currentPassword: PASSWORD };
    expect((await changed.api.patch('/me', change)).status).to.equal(200);
    for (const token of [expired, outdated, newToken(), 'unknown']) {
      expect((await lookup(token)).status).to.equal(401);
      expect((await complete(token)).status).to.equal(401);
    }
    expect((await signIn(late.email, PASSWORD)).status).to.equal(200);
  });

  it('answers 401 once the account is disabled', async () => {
    const { userId, email } = await aReader();
    const token = await mailedToken(email);
    await setDisabled(db(), userId, true);
    expect((await complete(token)).status).to.equal(401);
  });

  it('refuses weak passwords and bad input, and the link stays valid', async () => {
    const { email } = await aReader();
    const token = await mailedToken(email);
    for (const password of ['short', email, '1234567890', 'a'.repeat(201)]) {
      const { status, body } = await complete(token, password);
      expect([status, body.error.message.startsWith('password must')]).to.deep.equal([422, true]);
    }
    const bodies: [path: string, body: object, message: string][] = [
      ['', {}, 'email is required'],
      ['', { email: 1 }, 'email must'],
      ['', { email: 'a'.repeat(255) }, 'email must'],
      ['', { email, name: 'a' }, 'name is not'],
      ['/lookup', {}, 'token is required'],
      ['/complete', { token }, 'password is required'],
      ['/complete', { password: NEW_PASSWORD }, 'token is required'],
    ];
    for (const [path, body, message] of bodies) {
      const answer = await aBrowser().post(`/auth/password-resets${path}`, body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.contain(message);
    }
    expect((await complete(token)).status).to.equal(204);
  });

  it('is for the console only', async () => {
    const abroad = aBrowser({ 'sec-fetch-site': 'cross-site' });
    for (const path of ['', '/lookup', '/complete']) {
      expect((await abroad.post(`/auth/password-resets${path}`, {})).status).to.equal(403);
    }
  });

  it('mails an account at most three times an hour, and the answer does not tell', async () => {
    const { userId, email } = await aReader();
    for (let at = 0; at < 5; at += 1) expect((await request(email)).status).to.equal(204);
    await stack().mail.arrived(email, 3);
    await allRun();
    expect(stack().mail.to(email)).to.have.length(3);
    await db()('password_resets')
      .where({ user_id: userId })
      .update({ created_at: db().raw("now() - interval '61 minutes'") });
    await request(email);
    await stack().mail.arrived(email, 4);
  });

  it('is limited per network', async () => {
    const browser = aBrowser();
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      statuses.push((await request(`nobody-${at}@people.test`, browser)).status);
    }
    expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 204), 429]);
  });

  it('unlocks an account after too many wrong passwords', async () => {
    const { email } = await aReader();
    for (let at = 0; at < 5; at += 1) await signIn(email, 'wrong');
    expect((await signIn(email, PASSWORD)).status).to.equal(429);
    expect((await complete(await mailedToken(email))).status).to.equal(204);
    expect((await signIn(email, NEW_PASSWORD)).status).to.equal(200);
  });

  it('sets the first password of an account without one', async () => {
    const { email } = await aReader({});
    expect((await complete(await mailedToken(email))).status).to.equal(204);
    expect((await signIn(email, NEW_PASSWORD)).status).to.equal(200);
  });

  it('verifies the email address, and so ends the access of whoever had the account before', async () => {
    const world = await aWorkspace();
    const before = await aReader({
      in: { ...world, role: 'member' },
      password: PASSWORD,
      isVerified: false,
    });
    expect((await complete(await mailedToken(before.email))).status).to.equal(204);
    const { body } = await signIn(before.email, NEW_PASSWORD);
    expect(body.workspaces).to.deep.equal([]);
    expect(body.invitations).to.have.length(1);
    expect((await before.api.get('/me')).status).to.equal(401);
  });

  it('answers 404 where no email is sent, and says so beforehand', async function () {
    expect((await aBrowser().get('/auth/methods')).body.passwordReset).to.equal(true);
    const settings = { SMTP_URL: undefined, MAIL_FROM: undefined, API_PORT: '0', HEALTH_PORT: '0' };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const origin = `http://127.0.0.1:${String(port)}`;
      const methods = await fetch(`${origin}/auth/methods`);
      expect(await methods.json()).to.include({ passwordReset: false });
      const { email } = await aReader();
      const answers = [];
      for (const sent of [email, 'nobody@people.test']) {
        const answer = await fetch(`${origin}/auth/password-resets`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ email: sent }),
        });
        const { error } = (await answer.json()) as { error: { message: string } };
        answers.push([answer.status, error.message]);
      }
      const refusal = 'This installation sends no email: ask its operator for a sign-in link';
      expect(answers).to.deep.equal([
        [404, refusal],
        [404, refusal],
      ]);
    } finally {
      await api.stop();
    }
  });
});

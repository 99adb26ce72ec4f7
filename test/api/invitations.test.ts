import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { pruneInvitations } from '../../src/invitations/commands.ts';
import type { Role } from '../../src/workspaces/roles.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import {
  aBrowser,
  aPerson,
  mailedInvitations,
  type Person,
  signedInClient,
  tokenOf,
  tokenSet,
} from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const PASSWORD = 'a good long password';
const GONE = /^The invitation has expired, or has been accepted or withdrawn/;

describe('invitations', () => {
  let world: World;
  let owner: Person;
  let email: string;
  /** Number of mails sent to each address. */
  const mailed = new Map<string, number>();

  beforeEach(async () => {
    world = await aWorkspace();
    owner = await aPerson({ in: { ...world, role: 'owner' } });
    email = `${newId('user').toLowerCase()}@people.test`;
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  async function invite(role: Role = 'member', whom = email): Promise<any> {
    const { status, body } = await owner.api.post('/invitations', { email: whom, role });
    expect(status, JSON.stringify(body)).to.equal(201);
    const count = (mailed.get(whom.toLowerCase()) ?? 0) + 1;
    mailed.set(whom.toLowerCase(), count);
    const addresses = await mailedInvitations(whom, count);
    return { ...body, token: tokenOf(addresses.at(-1)!), address: addresses.at(-1) };
  }
  const accept = (token: string, fields: object = {}, by = aBrowser()) =>
    by.post('/invitations/accept', { token, ...fields });
  /**
   * Opens a browser of a signed-in person at a new address, since attempts are limited per address.
   */
  const browserOf = ({ token }: { token: string }) => aBrowser({ cookie: `session=${token}` });
  const lookup = (token: string) => aBrowser().post('/invitations/lookup', { token });
  const account = { name: 'Ada', password: PASSWORD };
  const soon = () => new Date(Date.now() + 60_000);

  function refused({ status, body }: ApiAnswer, code: number, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  it('are made, listed, read and withdrawn', async () => {
    const { url, address, token, isMailed, ...record } = await invite('viewer');
    // With the URL, the sender could accept the invitation instead of the recipient.
    expect({ isMailed, url }).to.deep.equal({ isMailed: true, url: null });
    expect(address).to.match(/^http:\/\/localhost:\d+\/console\/invitation#/);
    expect(token).to.match(/^[\w-]{43}$/);
    const { id, createdAt, expiresAt } = record;
    expect(record).to.deep.equal({
      id,
      email,
      role: 'viewer',
      limits: null,
      invitedBy: owner.userId,
      createdAt,
      expiresAt,
    });
    const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
    expect(days).to.be.closeTo(7, 0.01);
    expect((await owner.api.get('/invitations')).body).to.deep.equal([record]);
    expect((await owner.api.get(`/invitations/${id}`)).body).to.deep.equal(record);
    expect((await owner.api.delete(`/invitations/${id}`)).body).to.deep.equal({ id });
    expect((await owner.api.get('/invitations')).body).to.deep.equal([]);
    expect((await owner.api.get(`/invitations/${id}`)).status).to.equal(404);
    expect((await owner.api.delete(`/invitations/${id}`)).status).to.equal(404);
    refused(await lookup(token), 410, GONE);
    refused(await accept(token, account), 410, GONE);
  });

  it('make an account for a person without one, who is signed in and belongs to the workspace', async () => {
    const { token } = await invite('member');
    expect((await lookup(token)).body).to.deep.equal({
      workspace: { name: world.slug, slug: world.slug },
      email,
      role: 'member',
    });
    const answer = await accept(token, account);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const { id: userId } = answer.body;
    expect(answer.body).to.deep.include({ email, name: 'Ada', hasPassword: true });
    expect(answer.body.workspaces.map(({ slug, role }: never) => [slug, role])).to.deep.equal([
      [world.slug, 'member'],
    ]);
    const api = signedInClient(tokenSet(answer)!, world.slug);
    expect((await api.post('/tags', { name: 'a' })).status).to.equal(201);
    const again = await aBrowser().post('/auth/sign-in', { email, password: PASSWORD });
    expect(again.status).to.equal(200);
    const [entry] = (await owner.api.get('/audit-log', { action: 'invitation.accept' })).body;
    expect(entry).to.deep.include({
      target: { kind: 'member', id: userId, name: 'Ada' },
      actor: { userId, name: 'Ada' },
    });
  });

  it('add a signed-in person to another workspace, who stays signed in', async () => {
    const elsewhere = await aWorkspace();
    const person = await aPerson({ in: { ...elsewhere, role: 'owner' } });
    const { token } = await invite('viewer', person.email.toUpperCase());
    // The answer does not reveal that the address has an account.
    expect(Object.keys((await lookup(token)).body)).to.have.members(['workspace', 'email', 'role']);
    const answer = await accept(token, {}, person.api);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.headers.get('set-cookie')).to.equal(null);
    expect(answer.body.workspaces.map(({ slug }: { slug: string }) => slug)).to.have.members([
      world.slug,
      elsewhere.slug,
    ]);
    expect((await signedInClient(person.token, world.slug).get('/links')).status).to.equal(200);
  });

  it('prove the address by the mailed token: what was done with the account before ends', async () => {
    const elsewhere = await aWorkspace();
    const before = await aPerson({
      in: { ...elsewhere, role: 'owner' },
      password: 'the password of Mallory',
      isVerified: false,
    });
    const key = (await before.api.post('/keys', { name: 'kept', scopes: ['*'] })).body.key;
    email = before.email;
    const { token } = await invite('member');
    expect((await before.api.get('/me')).body.invitations).to.deep.equal([]);
    refused(await accept(token), 422, /^name is required; password is required/);
    refused(
      await accept(token, {}, browserOf(before)),
      422,
      /^name is required; password is required/,
    );
    const answer = await accept(token, account);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.deep.include({ id: before.userId, email, name: 'Ada' });
    const slugs = (entries: { slug: string }[]) => entries.map(({ slug }) => slug);
    expect(slugs(answer.body.workspaces)).to.deep.equal([world.slug]);
    const [offered, ...others] = answer.body.invitations;
    expect(others).to.deep.equal([]);
    expect(offered).to.deep.include({ role: 'owner', invitedBy: null });
    expect(offered.workspace.slug).to.equal(elsewhere.slug);
    expect((await before.api.get('/me')).status).to.equal(401);
    expect((await new ApiClient(key).get('/links')).status).to.equal(401);
    const signIn = (password: string) => aBrowser().post('/auth/sign-in', { email, password });
    expect((await signIn('the password of Mallory')).status).to.equal(401);
    expect((await signIn(PASSWORD)).status).to.equal(200);
    const api = signedInClient(tokenSet(answer)!, elsewhere.slug);
    expect((await api.get('/links')).status).to.equal(403);
    const joined = await browserOf({ token: tokenSet(answer)! }).post('/invitations/accept', {
      id: offered.id,
    });
    expect(slugs(joined.body.workspaces)).to.have.members([world.slug, elsewhere.slug]);
    expect(joined.body.invitations).to.deep.equal([]);
    expect((await api.get('/links')).status).to.equal(200);
  });

  it('are shown to the person with the address, who accepts without the token', async () => {
    const person = await aPerson();
    email = person.email;
    const { id } = await invite('viewer');
    const workspace = { name: world.slug, slug: world.slug };
    expect((await person.api.get('/me')).body.invitations).to.deep.equal([
      { id, workspace, role: 'viewer', invitedBy: owner.email },
    ]);
    const other = await aPerson();
    const unproven = await aPerson({ isVerified: false });
    for (const another of [other, unproven]) {
      refused(await browserOf(another).post('/invitations/accept', { id }), 410, GONE);
    }
    expect((await aBrowser().post('/invitations/accept', { id })).status).to.equal(401);
    const answer = await browserOf(person).post('/invitations/accept', { id });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body.workspaces).to.have.length(1);
    refused(await browserOf(person).post('/invitations/accept', { id }), 410, GONE);
    const both = await browserOf(person).post('/invitations/accept', { id, token: 'a' });
    expect(both.status).to.equal(422);
    expect((await browserOf(person).post('/invitations/accept', {})).status).to.equal(422);
  });

  it('are valid once', async () => {
    const { token } = await invite();
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token, account)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, 410, 410, 410, 410]);
    refused(await accept(token, account), 410, GONE);
    refused(await lookup(token), 410, GONE);
    expect((await owner.api.get('/invitations')).body).to.deep.equal([]);
  });

  it('are for nobody else: neither for another account, nor for whoever is not signed in', async () => {
    const person = await aPerson();
    const other = await aPerson();
    const { token } = await invite('owner', person.email);
    refused(await accept(token, account), 401, /^Sign in as ".*" first/);
    refused(await accept(token, {}, other.api), 403, /^The invitation is for ".*": sign out first/);
    const { token: forNew } = await invite('owner');
    refused(await accept(forNew, account, other.api), 403, /sign out first/);
    expect((await accept(token, {}, person.api)).status).to.equal(200);
  });

  it('expire after 7 days, and are deleted then', async () => {
    const { id, token } = await invite();
    const expires_at = new Date(Date.now() - 1_000);
    await db()('invitations').where({ id }).update({ expires_at });
    refused(await lookup(token), 410, GONE);
    refused(await accept(token, account), 410, GONE);
    expect((await owner.api.get('/invitations')).body).to.deep.equal([]);
    expect((await owner.api.get(`/invitations/${id}`)).status).to.equal(404);
    await pruneInvitations();
    expect(await db()('invitations').where({ id })).to.deep.equal([]);
  });

  it('of the same address replace the earlier one', async () => {
    const first = await invite('viewer');
    const second = await invite('owner', email.toUpperCase());
    refused(await lookup(first.token), 410, GONE);
    expect((await lookup(second.token)).body.role).to.equal('owner');
    expect((await owner.api.get('/invitations')).body).to.have.length(1);
    const other = `another-${email}`;
    const body = { email: other, role: 'member' };
    await Promise.all([1, 2, 3].map(() => owner.api.post('/invitations', body)));
    const many = await mailedInvitations(other, 3);
    const found = await Promise.all(many.map((address) => lookup(tokenOf(address))));
    expect(found.filter(({ status }) => status === 200)).to.have.length(1);
  });

  it('are refused for a person of the workspace', async () => {
    const already = /^The person ".*" is already in the workspace/;
    const body = { email: owner.email.toUpperCase(), role: 'viewer' };
    refused(await owner.api.post('/invitations', body), 409, already);
    const person = await aPerson();
    const { token } = await invite('viewer', person.email);
    const row = { project_id: world.projectId, user_id: person.userId, role: 'member' };
    await db()('workspace_users').insert(row);
    refused(await accept(token, {}, person.api), 409, /^You are already in the workspace/);
  });

  it('ask for a name and a good password of a new person', async () => {
    const { token } = await invite();
    refused(await accept(token), 422, /^name is required; password is required/);
    refused(await accept(token, { name: 'Ada' }), 422, /^password is required/);
    refused(await accept(token, { name: 'Ada', password: 'short' }), 422, /^password must/);
    refused(
      await accept(token, { name: 'Ada', password: email }),
      422,
      /^password must not be your/,
    );
    refused(await accept(token, { ...account, email }), 422, /^email is not a known field/);
    refused(await accept(token, { name: 'Ada', password: 'password123' }), 422, /most common/);
    expect((await accept(token, account)).status).to.equal(200);
  });

  it('come from the console alone', async () => {
    const { token } = await invite();
    const abroad = aBrowser({ 'sec-fetch-site': 'cross-site' });
    expect((await abroad.post('/invitations/lookup', { token })).status).to.equal(403);
    expect((await accept(token, account, abroad)).status).to.equal(403);
    const bare = aBrowser({ 'sec-fetch-site': 'none' });
    expect((await accept(token, account, bare)).status).to.equal(403);
  });

  it('are made by owners, and for roles that may do no more than the caller', async () => {
    for (const role of ['member', 'viewer'] as const) {
      const { api } = await aPerson({ in: { ...world, role } });
      expect((await api.get('/invitations')).status).to.equal(200);
      const answer = await api.post('/invitations', { email, role });
      refused(answer, 403, /members\.write/);
    }
    const some = await world.withScopes('members.write', 'links.read');
    const answer = await some.post('/invitations', { email, role: 'owner' });
    refused(answer, 403, /^role must not be "owner", which may do more than the caller/);
  });

  it('are shown again to a repeat with the Idempotency-Key, and stored without their tokens', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { email, role: 'viewer' };
    const first = await owner.api.post('/invitations', body, { headers });
    const again = await owner.api.post('/invitations', body, { headers });
    expect(first.status).to.equal(201);
    expect(again.body).to.deep.equal(first.body);
    const [address] = await mailedInvitations(email);
    const token = tokenOf(address!);
    const jobs = await db()('jobs').where({ project_id: world.projectId });
    const rows = await db()('invitations').where({ project_id: world.projectId });
    expect(JSON.stringify([jobs, rows])).to.not.contain(token);
  });

  it('are resent with another link, which ends the earlier one', async () => {
    const first = await invite();
    await db()('invitations').where({ id: first.id }).update({ expires_at: soon() });
    const { status, body } = await owner.api.post(`/invitations/${first.id}/resend`);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { expiresAt, ...record } = body;
    expect(record).to.deep.equal({
      ...Object.fromEntries(Object.entries(first).filter(([name]) => name in record)),
      url: null,
      isMailed: true,
    });
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(6.9 * 86_400_000, 7 * 86_400_000);
    const addresses = await mailedInvitations(email, 2);
    const token = tokenOf(addresses.find((address) => address !== first.address)!);
    refused(await accept(first.token, account), 410, GONE);
    expect((await accept(token, account)).status).to.equal(200);
    const gone = await owner.api.post(`/invitations/${first.id}/resend`);
    refused(gone, 404, /^There is no invitation/);
  });

  it('are resent once by requests with one Idempotency-Key, also after they were accepted', async () => {
    const first = await invite('member');
    const headers = { 'idempotency-key': 'same' };
    const resend = (api: ApiClient) =>
      api.post(`/invitations/${first.id}/resend`, undefined, { headers });
    const sent = await resend(owner.api);
    const addresses = await mailedInvitations(email, 2);
    const token = tokenOf(addresses.find((address) => address !== first.address)!);
    expect((await accept(token, account)).status).to.equal(200);
    const again = await resend(owner.api);
    expect([again.status, again.body]).to.deep.equal([200, sent.body]);
  });

  it('are not resent once they have expired, nor by callers who may not create them', async () => {
    const { id } = await invite('owner');
    const some = await world.withScopes('members.read', 'members.write');
    const resend = (api: ApiClient) => api.post(`/invitations/${id}/resend`);
    refused(await resend(some), 403, /^role must not be "owner"/);
    refused(await resend(await world.withScopes('members.read')), 403, /members.write/);
    await db()('invitations').where({ id }).update({ expires_at: new Date() });
    refused(await resend(owner.api), 404, /^There is no invitation/);
    const { id: other } = await invite('member', owner.email.replace('@', '+1@'));
    await db()('invitations').where({ id: other }).update({ email: owner.email });
    refused(await owner.api.post(`/invitations/${other}/resend`), 409, /is already in/);
  });

  describe('that are mailed', () => {
    const inviteTo = (to: string, by = owner.api) =>
      by.post('/invitations', { email: to, role: 'viewer' });
    const addresses = (count: number) =>
      Array.from({ length: count }, () => `${newId('user').toLowerCase()}@people.test`);

    function limited({ status, headers, body }: ApiAnswer, message: RegExp): void {
      expect(status, JSON.stringify(body)).to.equal(429);
      expect(body.error).to.include({ code: 'rate_limit_exceeded' });
      expect(body.error.message).to.match(message);
      expect(Number(headers.get('retry-after'))).to.be.within(86_000, 86_400);
    }

    it('are 20 a day of a workspace, and one that is withdrawn counts', async () => {
      for (const to of addresses(20)) {
        const { status, body } = await inviteTo(to);
        expect(status).to.equal(201);
        expect((await owner.api.delete(`/invitations/${body.id}`)).status).to.equal(200);
      }
      limited(await inviteTo(email), /^A workspace sends at most 20 invitations by email/);
      expect(stack().mail.to(email)).to.deep.equal([]);
      await db()('invitation_mails')
        .where({ project_id: world.projectId })
        .update({ sent_at: new Date(Date.now() - 86_400_001) });
      expect((await inviteTo(email)).status).to.equal(201);
      await pruneInvitations();
      const left = await db()('invitation_mails').where({ project_id: world.projectId });
      expect(left).to.have.length(1);
    });

    it('are 3 to a mailbox, and those that are resent count', async () => {
      const { body } = await inviteTo(email);
      const resend = () => owner.api.post(`/invitations/${body.id}/resend`);
      expect([(await resend()).status, (await resend()).status]).to.deep.equal([200, 200]);
      const before = await db()('invitations').where({ id: body.id });
      limited(await resend(), /^An email address gets at most 3 invitations by email/);
      expect(await db()('invitations').where({ id: body.id })).to.deep.equal(before);
    });

    it('are 50 a day of a person, and 3 to a mailbox, in all workspaces', async () => {
      const rows = Array.from({ length: 50 }, (_, n) => ({
        project_id: `proj_${n % 3}`,
        invited_by: owner.userId,
        recipient: `hash ${n}`,
      }));
      await db()('invitation_mails').insert(rows);
      limited(await inviteTo(email), /^A person sends at most 50 invitations by email/);
      for (const tag of ['', '+a', '+b']) {
        const elsewhere = await aWorkspace();
        const { api } = await aPerson({ in: { ...elsewhere, role: 'owner' } });
        const to = email.replace('@', `${tag}@`).toUpperCase();
        expect((await inviteTo(to, api)).status).to.equal(201);
      }
      const elsewhere = await aWorkspace();
      const { api } = await aPerson({ in: { ...elsewhere, role: 'owner' } });
      limited(await inviteTo(email, api), /^An email address gets at most 3 invitations by email/);
    });

    it('pass no limit together', async () => {
      const answers = await Promise.all(addresses(24).map((to) => inviteTo(to)));
      expect(answers.filter(({ status }) => status === 201)).to.have.length(20);
      expect(answers.filter(({ status }) => status === 429)).to.have.length(4);
    });

    it('name who invites, and no address that the sender has chosen', async () => {
      const name =
        'Suspended: verify at https://evil.example/login, ｅｖｉｌ。example or evil․example!';
      expect((await owner.api.patch('/workspace', { name })).status).to.equal(200);
      expect((await inviteTo(email)).status).to.equal(201);
      const [mail] = await stack().mail.arrived(email);
      expect(mail!.headers.get('subject')).to.equal(`${owner.email} invites you`);
      expect(mail!.body).to.contain(
        'the workspace "Suspended verify at https evil example login, evil example or evil example"',
      );
      expect(mail!.body.replaceAll(/http:\/\/localhost:\d+\/console\/\S+/g, '')).to.not.match(
        /evil\.|https?:\/\/evil/,
      );
    });

    it('name nobody whose address is not proven', async () => {
      const unproven = await aPerson({ in: { ...world, role: 'owner' }, isVerified: false });
      expect((await inviteTo(email, unproven.api)).status).to.equal(201);
      const [mail] = await stack().mail.arrived(email);
      expect(mail!.headers.get('subject')).to.equal('Invitation to a workspace');
      expect(mail!.body).to.not.contain(unproven.email);
    });
  });

  const REFUSED: [name: string, body: object, message: RegExp][] = [
    ['no address', { role: 'viewer' }, /^email is required/],
    ['what is no address', { email: 'ada', role: 'viewer' }, /^email must/],
    ['no role', { email: 'ada@example.com' }, /^role is required/],
    ['an unknown role', { email: 'ada@example.com', role: 'admin' }, /^role must be one of/],
  ];
  for (const [name, body, message] of REFUSED) {
    it(`are not made with ${name}`, async () => {
      refused(await owner.api.post('/invitations', body), 422, message);
    });
  }
});

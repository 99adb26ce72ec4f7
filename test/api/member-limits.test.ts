import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { aBrowser, aPerson, mailedInvitations, type Person, tokenOf } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('limits of members and keys', () => {
  let world: World;
  let owner: Person;
  let member: Person;
  let folderId: string;
  let otherFolderId: string;

  beforeEach(async () => {
    world = await aWorkspace();
    owner = await aPerson({ in: { ...world, role: 'owner' } });
    member = await aPerson({ in: { ...world, role: 'member' } });
    folderId = (await owner.api.post('/folders', { name: 'Theirs' })).body.id;
    otherFolderId = (await owner.api.post('/folders', { name: 'Other' })).body.id;
  });

  function refused({ status, body }: ApiAnswer, code: number, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  async function limit(limits: object | null, { userId } = member): Promise<void> {
    const { status, body } = await owner.api.patch(`/members/${userId}`, { limits });
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  async function aLink(fields: object, { api }: Pick<Person, 'api'> = owner): Promise<string> {
    const { status, body } = await api.post('/links', { url: A, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }

  async function listed(api: ApiClient): Promise<string[]> {
    return (await api.get('/links')).body.map(({ id }: { id: string }) => id).toSorted();
  }

  /** Creates a key of the member, as an app gets it: members create no others. */
  async function aKeyOf({ userId }: Person): Promise<ApiClient> {
    const { key, id } = (await owner.api.post('/keys', { name: 'app', scopes: ['links.write'] }))
      .body;
    await db()('api_keys').where({ id }).update({ user_id: userId });
    return new ApiClient(key);
  }

  it('hold for the session and the keys of a person, from the response on', async () => {
    const theirs = await aLink({ folderId });
    const other = await aLink({});
    const key = await aKeyOf(member);
    for (const api of [member.api, key]) {
      expect(await listed(api)).to.deep.equal([theirs, other].toSorted());
    }
    await limit({ folderIds: [folderId] });
    for (const api of [member.api, key]) {
      expect(await listed(api)).to.deep.equal([theirs]);
      refused(await api.get('/audit-log'), 403, /limited to some links and QR codes/);
    }
    await limit(null);
    for (const api of [member.api, key]) expect(await listed(api)).to.have.length(2);
  });

  it('of a key and of its person hold together', async () => {
    const both = await aLink({ folderId }, member);
    await aLink({ folderId });
    await aLink({ folderId: otherFolderId }, member);
    const limits = { own: true };
    const { id, key } = (
      await owner.api.post('/keys', { name: 'app', scopes: ['links.write'], limits })
    ).body;
    await db()('api_keys').where({ id }).update({ user_id: member.userId });
    await limit({ folderIds: [folderId] });
    const api = new ApiClient(key);
    expect(await listed(api)).to.deep.equal([both]);
    await owner.api.patch(`/keys/${id}`, { limits: { folderIds: [otherFolderId] } });
    expect(await listed(api)).to.deep.equal([]);
    refused(await api.post('/links', { url: A, folderId }), 422, /^folderId: there is no folder/);
  });

  it('to own records are to those that the person and their keys create', async () => {
    await aLink({});
    await limit({ own: true });
    const own = await aLink({}, member);
    const byKey = await aLink({}, { api: await aKeyOf(member) });
    expect(await listed(member.api)).to.deep.equal([own, byKey].toSorted());
    const { body } = await member.api.get('/links/count', { userId: owner.userId });
    expect(body).to.equal(0);
  });

  it('are in the record of the member and in GET /me, with the scopes that they leave', async () => {
    await limit({ domains: [world.domain.toUpperCase()], folderIds: null, own: false });
    const limits = { folderIds: null, domains: [world.domain], own: false };
    expect((await owner.api.get(`/members/${member.userId}`)).body.limits).to.deep.equal(limits);
    const [workspace] = (await member.api.get('/me')).body.workspaces;
    expect(workspace.limits).to.deep.equal(limits);
    expect(workspace.scopes).to.include.members(['links.write', 'qrcodes.write', 'tags.read']);
    for (const scope of ['tags.write', 'webhooks.read', 'customers.read', 'conversions.write']) {
      expect(workspace.scopes).to.not.include(scope);
    }
    const entry = (await owner.api.get('/audit-log', { target: member.userId })).body[0];
    expect(entry).to.deep.include({ action: 'member.update', fields: ['limits'] });
  });

  it('are of an invitation, and then of the person who accepts it', async () => {
    const email = `${member.userId}-new@people.test`;
    const invitation = { email, role: 'viewer', limits: { folderIds: [folderId] } };
    const { body } = await owner.api.post('/invitations', invitation);
    expect(body.limits.folderIds).to.deep.equal([folderId]);
    const theirs = await aLink({ folderId });
    await aLink({});
    const invited = await aPerson();
    await db()('users').where({ id: invited.userId }).update({ email });
    const [{ id }] = (await invited.api.get('/me')).body.invitations;
    expect((await invited.api.post('/invitations/accept', { id })).status).to.equal(200);
    const { body: links } = await invited.api.get(
      '/links',
      {},
      {
        headers: { 'x-workspace': world.slug },
      },
    );
    expect(links.map((link: { id: string }) => link.id)).to.deep.equal([theirs]);
  });

  it('end for a person who becomes an owner, and are refused to owners', async () => {
    await limit({ folderIds: [folderId] });
    const path = `/members/${member.userId}`;
    const { body } = await owner.api.patch(path, { role: 'owner' });
    expect([body.role, body.limits]).to.deep.equal(['owner', null]);
    const limits = { own: true };
    refused(await owner.api.patch(path, { limits }), 422, /^limits must be null where role/);
    refused(await owner.api.patch(path, { limits, role: 'owner' }), 422, /^limits must be null/);
    expect((await owner.api.patch(path, { limits, role: 'member' })).status).to.equal(200);
    const invitation = { email: 'a@people.test', role: 'owner', limits };
    refused(await owner.api.post('/invitations', invitation), 422, /^limits must be null where/);
  });

  it('stay with the memberships that the first proof of an email address turns into invitations', async () => {
    const unproven = await aPerson({ in: { ...world, role: 'member' }, isVerified: false });
    await limit({ folderIds: [folderId] }, unproven);
    const elsewhere = await aWorkspace();
    const { email } = unproven;
    await elsewhere.api.post('/invitations', { email, role: 'viewer' });
    const [url] = await mailedInvitations(email);
    const account = { name: 'Ada', password: 'the password of Ada' };
    const proof = { token: tokenOf(url!), ...account };
    const proven = await aBrowser().post('/invitations/accept', proof);
    expect(proven.status, JSON.stringify(proven.body)).to.equal(200);
    const [{ limits }] = (await owner.api.get('/invitations')).body;
    expect(limits).to.deep.equal({ folderIds: [folderId], domains: null, own: false });
    const cookie = proven.headers.get('set-cookie')!.split(';')[0]!;
    const [{ id }] = proven.body.invitations;
    expect((await aBrowser({ cookie }).post('/invitations/accept', { id })).status).to.equal(200);
    const member = (await owner.api.get(`/members/${unproven.userId}`)).body;
    expect(member.limits).to.deep.equal(limits);
  });

  it('change only by callers with all scopes that they limit', async () => {
    const limits = { folderIds: [folderId] };
    const keyWith = async (fields: object) =>
      (await owner.api.post('/keys', { name: 'a', ...fields })).body;
    const { key } = await keyWith({ scopes: ['keys.write', 'members.write', 'links.read'] });
    const api = new ApiClient(key);
    const all = `/keys/${(await keyWith({ scopes: ['*'], limits })).id}`;
    const few = `/keys/${(await keyWith({ scopes: ['links.read'], limits })).id}`;
    const path = `/members/${member.userId}`;
    expect((await api.patch(path, { limits })).status).to.equal(200);
    for (const other of [null, { folderIds: [otherFolderId] }]) {
      refused(await api.patch(all, { limits: other }), 403, /^limits must not change: they limit/);
      refused(await api.patch(path, { limits: other }), 403, /^limits must not change: they limit/);
      expect((await api.patch(few, { limits: other })).status).to.equal(200);
    }
    for (const at of [all, path]) {
      expect((await owner.api.get(at)).body.limits.folderIds).to.deep.equal([folderId]);
      expect((await owner.api.patch(at, { limits: null })).status).to.equal(200);
    }
  });

  it('of a person do not hold for pages with a publishable key that they created', async () => {
    const creator = await aPerson({ in: { ...world, role: 'owner' } });
    const origin = 'https://shop.example';
    const publishable = { type: 'publishable', name: 'shop', origins: [origin] };
    const { key } = (await creator.api.post('/keys', publishable)).body;
    const change = { role: 'member', limits: { folderIds: [folderId] } };
    expect((await owner.api.patch(`/members/${creator.userId}`, change)).status).to.equal(200);
    const page = new ApiClient(key, { origin });
    const { status, body } = await page.post('/track/lead', {
      clickId: 'none',
      customerExternalId: 'cus-1',
      eventName: 'Sign up',
    });
    expect([status, body.error?.code], JSON.stringify(body)).to.not.include('forbidden');
    expect(status).to.equal(404);
  });

  it('name folders and domains of the workspace', async () => {
    const elsewhere = await aWorkspace();
    const { id } = (await elsewhere.api.post('/folders', { name: 'x' })).body;
    const wrong: [limits: object, message: RegExp][] = [
      [{ folderIds: [id] }, new RegExp(`^limits.folderIds: there is no folder "${id}"`)],
      [{ domains: [elsewhere.domain] }, /^limits\.domains: there is no domain/],
      [{ domains: ['no host'] }, /^limits\.domains\[0\] must be a host name/],
      [{ folderIds: [] }, /^limits\.folderIds/],
      [{ tags: ['a'] }, /^limits\.tags/],
      [{ own: 'yes' }, /^limits\.own/],
      [{}, /^limits must have folderIds, domains or own/],
      [{ own: false, folderIds: null }, /^limits must have folderIds, domains or own/],
    ];
    for (const [limits, message] of wrong) {
      refused(await owner.api.patch(`/members/${member.userId}`, { limits }), 422, message);
      refused(await owner.api.post('/keys', { name: 'a', limits }), 422, message);
      const invitation = { email: 'a@people.test', role: 'viewer', limits };
      refused(await owner.api.post('/invitations', invitation), 422, message);
    }
    expect(
      (await owner.api.post('/keys', { name: 'a', limits: { domains: ['localhost'] } })).status,
    ).to.equal(201);
    const origins = ['https://shop.example'];
    const key = { name: 'a', type: 'publishable', origins, limits: { own: true } };
    refused(await owner.api.post('/keys', key), 422, /^limits must not be set where type/);
  });

  it('to a deleted folder show nothing, and create nothing', async () => {
    await aLink({ folderId });
    await limit({ folderIds: [folderId] });
    await owner.api.delete(`/folders/${folderId}`);
    expect(await listed(member.api)).to.deep.equal([]);
    refused(await member.api.post('/links', { url: A }), 422, /^folderId must be one of/);
  });

  it('give new records the only folder and domain', async () => {
    await limit({ folderIds: [folderId], domains: ['localhost'] });
    const { body } = await member.api.post('/links', { url: A, key: `a-${world.slug}` });
    expect([body.folderId, body.domain]).to.deep.equal([folderId, 'localhost']);
    await limit({ folderIds: [folderId, otherFolderId] });
    refused(await member.api.post('/links', { url: A }), 422, /^folderId must be one of/);
    expect((await member.api.post('/links', { url: A, folderId })).status).to.equal(201);
  });

  it('hide the results of jobs from before', async () => {
    const { body } = await member.api.post(
      '/links',
      { url: A },
      {
        headers: { prefer: 'respond-async' },
      },
    );
    expect((await member.api.get(`/jobs/${body.id}`)).status).to.equal(200);
    await limit({ folderIds: [folderId] });
    expect((await member.api.get(`/jobs/${body.id}`)).status).to.equal(404);
  });

  it('stop alerts and reports by mail, which are about the whole workspace', async () => {
    const path = `/me/notifications/${world.projectId}`;
    expect((await member.api.patch(path, { alerts: [] })).status).to.equal(200);
    await limit({ own: true });
    expect((await member.api.patch(path, { alerts: [] })).status).to.equal(404);
    expect((await member.api.get('/me/notifications')).body.workspaces).to.deep.equal([]);
  });
});

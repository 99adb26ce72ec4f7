import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import type { Role } from '../../src/workspaces/roles.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson, type Person } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

describe('the people of a workspace', () => {
  let world: World;
  let owner: Person;

  beforeEach(async () => {
    world = await aWorkspace();
    // Removes the owner that the helper adds.
    await db()('workspace_users').where({ project_id: world.projectId }).delete();
    owner = await person('owner');
  });

  const person = (role: Role) => aPerson({ in: { ...world, role } });
  const roles = async () =>
    Object.fromEntries(
      (await world.api.get('/members')).body.map(
        ({ userId, role }: { userId: string; role: Role }) => [userId, role],
      ),
    );

  function refused({ status, body }: ApiAnswer, code: number, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  it('are listed by name, and read', async () => {
    const { userId } = await person('viewer');
    await db()('users').where({ id: userId }).update({ name: 'Ada' });
    await db()('users').where({ id: owner.userId }).update({ name: 'bob' });
    const { body } = await world.api.get('/members');
    expect(body.map(({ name }: { name: string }) => name)).to.deep.equal(['Ada', 'bob']);
    const { joinedAt, lastSeenAt, ...rest } = body[0];
    expect(rest).to.deep.equal({
      userId,
      email: `${userId}@people.test`,
      name: 'Ada',
      role: 'viewer',
      limits: null,
    });
    for (const time of [joinedAt, lastSeenAt]) {
      expect(Math.abs(Date.now() - Date.parse(time))).to.be.below(60_000);
    }
    expect((await world.api.get(`/members/${userId}`)).body).to.deep.equal(body[0]);
    const pages = [1, 2].map((page) => world.api.get('/members', { page, pageSize: 1 }));
    expect((await Promise.all(pages)).flatMap((page) => page.body)).to.deep.equal(body);
  });

  it('get other roles, which hold from the answer on', async () => {
    const { userId, api } = await person('viewer');
    expect((await api.post('/tags', { name: 'a' })).status).to.equal(403);
    const { status, body } = await owner.api.patch(`/members/${userId}`, { role: 'member' });
    expect([status, body.role]).to.deep.equal([200, 'member']);
    expect((await api.post('/tags', { name: 'a' })).status).to.equal(201);
    await owner.api.patch(`/members/${userId}`, { role: 'viewer' });
    expect((await api.post('/tags', { name: 'b' })).status).to.equal(403);
  });

  it('are removed, with their API keys in the workspace and no others', async () => {
    const { userId, api } = await person('owner');
    const elsewhere = await aWorkspace();
    await db()('workspace_users').insert({
      project_id: elsewhere.projectId,
      user_id: userId,
      role: 'owner',
    });
    await db()('api_keys').where({ project_id: elsewhere.projectId }).update({ user_id: userId });
    const { key } = (await api.post('/keys', { name: 'theirs' })).body;
    expect((await owner.api.delete(`/members/${userId}`)).body).to.deep.equal({ id: userId });
    expect((await api.get('/links')).status).to.equal(403);
    expect((await new ApiClient(key).get('/links')).status).to.equal(401);
    expect((await elsewhere.api.get('/links')).status).to.equal(200);
    expect(await roles()).to.deep.equal({ [owner.userId]: 'owner' });
    expect((await owner.api.get(`/members/${userId}`)).status).to.equal(404);
    expect((await owner.api.delete(`/members/${userId}`)).status).to.equal(404);
    expect((await owner.api.patch(`/members/${userId}`, { role: 'owner' })).status).to.equal(404);
  });

  it('who are lowered lose the API keys that may do more than they', async () => {
    const { userId, api } = await person('owner');
    const key = async (scopes: string[]) =>
      new ApiClient((await api.post('/keys', { name: 'theirs', scopes })).body.key);
    const [all, some, own] = [
      await key(['*']),
      await key(['links.write']),
      await key(['links.read']),
    ];
    await owner.api.patch(`/members/${userId}`, { role: 'member' });
    const works = async () =>
      (await Promise.all([all, some, own].map((one) => one.get('/links')))).map(
        (one) => one.status,
      );
    expect(await works()).to.deep.equal([401, 200, 200]);
    await owner.api.patch(`/members/${userId}`, { role: 'viewer' });
    expect(await works()).to.deep.equal([401, 401, 200]);
  });

  it('leave by themselves, whatever their role', async () => {
    const { userId, api } = await person('viewer');
    const other = await person('viewer');
    refused(await api.delete(`/members/${other.userId}`), 403, /members\.write/);
    expect((await api.delete(`/members/${userId}`)).body).to.deep.equal({ id: userId });
    expect((await api.get('/links')).status).to.equal(403);
    await eventually(async () => {
      const [entry] = (await owner.api.get('/audit-log', { target: userId })).body;
      expect(entry).to.deep.include({
        action: 'member.remove',
        target: { kind: 'member', id: userId },
        actor: { userId, name: 'A Person' },
      });
    });
  });

  it('are not removed by the API key of a person that lacks the scope', async () => {
    const { key } = (await owner.api.post('/keys', { name: 'a', scopes: ['links.read'] })).body;
    await person('owner');
    refused(await new ApiClient(key).delete(`/members/${owner.userId}`), 403, /members\.write/);
  });

  it('keep an owner', async () => {
    const last = /^A workspace must have an owner/;
    await person('member');
    refused(await owner.api.delete(`/members/${owner.userId}`), 409, last);
    refused(await owner.api.patch(`/members/${owner.userId}`, { role: 'viewer' }), 409, last);
    expect((await owner.api.patch(`/members/${owner.userId}`, { role: 'owner' })).status).to.equal(
      200,
    );
    expect((await roles())[owner.userId]).to.equal('owner');
  });

  it('keep an owner when all owners leave at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const owners = [owner, await person('owner'), await person('owner')];
      const leave = (one: Person, index: number) =>
        index === 1
          ? one.api.patch(`/members/${one.userId}`, { role: 'member' })
          : one.api.delete(`/members/${one.userId}`);
      const statuses = (await Promise.all(owners.map(leave))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 409)).to.have.length(1);
      const left = Object.values(await roles()).filter((role) => role === 'owner');
      expect(left).to.deep.equal(['owner']);
      owner = owners[statuses.indexOf(409)]!;
    }
  });

  it('have their roles changed by owners alone', async () => {
    const [member, viewer] = [await person('member'), await person('viewer')];
    for (const { api } of [member, viewer]) {
      expect((await api.get('/members')).status).to.equal(200);
      for (const { userId } of [owner, viewer, member]) {
        refused(await api.patch(`/members/${userId}`, { role: 'owner' }), 403, /members\.write/);
      }
      refused(await api.delete(`/members/${owner.userId}`), 403, /members\.write/);
    }
    const beyond = /^role must not be "(owner|member)", which may do more than the caller/;
    const some = await world.withScopes('members.write', 'links.read');
    for (const role of ['owner', 'member']) {
      refused(await some.patch(`/members/${viewer.userId}`, { role }), 403, beyond);
    }
  });

  it('say in the audit log who changed them', async () => {
    const { userId } = await person('viewer');
    await owner.api.patch(`/members/${userId}`, { role: 'member' });
    const [entry] = (await owner.api.get('/audit-log', { target: userId })).body;
    expect(entry).to.deep.include({
      action: 'member.update',
      target: { kind: 'member', id: userId, name: 'A Person' },
      fields: ['role'],
      actor: { userId: owner.userId, name: 'A Person' },
    });
  });

  const REFUSED: [name: string, body: unknown, message: RegExp][] = [
    ['nothing', {}, /^body must contain at least one of role, limits/],
    ['an unknown role', { role: 'admin' }, /^role must be one of/],
    ['another name', { role: 'owner', name: 'x' }, /^name is not a known field/],
  ];
  for (const [name, body, message] of REFUSED) {
    it(`are not given ${name}`, async () => {
      refused(await owner.api.patch(`/members/${owner.userId}`, body), 422, message);
    });
  }
});

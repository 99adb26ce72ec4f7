import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { SCOPES } from '../../src/workspaces/scopes.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

describe('API keys over REST', () => {
  let world: World;
  let api: ApiClient;

  beforeEach(async () => {
    world = await aWorkspace();
    ({ api } = world);
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  async function aKey(fields: object = {}, by = api): Promise<any> {
    const { status, body } = await by.post('/keys', { name: 'shop', ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  function refused({ status, body }: ApiAnswer, code: number, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(code);
    expect(body.error.message).to.match(message);
  }

  it('are created, listed, read, updated and revoked', async () => {
    const { key, ...record } = await aKey({
      scopes: ['links.read', 'tags.write'],
      expiresAt: '2099-01-01T00:00:00Z',
    });
    expect(key).to.match(/^sk_[0-9A-Za-z]{32}$/);
    const { userId, id, createdAt } = record;
    expect(record).to.deep.equal({
      id,
      name: 'shop',
      type: 'secret',
      hint: `${key.slice(0, 7)}…`,
      publicKey: null,
      origins: [],
      scopes: ['links.read', 'tags.write'],
      limits: null,
      yourlsSignatures: false,
      userId,
      createdAt,
      lastUsedAt: null,
      expiresAt: '2099-01-01T00:00:00.000Z',
      clientId: null,
      renewableUntil: null,
    });
    expect((await api.get(`/keys/${id}`)).body).to.deep.equal(record);
    const list = (await api.get('/keys')).body;
    expect(list).to.have.length(2);
    expect(list[0]).to.deep.equal(record);
    const { body: changed } = await api.patch(`/keys/${id}`, { name: 'till', scopes: ['*'] });
    expect(changed).to.deep.equal({ ...record, name: 'till', scopes: ['*'] });
    expect((await api.delete(`/keys/${id}`)).body).to.deep.equal({ id });
    expect((await api.get('/keys')).body).to.have.length(1);
    expect((await api.get(`/keys/${id}`)).status).to.equal(404);
    expect((await api.patch(`/keys/${id}`, { name: 'x' })).status).to.equal(404);
    expect((await api.post(`/keys/${id}/rotate`)).status).to.equal(404);
    expect((await api.delete(`/keys/${id}`)).status).to.equal(404);
  });

  it('do what their scopes say, from the answer on, and nothing once they are revoked', async () => {
    const { id, key } = await aKey({ scopes: ['tags.write'] });
    const theirs = new ApiClient(key);
    expect((await theirs.get('/tags')).status).to.equal(200);
    expect((await theirs.get('/links')).status).to.equal(403);
    await api.patch(`/keys/${id}`, { scopes: ['links.read'] });
    expect((await theirs.get('/tags')).status).to.equal(403);
    expect((await theirs.get('/links')).status).to.equal(200);
    await api.delete(`/keys/${id}`);
    expect((await theirs.get('/links')).status).to.equal(401);
  });

  it('are shown the time of their last use', async () => {
    const { id, key } = await aKey();
    await new ApiClient(key).get('/tags');
    await eventually(async () => {
      expect((await api.get(`/keys/${id}`)).body.lastUsedAt).to.be.a('string');
    });
  });

  it('are replaced by a rotation, whose previous key ends at once', async () => {
    const { id, key, hint: _, ...record } = await aKey();
    const { status, body } = await api.post(`/keys/${id}/rotate`);
    expect(status).to.equal(200);
    expect(body.key).to.not.equal(key);
    expect(body).to.deep.include(record);
    expect(body.hint).to.equal(`${body.key.slice(0, 7)}…`);
    expect((await new ApiClient(key).get('/tags')).status).to.equal(401);
    expect((await new ApiClient(body.key).get('/tags')).status).to.equal(200);
  });

  it('have the scopes of the caller by default', async () => {
    expect((await aKey()).scopes).to.deep.equal(['*']);
    const lesser = await world.withScopes('keys.write', 'links.read');
    expect((await aKey({}, lesser)).scopes).to.deep.equal(['keys.write', 'links.read']);
    expect((await aKey({ scopes: ['links.read', '*'] })).scopes).to.deep.equal(['*']);
  });

  it('are given no scope that the caller lacks', async () => {
    const lesser = await world.withScopes('keys.write', 'links.read');
    const beyond = /^scopes must not contain "(links\.write|\*)", which the caller lacks/;
    for (const scopes of [['*'], ['links.read', 'links.write']]) {
      refused(await lesser.post('/keys', { name: 'a', scopes }), 403, beyond);
      const { id } = await aKey();
      refused(await lesser.patch(`/keys/${id}`, { scopes }), 403, beyond);
    }
    // A write scope includes its read scope.
    await aKey({ scopes: ['keys.read', 'links.read'] }, lesser);
    const every = await world.withScopes(...SCOPES);
    expect((await aKey({ scopes: ['*'] }, every)).scopes).to.deep.equal(['*']);
  });

  it('that may do more than the caller are not rotated by it', async () => {
    const lesser = await world.withScopes('keys.write');
    const { id, key } = await aKey({ scopes: ['links.read'] });
    refused(await lesser.post(`/keys/${id}/rotate`), 403, /^scopes must not contain "links.read"/);
    expect((await new ApiClient(key).get('/links')).status).to.equal(200);
  });

  it('revoke themselves without a scope, and no other key', async () => {
    const { id, key } = await aKey({ scopes: ['links.read'] });
    const { id: other } = await aKey();
    const theirs = new ApiClient(key);
    refused(await theirs.delete(`/keys/${other}`), 403, /keys\.write/);
    expect((await theirs.get(`/keys/${id}`)).body.id).to.equal(id);
    expect((await theirs.delete(`/keys/${id}`)).body).to.deep.equal({ id });
    expect((await theirs.get('/links')).status).to.equal(401);
  });

  it('need a scope to be listed, and another to be written', async () => {
    const { id } = await aKey();
    const none = await world.withScopes('links.write', 'workspace.write', 'audit.read');
    const reader = await world.withScopes('keys.read');
    expect((await none.get('/keys')).status).to.equal(403);
    expect((await reader.get('/keys')).status).to.equal(200);
    for (const caller of [none, reader]) {
      expect((await caller.post('/keys', { name: 'a' })).status).to.equal(403);
      expect((await caller.patch(`/keys/${id}`, { name: 'a' })).status).to.equal(403);
      expect((await caller.post(`/keys/${id}/rotate`)).status).to.equal(403);
      expect((await caller.delete(`/keys/${id}`)).status).to.equal(403);
    }
  });

  it('are shown again to a repeat with the Idempotency-Key, and stored sealed for it', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await api.post('/keys', { name: 'a' }, { headers });
    const again = await api.post('/keys', { name: 'a' }, { headers });
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect((await api.get('/keys')).body).to.have.length(2);
    const jobs = await db()('jobs').where({ project_id: world.projectId });
    const outcome = jobs.map((job) => JSON.parse(job.outcome)).find(({ result }) => result?.hint);
    expect(outcome.result.key.sealed).to.match(/^sealed:v2:/);
    expect(JSON.stringify(jobs)).to.not.contain(first.body.key);
  });

  it('are not shown to another caller who sends the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await api.post('/keys', { name: 'a' }, { headers });
    const lesser = await world.withScopes('keys.write');
    const other = await lesser.post('/keys', { name: 'a' }, { headers });
    expect(other.status).to.equal(201);
    expect(other.body.scopes).to.deep.equal(['keys.write']);
    expect(other.body.id).not.to.equal(first.body.id);
  });

  it('are shown once by the job of a request that did not wait', async () => {
    const headers = { prefer: 'respond-async' };
    const { body: job } = await api.post('/keys', { name: 'a' }, { headers });
    await eventually(async () => {
      const { body } = await api.get(`/jobs/${job.id}`);
      expect(body.status).to.equal('done');
      expect((await new ApiClient(body.result.key).get('/tags')).status).to.equal(200);
    });
  });

  it('are at most 200 in a workspace', async () => {
    const [{ user_id }] = await db()('api_keys').where({ project_id: world.projectId });
    const rows = Array.from({ length: 198 }, (_, n) => ({
      id: `key_${world.projectId}_${n}`,
      project_id: world.projectId,
      user_id,
      name: 'a',
      hash: `${world.projectId} ${n}`,
      hint: '',
      scopes: ['*'],
    }));
    await db()('api_keys').insert(rows);
    const answers = await Promise.all([1, 2, 3].map(() => api.post('/keys', { name: 'a' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      201, 422, 422,
    ]);
    const last = answers.find(({ status }) => status === 422)!;
    refused(last, 422, /^A workspace has at most 200 API keys/);
  });

  const REFUSED: [name: string, body: unknown, message: RegExp][] = [
    ['no name', {}, /^name is required/],
    ['an empty name', { name: ' ' }, /^name must/],
    ['a long name', { name: 'a'.repeat(101) }, /^name must/],
    ['an unknown scope', { name: 'a', scopes: ['links.delete'] }, /^scopes\[0\] must be one of/],
    ['no scope', { name: 'a', scopes: [] }, /^scopes must/],
    [
      'an expiry in the past',
      { name: 'a', expiresAt: '2020-01-01' },
      /^expiresAt must be in the f/,
    ],
    ['an unknown field', { name: 'a', key: 'sk_mine' }, /^key is not a known field/],
  ];
  for (const [name, body, message] of REFUSED) {
    it(`are refused with ${name}`, async () => {
      refused(await api.post('/keys', body), 422, message);
    });
  }

  it('are not updated with nothing', async () => {
    const { id } = await aKey();
    refused(await api.patch(`/keys/${id}`, {}), 422, /name|scopes/);
    refused(await api.patch(`/keys/${id}`, { expiresAt: '2099-01-01' }), 422, /^expiresAt is not/);
  });
});

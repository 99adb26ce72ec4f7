import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import type { ApiAnswer, ApiClient } from '../support/client.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const VIEW = { list: 'links', name: 'Campaign', query: 'search=spring&tagIds=tag_1&sort=clicks' };

const namesOf = ({ body }: ApiAnswer): string[] => body.map(({ name }: { name: string }) => name);

describe('views', () => {
  let world: World;
  let ada: ApiClient;
  let ben: ApiClient;
  let viewer: ApiClient;
  let adaId: string;

  beforeEach(async () => {
    world = await aWorkspace();
    const join = (role: 'owner' | 'member' | 'viewer') => aPerson({ in: { ...world, role } });
    const [first, second, third] = await Promise.all([
      join('owner'),
      join('member'),
      join('viewer'),
    ]);
    [ada, ben, viewer] = [first.api, second.api, third.api];
    adaId = first.userId;
  });

  async function refusal(answer: Promise<ApiAnswer>): Promise<string> {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.equal(422);
    return body.error.message;
  }

  it('of the workspace are seen by all, and changed by members', async () => {
    const { status, body: view } = await ada.post('/views', { ...VIEW, shared: true });
    expect(status).to.equal(201);
    expect(view).to.deep.equal({
      id: view.id,
      ...VIEW,
      shared: true,
      createdAt: view.createdAt,
    });
    for (const api of [ada, ben, viewer]) {
      expect((await api.get('/views')).body).to.deep.equal([view]);
      expect((await api.get(`/views/${view.id}`)).body).to.deep.equal(view);
    }
    const path = `/views/${view.id}`;
    expect((await viewer.patch(path, { name: 'x' })).status).to.equal(403);
    expect((await viewer.delete(path)).status).to.equal(403);
    expect((await ben.patch(path, { name: 'Autumn', query: '' })).body).to.include({
      name: 'Autumn',
      query: '',
    });
    expect((await ben.delete(path)).status).to.equal(200);
    expect((await ada.get('/views')).body).to.deep.equal([]);
  });

  it('of one person are unknown to the others, until they are shared', async () => {
    const { body: view } = await ada.post('/views', VIEW);
    expect(view.shared).to.equal(false);
    const path = `/views/${view.id}`;
    expect((await ben.get('/views')).body).to.deep.equal([]);
    for (const answer of [
      await ben.get(path),
      await ben.patch(path, { name: 'x' }),
      await ben.delete(path),
    ]) {
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        404,
        `There is no view "${view.id}"`,
      ]);
    }
    await ada.patch(path, { shared: true });
    expect(namesOf(await ben.get('/views'))).to.deep.equal(['Campaign']);
    expect((await ben.patch(path, { shared: false })).body.shared).to.equal(false);
    expect((await ada.get('/views')).body).to.deep.equal([]);
  });

  it('have names of their own for each person, the workspace and each list', async () => {
    await ada.post('/views', VIEW);
    expect((await ben.post('/views', VIEW)).status).to.equal(201);
    expect((await ada.post('/views', { ...VIEW, shared: true })).status).to.equal(201);
    const codes = { ...VIEW, list: 'qrcodes', query: 'type=wifi&sort=scans' };
    expect((await ada.post('/views', codes)).status).to.equal(201);
    const twin = await ada.post('/views', { ...VIEW, name: 'CAMPAIGN' });
    expect([twin.status, twin.body.error.message]).to.deep.equal([
      409,
      'The view name "CAMPAIGN" is taken',
    ]);
    const [own] = (await ben.get('/views', { list: 'links' })).body.filter(
      ({ shared }: { shared: boolean }) => !shared,
    );
    expect((await ben.patch(`/views/${own.id}`, { shared: true })).status).to.equal(409);
    expect((await ada.get('/views', { list: 'qrcodes' })).body).to.have.lengthOf(1);
    expect((await ada.get('/views', { search: 'camp' })).body).to.have.lengthOf(3);
  });

  it('hold what their list takes, and nothing else', async () => {
    const of = (query: string, list = 'links') => ada.post('/views', { ...VIEW, list, query });
    const bad: [query: string, message: RegExp, list?: string][] = [
      ['colour=red', /^query\.colour is not a known field$/],
      ['sort=name', /^query\.sort must be one of /],
      ['clicksMin=many', /^query\.clicksMin must be an integer$/],
      ['hasTags=yes', /^query\.hasTags must be a boolean$/],
      [
        'page=2&pageSize=5',
        /^query\.page must not be set here; query\.pageSize must not be set here$/,
      ],
      ['password=secret', /^query\.password must not be set here$/],
      ['search=%E0%A4', /^query must be a well percent-encoded query string$/],
      ['sort=scans', /^query\.sort must be one of /],
      ['sort=clicks', /^query\.sort must be one of /, 'qrcodes'],
    ];
    for (const [query, message, list] of bad) {
      expect(await refusal(of(query, list)), query).to.match(message);
    }
    expect(await refusal(of('', 'tags'))).to.match(/^list must be one of links, qrcodes$/);
    expect(await refusal(of(`search=${'a'.repeat(2_000)}`))).to.equal(
      'query must be at most 2000 characters long',
    );
    const { body: view } = await ada.post('/views', VIEW);
    expect(await refusal(ada.patch(`/views/${view.id}`, { query: 'sort=x' }))).to.match(
      /^query\.sort /,
    );
    expect(await refusal(ada.patch(`/views/${view.id}`, { list: 'qrcodes' }))).to.equal(
      'list is not a known field',
    );
  });

  it('of a person go when the person leaves; those of the workspace stay', async () => {
    const { body: left } = await ada.post('/views', { ...VIEW, name: 'Shared', shared: true });
    await ada.post('/views', VIEW);
    expect((await world.api.delete(`/members/${adaId}`)).status).to.equal(200);
    await db()('workspace_users').insert({
      project_id: world.projectId,
      user_id: adaId,
      role: 'owner',
    });
    expect((await ada.get('/views')).body).to.deep.equal([left]);
  });

  it('are at most 100 of the workspace, and 100 of each person', async () => {
    const add = (api: ApiClient, name: string, shared: boolean) =>
      api.post('/views', { list: 'links', name, query: '', shared });
    const numbers = Array.from({ length: 105 }, (_, at) => String(at));
    const answers = await Promise.all(numbers.map((name) => add(world.api, name, true)));
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused).to.have.lengthOf(5);
    expect(refused[0]!.body.error.message).to.equal('A workspace has at most 100 shared views');
    const { body: own } = await add(ben, 'own', false);
    expect(await refusal(ben.patch(`/views/${own.id}`, { shared: true }))).to.equal(
      'A workspace has at most 100 shared views',
    );
  });
});

describe('UTM templates', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('are created, listed, changed and deleted', async () => {
    const { api } = world;
    const values = { utm_source: 'newsletter', utm_medium: 'email' };
    const { status, body: made } = await api.post('/utm-templates', { name: 'Weekly', ...values });
    expect(status).to.equal(201);
    expect(made).to.deep.equal({
      id: made.id,
      name: 'Weekly',
      ...values,
      utm_campaign: null,
      utm_term: null,
      utm_content: null,
      ref: null,
      userId: made.userId,
      projectId: world.projectId,
      createdAt: made.createdAt,
    });
    expect(made.userId).to.equal(
      (await api.post('/links', { url: 'https://a.test/' })).body.userId,
    );
    await api.post('/utm-templates', { name: 'ads' });
    expect(namesOf(await api.get('/utm-templates'))).to.deep.equal(['ads', 'Weekly']);
    expect((await api.get('/utm-templates', { search: 'WEEK' })).body).to.deep.equal([made]);
    const path = `/utm-templates/${made.id}`;
    const changes = { utm_medium: null, utm_term: 'shoes' };
    expect((await api.patch(path, changes)).body).to.deep.equal({ ...made, ...changes });
    expect((await api.delete(path)).body).to.deep.equal({ id: made.id });
    const gone = await api.patch(path, changes);
    expect([gone.status, gone.body.error.message]).to.deep.equal([
      404,
      `There is no UTM template "${made.id}"`,
    ]);
  });

  it('have names of their own, regardless of case', async () => {
    const { api } = world;
    await api.post('/utm-templates', { name: 'Öl' });
    const twin = await api.post('/utm-templates', { name: 'öL' });
    expect([twin.status, twin.body.error.message]).to.deep.equal([
      409,
      'The UTM template name "öL" is taken',
    ]);
    const { body: other } = await api.post('/utm-templates', { name: 'b' });
    expect((await api.patch(`/utm-templates/${other.id}`, { name: 'ÖL' })).status).to.equal(409);
    expect((await api.patch(`/utm-templates/${other.id}`, { name: 'B' })).status).to.equal(200);
  });

  it('are read by viewers, and written by members', async () => {
    const [{ api: member }, { api: viewer }] = [
      await aPerson({ in: { ...world, role: 'member' } }),
      await aPerson({ in: { ...world, role: 'viewer' } }),
    ];
    const { status } = await member.post('/utm-templates', { name: 'a' });
    expect(status).to.equal(201);
    expect(namesOf(await viewer.get('/utm-templates'))).to.deep.equal(['a']);
    expect((await viewer.post('/utm-templates', { name: 'b' })).status).to.equal(403);
  });

  it('are at most 100', async () => {
    const numbers = Array.from({ length: 103 }, (_, at) => String(at));
    const answers = await Promise.all(
      numbers.map((name) => world.api.post('/utm-templates', { name })),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused.map(({ body }) => body.error.message)).to.deep.equal(
      Array(3).fill('A workspace has at most 100 UTM templates'),
    );
  });
});

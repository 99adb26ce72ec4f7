import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import type { ApiAnswer } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Requests that create and update a record. */
interface Sample {
  make(world: World): Promise<ApiAnswer>;
  path: string;
  verb?: 'put' | 'patch';
  changes: [object, object];
}

const SAMPLES: Record<string, Sample> = {
  link: {
    make: ({ api }) =>
      api.post('/links', { url: A, title: 'a', password: 'pw', geo: { US: A, DE: A } }),
    path: '/links/',
    changes: [{ title: 'b' }, { title: 'c' }],
  },
  'QR code': {
    make: ({ api }) => api.post('/qrcodes', { type: 'url', url: A, title: 'a' }),
    path: '/qrcodes/',
    changes: [{ title: 'b' }, { title: 'c' }],
  },
  tag: {
    make: ({ api }) => api.post('/tags', { name: 'a' }),
    path: '/tags/',
    verb: 'put',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  folder: {
    make: ({ api }) => api.post('/folders', { name: 'a' }),
    path: '/folders/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  'UTM template': {
    make: ({ api }) => api.post('/utm-templates', { name: 'a' }),
    path: '/utm-templates/',
    changes: [{ name: 'b' }, { utm_source: 'c' }],
  },
  view: {
    make: ({ api }) => api.post('/views', { list: 'links', name: 'a', query: '' }),
    path: '/views/',
    changes: [{ name: 'b' }, { shared: true }],
  },
  'shared report': {
    make: ({ api }) => api.post('/reports', { name: 'a' }),
    path: '/reports/',
    changes: [{ name: 'b' }, { groups: ['os'] }],
  },
  page: {
    make: ({ api }) => api.post('/pages', { title: 'a', text: 'x' }),
    path: '/pages/',
    changes: [{ title: 'b' }, { title: 'c' }],
  },
  domain: {
    make: ({ api, domain }) => api.post('/domains', { slug: `x.${domain}` }),
    path: '/domains/',
    changes: [{ target: A }, { target: `${A}2` }],
  },
  webhook: {
    make: ({ api }) =>
      api.post('/webhooks', { name: 'a', url: 'http://127.0.0.1:9/', kinds: ['link.created'] }),
    path: '/webhooks/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  integration: {
    make: ({ api }) => api.post('/integrations', { type: 'stripe', name: 'a', secret: 's' }),
    path: '/integrations/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  destination: {
    make: ({ api }) =>
      api.post('/destinations', {
        type: 'redis',
        name: 'a',
        settings: { url: 'rediss://redis.example:443', stream: 's' },
      }),
    path: '/destinations/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  'API key': {
    async make({ api }) {
      const { body } = await api.post('/keys', { name: 'a' });
      return api.get(`/keys/${body.id}`);
    },
    path: '/keys/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
  customer: {
    async make({ api }) {
      await api.post('/track/sale', { customerExternalId: 'c', amount: 1, customerName: 'a' });
      return api.get('/customers/ext_c');
    },
    path: '/customers/',
    changes: [{ name: 'b' }, { name: 'c' }],
  },
};

const etagOf = ({ headers }: { headers: Headers }) => headers.get('etag')!;

describe('the ETag', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const [name, { make, path: room, verb = 'patch', changes }] of Object.entries(SAMPLES)) {
    it(`of a ${name} prevents lost updates`, async () => {
      const { api } = world;
      const made = await make(world);
      const path = room + made.body.id;
      const read = await api.get(path);
      expect(etagOf(read)).to.match(/^"[\w-]{22}-[\w-]{22}"$/);
      expect(etagOf(made)).to.equal(etagOf(read));

      const write = (body: object, etag: string) =>
        api[verb](path, body, { headers: { 'if-match': etag } });
      const first = await write(changes[0], etagOf(read));
      expect(first.status).to.equal(200);
      expect(etagOf(first)).not.to.equal(etagOf(read));
      expect(etagOf(await api.get(path))).to.equal(etagOf(first));

      const second = await write(changes[1], etagOf(read));
      expect([second.status, second.body.error.code]).to.deep.equal([409, 'conflict']);
      expect(second.body.error.message).to.match(/^If-Match must /);
      expect((await api.get(path)).body).to.include(changes[0]);
      expect((await write(changes[1], `"other", W/${etagOf(first)}`)).status).to.equal(200);
      expect((await write(changes[0], '*')).status).to.equal(200);
      expect((await write(changes[0], '"made up"')).status).to.equal(409);
    });

    it(`of a ${name} prevents the deletion of a changed record, and returns 304 for an unchanged one`, async () => {
      const { api } = world;
      const made = await make(world);
      const path = room + made.body.id;
      const known = { headers: { 'if-none-match': `"x", ${etagOf(made)}` } };
      const same = await api.download(path, {}, known);
      expect([same.status, same.bytes.length]).to.deep.equal([304, 0]);
      expect(etagOf(same)).to.equal(etagOf(made));
      const changed = await api[verb](path, changes[0]);
      expect((await api.download(path, {}, known)).status).to.equal(200);

      const drop = (etag: string) => api.delete(path, {}, { headers: { 'if-match': etag } });
      expect((await drop(etagOf(made))).status).to.equal(409);
      expect((await api.get(path)).status).to.equal(200);
      expect((await drop(etagOf(changed))).status).to.equal(200);
      expect((await drop('*')).status).to.equal(404);
    });
  }

  it('lets one of many concurrent writers succeed', async () => {
    const { api } = world;
    const made = await api.post('/links', { url: A });
    const headers = { 'if-match': etagOf(made) };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.patch(`/links/${made.body.id}`, { title: `t${n}` }, { headers }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 409)).to.have.lengthOf(19);
  });

  it('changes with counts for reads, not for writes', async () => {
    const { api, visit } = world;
    const made = await api.post('/links', { url: A, key: 'a' });
    const path = `/links/${made.body.id}`;
    await visit('/a', { userAgent: browser(1) });
    const counted = await eventually(async () => {
      const answer = await api.get(path);
      expect(answer.body.clicks).to.equal(1);
      return answer;
    });
    expect(etagOf(counted)).not.to.equal(etagOf(made));
    const known = { headers: { 'if-none-match': etagOf(made) } };
    expect((await api.download(path, {}, known)).status).to.equal(200);
    const headers = { 'if-match': etagOf(made) };
    expect((await api.patch(path, { title: 't' }, { headers })).status).to.equal(200);
  });

  it('is checked by upserts, found by domain and key, and refused by bulk requests', async () => {
    const { api, domain } = world;
    const made = await api.post('/links', { url: A, key: 'a' });
    const info = await api.get('/links/info', { domain, key: 'a' });
    expect(etagOf(info)).to.equal(etagOf(made));
    const upsert = (key: string, etag: string) =>
      api.put('/links/upsert', { url: A, key, title: 't' }, { headers: { 'if-match': etag } });
    expect((await upsert('a', etagOf(made))).status).to.equal(200);
    expect((await upsert('a', etagOf(made))).status).to.equal(409);
    expect((await upsert('b', '*')).status).to.equal(409);
    const headers = { 'if-match': '*' };
    const linkIds = [made.body.id];
    const many = await api.patch('/links/bulk', { linkIds, data: { title: 'x' } }, { headers });
    expect([many.status, many.body.error.code]).to.deep.equal([400, 'bad_request']);
    expect((await api.delete('/links/bulk', { linkIds }, { headers })).status).to.equal(400);
    expect((await api.get('/links')).body).to.have.lengthOf(1);
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A, useAsTemplate: true });
    const drop = (etag: string) =>
      api.delete(`/templates/${code.templateId}`, {}, { headers: { 'if-match': etag } });
    expect((await drop('"other"')).status).to.equal(409);
    expect((await drop('*')).status).to.equal(200);
  });
});

import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { aWorkspace } from '../support/world.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Requests for each route that answers 201. */
const BODIES: Record<string, () => object | string> = {
  'post /links': () => ({ url: 'https://example.com' }),
  'patch /links/{linkId}': () => ({ title: 'A', at: inAnHour() }),
  'patch /qrcodes/{qrcodeId}': () => ({ title: 'A', at: inAnHour() }),
  'put /links/upsert': () => ({ url: 'https://example.com', externalId: newId('link') }),
  'post /qrcodes': () => ({ type: 'text', text: 'a' }),
  'post /exports': () => ({ type: 'qrcodes', format: 'png' }),
  'post /fonts': () => ({ name: 'A', source: fontUri(openType('a')) }),
  'post /tags': () => ({ name: 'A' }),
  'post /folders': () => ({ name: 'A' }),
  'post /utm-templates': () => ({ name: 'A' }),
  'post /views': () => ({ list: 'links', name: 'A', query: '' }),
  'post /reports': () => ({ name: 'A' }),
  'post /reports/{id}/recipients': () => ({ email: `${newId('user')}@people.test` }),
  'post /domains': () => ({ slug: `${newId('domain').slice(4).toLowerCase()}.example` }),
  'post /pages': () => ({ title: 'A' }),
  'post /invitations': () => ({ email: `${newId('user')}@people.test`, role: 'viewer' }),
  'post /bulk-changes/links': () => ({ ids: ['none'], data: { comments: 'a' } }),
  'post /bulk-changes/qrcodes': () => ({ ids: ['none'], data: { comments: 'a' } }),
  'post /imports': () => 'url,key\nhttps://example.com/,imported\n',
  'post /imports/fetch': () => ({ source: 'yourls', url: 'http://127.0.0.1:9', token: 'a' }),
  'post /keys': () => ({ name: 'A' }),
  'post /customers': () => ({ externalId: 'customer-1' }),
  'post /destinations': () => ({
    type: 'redis',
    name: 'A',
    settings: { url: 'rediss://redis.example:443', stream: 's' },
  }),
  'post /integrations': () => ({ type: 'stripe', name: 'A', secret: 'whsec_a' }),
  'post /webhooks': () => ({ name: 'A', url: 'http://127.0.0.1:9/', kinds: ['link.created'] }),
  'post /webhooks/{id}/test': () => ({}),
};

describe('Location', () => {
  it('of every 201 is the URL of the record', async () => {
    const { api } = await aWorkspace();
    const qrCode = (await api.post('/qrcodes', { type: 'text', text: 'exported' })).body;
    const link = (await api.post('/links', { url: 'https://example.com' })).body;
    const report = (await api.post('/reports', { name: 'A' })).body;
    const creating = routes
      .filter(({ answers, scope }) => 201 in answers && isOfWorkspace(scope))
      .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }));
    expect(creating.map(({ name }) => name).toSorted()).to.deep.equal(
      Object.keys(BODIES).toSorted(),
    );
    for (const { method, path, name } of creating) {
      const [webhook] = (await api.get('/webhooks')).body;
      const at = path
        .replace('/reports/{id}', `/reports/${report.id}`)
        .replace('{id}', webhook?.id ?? '')
        .replace('{linkId}', link.id)
        .replace('{qrcodeId}', qrCode.id);
      const body = BODIES[name]!();
      const headers = typeof body === 'string' ? { 'content-type': 'text/csv' } : {};
      const made = await api.send(method.toUpperCase(), at, body, { headers });
      expect(made.status, `${name}: ${JSON.stringify(made.body)}`).to.equal(201);
      const read = await api.get(made.headers.get('location') ?? '');
      expect(read.status, name).to.equal(200);
      expect(read.body.id, name).to.equal(made.body.id);
    }
  });
});

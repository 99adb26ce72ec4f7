import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { seal } from '../../src/infra/seal.ts';
import { browser } from '../support/browser.ts';
import type { ApiAnswer } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const ASYNC = { prefer: 'respond-async' };
const WIFI = { ssid: 'Guests', encryption: 'WPA', password: 'wifi-password-1' };

describe('sealed texts', function () {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  /**
   * Creates a protected link and a webhook in each of two workspaces, and reads their sealed texts
   * and plain secrets.
   */
  async function sealedTexts(): Promise<{ texts: string[]; secrets: string[] }> {
    const other = await aWorkspace();
    const secrets: string[] = [];
    for (const [at, { api }] of [world, other].entries()) {
      const password = `secret-password-${at}`;
      await api.post('/links', { url: A, password });
      const hook = { name: 'a', url: 'http://127.0.0.1:9/', kinds: ['link.created'] };
      const { body } = await api.post('/webhooks', hook);
      secrets.push(password, body.secret);
    }
    const ids = [world.projectId, other.projectId];
    const links = await db()('links').whereIn('project_id', ids).pluck('password');
    const hooks = await db()('webhooks').whereIn('project_id', ids).pluck('secret');
    const forged = seal({ purpose: 'job input', owner: world.projectId }, '"secret-input"');
    return { texts: [...links, ...hooks, forged], secrets: [...secrets, 'secret-input'] };
  }

  /** Waits for the result of the job in an answer. */
  async function resultOf({ body: { id } }: ApiAnswer): Promise<ApiAnswer['body']> {
    return eventually(async () => {
      const { body } = await world.api.get(`/jobs/${id}`);
      expect(body.status).to.be.oneOf(['done', 'failed']);
      return body;
    });
  }

  it('are not opened when a caller sends them as the URL of a link', async () => {
    const { texts } = await sealedTexts();
    for (const url of texts) {
      const answer = await world.api.post('/links', { url }, { headers: ASYNC });
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        422,
        'url must not use the scheme sealed:',
      ]);
    }
  });

  it('come back as they were sent, or are refused, in every field of every write', async function () {
    const { texts, secrets } = await sealedTexts();
    const { body: link } = await world.api.post('/links', { url: A });
    const { body: tag } = await world.api.post('/tags', { name: 'a' });
    const writes: [method: 'post' | 'patch' | 'put', path: string, (text: string) => unknown][] = [
      ...['url', 'key', 'password', 'title', 'comments', 'notificationToken', 'externalId'].flatMap(
        (name): typeof writes => [
          ['post', '/links', (text) => ({ url: A, [name]: text })],
          ['post', '/links/bulk', (text) => [{ url: A, [name]: text }, { url: A }]],
          ['put', '/links/upsert', (text) => ({ url: A, [name]: text })],
          ['patch', `/links/${link.id}`, (text) => ({ [name]: text })],
          ['post', '/qrcodes', (text) => ({ type: 'url', url: A, [name]: text })],
        ],
      ),
      ['post', '/links', (text) => ({ url: A, geo: { DE: text } })],
      ['post', '/links', (text) => ({ url: A, title: { sealed: text } })],
      ['post', '/links', (text) => ({ url: A, password: { sealed: text } })],
      ['post', '/links/bulk', (text) => [{ url: A }, { url: A, link: text }]],
      ['post', '/links/bulk', (text) => [{ url: A }, { sealed: text }]],
      ['post', '/links/bulk', (text) => [{ url: A }, text]],
      ['post', '/qrcodes', (text) => ({ type: 'text', text, static: true })],
      ['post', '/qrcodes/bulk', (text) => [{ type: 'text', text }, { qrcode: text }]],
      ['post', '/tags', (text) => ({ name: text })],
      ['patch', `/tags/${tag.id}`, (text) => ({ name: text })],
      ['post', '/folders', (text) => ({ name: text })],
      ['post', '/keys', (text) => ({ name: text.slice(0, 90) })],
      ['post', '/pages', (text) => ({ title: text })],
      [
        'post',
        '/webhooks',
        (text) => ({ name: 'a', url: text, kinds: ['link.created'], secret: text }),
      ],
      ['post', '/track/lead', (text) => ({ clickId: text, eventName: text, metadata: { text } })],
    ];
    const opened: string[] = [];
    const check = (path: string, answer: unknown) => {
      const text = JSON.stringify(answer);
      if (secrets.some((secret) => text.includes(secret))) opened.push(`${path}: ${text}`);
    };
    for (const sealed of texts) {
      await Promise.all(
        writes.map(async ([method, path, body]) => {
          const waited = await world.api[method](path, body(sealed));
          check(path, waited.body);
          const accepted = await world.api[method](path, body(sealed), { headers: ASYNC });
          if (accepted.status === 202) check(path, await resultOf(accepted));
        }),
      );
    }
    for (const path of ['/qrcodes', '/tags', '/folders', '/keys', '/pages']) {
      check(path, (await world.api.get(path)).body);
    }
    expect(opened).to.deep.equal([]);
    const { body: password } = await world.api.post('/links', { url: A, password: texts[0] });
    expect(password.password).to.equal(texts[0]);
  });
});

describe('the job of a request', () => {
  const done = (client: World['api'], id: string) =>
    eventually(async () => {
      const answer = await client.get(`/jobs/${id}`);
      expect(answer.body.status).to.equal('done');
      return answer;
    });

  it('is not shown to another key that sends the same Idempotency-Key', async () => {
    const world = await aWorkspace();
    const weak = await world.withScopes('links.write');
    const headers = { 'idempotency-key': 'rotate-2026-12', ...ASYNC };
    const link = await weak.post('/links', { url: A }, { headers });
    await done(weak, link.body.id);
    await db()('jobs')
      .where({ project_id: world.projectId })
      .update({ created_at: new Date(Date.now() - 25 * 3_600_000) });
    const key = await world.api.post('/keys', { name: 'a' }, { headers });
    const { body } = await done(world.api, key.body.id);
    expect(body.result.key).to.match(/^sk_/);
    expect((await weak.get(`/jobs/${key.body.id}`)).status).to.equal(403);
    const reader = await world.withScopes('jobs.read');
    expect((await reader.get(`/jobs/${key.body.id}`)).status).to.equal(404);
    const { body: first } = await weak.get(`/jobs/${link.body.id}`);
    expect(JSON.stringify(first)).not.to.contain('sk_');
  });

  it('is shown to the person who sent it, and not to the owner of the workspace', async () => {
    const world = await aWorkspace();
    const member = await aPerson({ in: { ...world, role: 'member' } });
    const owner = await aPerson({ in: { ...world, role: 'owner' } });
    const headers = { 'idempotency-key': 'one', ...ASYNC };
    const { body } = await member.api.post('/tags', { name: 'a' }, { headers });
    await done(member.api, body.id);
    expect((await owner.api.get(`/jobs/${body.id}`)).status).to.equal(404);
  });
});

describe('passwords', function () {
  let world: World;
  let clients: Record<string, World['api']>;

  before(async () => {
    world = await aWorkspace();
    clients = {
      viewer: (await aPerson({ in: { ...world, role: 'viewer' } })).api,
      'a key with scopes to read': await world.withScopes(
        'links.read',
        'qrcodes.read',
        'events.read',
        'imports.read',
      ),
    };
  });

  for (const name of ['viewer', 'a key with scopes to read']) {
    it(`of links are not read by ${name}`, async () => {
      const link = { url: A, password: 'link-password-1' };
      const { body } = await world.api.post('/links', link);
      const client = clients[name]!;
      for (const path of [
        `/links/${body.id}`,
        '/links?hasPassword=true',
        `/links/info?linkId=${body.id}`,
      ]) {
        const answer = await client.get(path);
        expect(answer.status).to.equal(200);
        expect(JSON.stringify(answer.body), path).not.to.contain('link-password-1');
        expect(JSON.stringify(answer.body), path).to.contain('"hasPassword":true');
      }
      for (const path of ['/links', '/links/count', '/links/export']) {
        const query = '?password=link-password-1';
        expect((await client.get(path + query)).status, path).to.equal(403);
      }
      const own = await world.api.get(`/links/${body.id}`);
      expect(own.body).to.include({ password: 'link-password-1', hasPassword: true });
    });

    it(`of wireless networks are not read by ${name}`, async () => {
      const { body } = await world.api.post('/qrcodes', { type: 'wifi', wifi: WIFI, static: true });
      const client = clients[name]!;
      const { body: code } = await client.get(`/qrcodes/${body.id}`);
      expect(code).to.include({ password: null, contentStatic: null });
      expect(code.wifi).to.deep.include({ ssid: 'Guests', password: null, hasPassword: true });
      expect(JSON.stringify((await client.get('/qrcodes')).body)).not.to.contain('wifi-password-1');
      expect((await client.get(`/qrcodes/${body.id}/image`)).status).to.equal(403);
      const own = await world.api.get(`/qrcodes/${body.id}`);
      expect(own.body.wifi).to.deep.equal(WIFI);
      expect(own.body.contentStatic).to.contain('wifi-password-1');
    });

    it(`in rows that an import refused are not read by ${name}`, async () => {
      const file = 'url,key,password\njavascript:1,a,row-password-1\n';
      const headers = { 'content-type': 'text/csv' };
      const { body } = await world.api.post('/imports', file, { headers });
      await eventually(async () => {
        expect((await world.api.get(`/imports/${body.id}`)).body.state).to.equal('done');
      });
      const path = `/imports/${body.id}/errors`;
      expect((await world.api.download(path)).bytes.toString()).to.contain('row-password-1');
      const shown = (await clients[name]!.download(path)).bytes.toString();
      expect(shown).to.contain('javascript:1');
      expect(shown).not.to.contain('row-password-1');
    });
  }

  it('are in no event', async () => {
    const { body } = await world.api.post('/links', { url: A, password: 'link-password-2' });
    await world.api.post('/track/click', { linkId: body.id, userAgent: browser(1) });
    await eventually(async () => {
      const { body: events } = await world.api.get('/events?event=clicks');
      expect(events[0].link).to.include({ id: body.id, password: null, hasPassword: true });
    });
  });
});

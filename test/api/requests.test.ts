import { createConnection } from 'node:net';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { VERSION } from '../../src/infra/version.ts';
import { createApiKey, revokeApiKey } from '../../src/workspaces/api-keys.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const A = 'https://example.com/a';

describe('authentication', () => {
  const headers: [name: string, value: string][] = [
    ['no scheme', 'sk_abc'],
    ['another scheme', 'Basic sk_abc'],
    ['an unknown key', 'Bearer sk_unknown'],
    ['two keys', 'Bearer a b'],
    ['an empty key', 'Bearer '],
  ];
  for (const [name, authorization] of headers) {
    it(`answers 401 to ${name}`, async () => {
      const { status, body } = await new ApiClient(undefined).get(
        '/links',
        {},
        { headers: { authorization } },
      );
      expect(status).to.equal(401);
      expect(body.error.code).to.equal('unauthorized');
    });
  }

  it('answers 401 without a key before a large body is read', async () => {
    const client = new ApiClient(undefined);
    expect((await client.get('/links')).status).to.equal(401);
    expect((await client.post('/links/bulk', { url: 'x'.repeat(200_000) })).status).to.equal(401);
  });

  it('answers 401 to a key that is revoked or has expired', async () => {
    const { slug } = await aWorkspace();
    const key = await createApiKey(db(), { workspace: slug, name: 'k', scopes: ['*'] });
    expect((await new ApiClient(key.apiKey).get('/links')).status).to.equal(200);
    await revokeApiKey(db(), slug, key.id);
    expect((await new ApiClient(key.apiKey).get('/links')).body.error.message).to.contain(
      'revoked',
    );
    const old = await createApiKey(db(), {
      workspace: slug,
      name: 'k',
      scopes: ['*'],
      expiresAt: new Date(0),
    });
    expect((await new ApiClient(old.apiKey).get('/links')).body.error.message).to.contain(
      'expired',
    );
  });

  it('answers 403 to a key without the scope, naming it', async () => {
    const { withScopes } = await aWorkspace();
    const reader = await withScopes('links.read');
    expect((await reader.get('/links')).status).to.equal(200);
    const refused = await reader.post('/links', { url: A });
    expect(refused.status).to.equal(403);
    expect(refused.body.error.message).to.contain('links.write');
  });

  it('answers 403 when the plan is too low, naming the required one', async () => {
    const { api, set } = await aWorkspace({ plan: 'free' });
    expect((await api.get('/analytics')).body.error.message).to.contain('pro plan');
    expect((await api.get('/events')).body.error.message).to.contain('business plan');
    await set({ plan: 'pro' });
    expect((await api.get('/analytics')).status).to.equal(200);
    expect((await api.get('/events')).status).to.equal(403);
    await set({ plan: 'business' });
    expect((await api.get('/events')).status).to.equal(200);
  });

  it('stores only a hash of the key, and the time of its last use', async () => {
    const { apiKey, api, projectId } = await aWorkspace();
    await api.get('/links');
    await eventually(async () => {
      const row = await db()('api_keys').where({ project_id: projectId }).first();
      expect(row.last_used_at).to.be.an.instanceOf(Date);
      expect(JSON.stringify(row)).not.to.contain(apiKey);
    });
  });
});

describe('rate limits', () => {
  it('are named in RateLimit and RateLimit-Policy, each kind by its own name', async () => {
    const { api, set } = await aWorkspace();
    await set({ requestsPerMinute: 2 });
    const policies = [];
    for (const { headers } of [
      await api.get('/tags'),
      await api.get('/tags'),
      await api.get('/tags'),
      await api.post('/track/lead', {}),
      await api.download('/docs/search', { q: 'links' }),
    ]) {
      const reset = headers.get('ratelimit-reset')!;
      policies.push(headers.get('ratelimit-policy'));
      const [name] = policies.at(-1)!.split(';');
      expect(headers.get('ratelimit')).to.equal(
        `${name};r=${headers.get('ratelimit-remaining')!};t=${reset}`,
      );
    }
    expect(policies).to.deep.equal([
      ...Array.from({ length: 3 }, () => '"api";q=2;w=60'),
      '"track";q=20;w=60',
      '"public";q=300;w=60',
    ]);
  });

  it('report the remaining requests, and return 429 with Retry-After above the limit', async () => {
    const { api, set } = await aWorkspace({ plan: 'free' });
    await set({ requestsPerMinute: 3 });
    const answers = [];
    for (let n = 0; n < 5; n += 1) answers.push(await api.get('/tags'));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429, 429]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).to.deep.equal([
      '2',
      '1',
      '0',
      '0',
      '0',
    ]);
    expect(answers[0]!.headers.get('ratelimit-limit')).to.equal('3');
    expect(Number(answers[3]!.headers.get('retry-after'))).to.be.within(1, 60);
    expect(answers[3]!.headers.get('ratelimit-reset')).to.equal(
      answers[3]!.headers.get('retry-after'),
    );
    await set({ requestsPerMinute: null });
    expect((await api.get('/tags')).headers.get('ratelimit-limit')).to.equal('60');
    await set({ requestsPerMinute: 0 });
    const { headers } = await api.get('/tags');
    for (const name of ['ratelimit-limit', 'ratelimit', 'ratelimit-policy'])
      expect(headers.get(name), name).to.equal(null);
  });
});

describe('the API', () => {
  it('keeps a well-formed request id, and makes one otherwise', async () => {
    const { api } = await aWorkspace();
    const kept = await api.get('/tags', {}, { headers: { 'x-request-id': 'req-1.a:b' } });
    expect(kept.headers.get('x-request-id')).to.equal('req-1.a:b');
    const made = await api.get('/tags', {}, { headers: { 'x-request-id': 'a b' } });
    expect(made.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('answers 404 with the error body for an unknown route', async () => {
    const { api } = await aWorkspace();
    expect((await api.get('/nope')).body.error.code).to.equal('not_found');
    expect((await api.delete('/links')).status).to.equal(404);
  });

  const badBodies: [name: string, body: string, contentType: string][] = [
    ['invalid JSON', '{"url":', 'application/json'],
    ['no body at all', '', 'application/json'],
    ['bytes that are no UTF-8', '\xff', 'application/json; charset=utf-8'],
    ['a form', 'url=https://example.com', 'application/x-www-form-urlencoded'],
    ['no content type', '{"url":"https://example.com"}', ''],
    ['plain text', '{}', 'text/plain'],
  ];
  for (const [name, body, contentType] of badBodies) {
    it(`answers 400 to ${name}`, async () => {
      const { api } = await aWorkspace();
      const bytes = Buffer.from(body, 'latin1');
      const { status, body: answer } = await api.post('/links', bytes, {
        headers: { 'content-type': contentType },
      });
      expect(status).to.equal(400);
      expect(answer.error.code).to.equal('bad_request');
    });
  }

  it('answers 400 to bodies over 1 MiB, 5 MiB for bulk', async () => {
    const { api } = await aWorkspace();
    const big = (size: number) => JSON.stringify({ url: A, comments: 'x'.repeat(size) });
    expect((await api.post('/links', big(1_100_000))).status).to.equal(400);
    expect((await api.post('/links/bulk', `[${big(1_100_000)}]`)).status).to.equal(422);
    expect((await api.post('/links/bulk', `[${big(5_500_000)}]`)).status).to.equal(400);
  });

  it('answers 400 to malformed percent-encoding in path and query', async () => {
    const { api } = await aWorkspace();
    expect((await api.get('/links/%E0%A4')).status).to.equal(400);
    expect((await api.get('/links?search=%zz')).status).to.equal(400);
    expect((await api.get('/links?%=1')).status).to.equal(400);
  });

  it('answers oversized headers and malformed HTTP with the error body', async () => {
    // A proxy would refuse such requests itself.
    const { port } = new URL(stack().apiProcessUrl);
    const send = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = createConnection(Number(port), '127.0.0.1', () => socket.end(text));
        let answer = '';
        socket.on('data', (chunk) => (answer += chunk.toString()));
        socket.on('close', () => resolve(answer));
        socket.on('error', reject);
      });
    const tooLong = await send(
      `GET /links HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`,
    );
    expect(tooLong).to.match(/^HTTP\/1\.1 400 /);
    expect(tooLong).to.contain('"code":"bad_request"');
    const garbage = await send('\x00\x01garbage\r\n\r\n');
    expect(garbage).to.contain('"code":"bad_request"');
  });

  it('publishes its OpenAPI document', async () => {
    const response = await fetch(`${stack().apiUrl}/openapi.json`);
    const document = (await response.json()) as {
      openapi: string;
      info: { version: string };
      paths: object;
    };
    expect(document.openapi).to.equal('3.1.0');
    expect(document.info.version).to.equal(VERSION);
    expect(document.paths).to.include.keys(
      '/links/bulk',
      '/links/count',
      '/tags/{id}',
      '/domains',
      '/events',
      '/analytics',
    );
    for (const status of ['400', '401', '403', '404', '409', '410', '422', '429', '500']) {
      expect(
        (document.paths as Record<string, { get: { responses: object } }>)['/tags']!.get.responses,
      ).to.have.property(status);
    }
  });

  it('explains errors at their doc_url', async () => {
    const { api } = await aWorkspace();
    const { body } = await api.get('/nope');
    const url = new URL(body.error.doc_url);
    const page = await fetch(stack().apiUrl + url.pathname);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.contain(`id="${url.hash.slice(1)}"`);
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'");
  });
});

describe('jobs', () => {
  it('return 202 when the client does not want to wait, and the result in the job', async () => {
    const { api, visit } = await aWorkspace();
    const headers = { prefer: 'respond-async' };
    const {
      status,
      body,
      headers: answered,
    } = await api.post('/links', { url: A, key: 'later', password: 'pw' }, { headers });
    expect(status).to.equal(202);
    expect(answered.get('location')).to.equal(`/jobs/${body.id}`);
    const job = await eventually(async () => {
      const { body: found } = await api.get(`/jobs/${body.id}`);
      expect(found.status).to.equal('done');
      return found;
    });
    expect(job.result).to.include({ key: 'later', password: 'pw' });
    expect((await visit('/later')).status).not.to.equal(404);
  });

  it('return the reason of a refusal', async () => {
    const { api } = await aWorkspace();
    await api.post('/links', { url: A, key: 'taken' });
    const { body } = await api.post(
      '/links',
      { url: A, key: 'taken' },
      { headers: { prefer: 'respond-async' } },
    );
    await eventually(async () => {
      const { body: job } = await api.get(`/jobs/${body.id}`);
      expect(job).to.deep.include({ status: 'failed' });
      expect(job.error).to.include({ code: 'conflict' });
    });
  });

  it('return 410 when their result has expired, and 404 when they never existed', async () => {
    const { api, projectId } = await aWorkspace();
    expect((await api.get('/jobs/job_nope')).status).to.equal(404);
    const { body } = await api.post(
      '/tags',
      { name: 'x' },
      { headers: { prefer: 'respond-async' } },
    );
    await eventually(async () =>
      expect((await api.get(`/jobs/${body.id}`)).body.status).to.equal('done'),
    );
    await db()('jobs')
      .where({ project_id: projectId, id: body.id })
      .update({ created_at: new Date(0) });
    const { expireJobs } = await import('../../src/jobs/expire.ts');
    await expireJobs();
    const { body: later } = await api.post(
      '/tags',
      { name: 'y' },
      { headers: { prefer: 'respond-async' } },
    );
    const row = { project_id: projectId, id: later.id };
    await eventually(async () =>
      expect((await api.get(`/jobs/${later.id}`)).body.status).to.equal('done'),
    );
    await db()('jobs').where(row).update({ outcome: null });
    expect((await api.get(`/jobs/${later.id}`)).status).to.equal(410);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import type { ApiAnswer } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOpenExport } from '../support/exports.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('Idempotency-Key', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const post = (path: string, body: unknown, key: string, headers: Record<string, string> = {}) =>
    world.api.post(path, body, { headers: { 'idempotency-key': key, ...headers } });
  const isReplay = ({ headers }: ApiAnswer) => headers.get('idempotent-replayed') === 'true';
  const count = async (path: string): Promise<number> =>
    (await world.api.get(path)).body.length as number;

  /** Bodies for every POST route; the first test fails for a new route without one. */
  const REQUESTS: Record<
    string,
    () => Promise<{ path: string; body?: unknown; count?: string; headers?: typeof CSV }>
  > = {
    ...Object.fromEntries(
      (['links', 'qrcodes'] as const).flatMap((kind) => [
        [
          `/bulk-changes/${kind}`,
          async () => ({
            path: `/bulk-changes/${kind}`,
            body: { ids: ['none'], data: { comments: 'a' } },
            count: `/bulk-changes/${kind}`,
          }),
        ],
        ...(['start', 'cancel'] as const).map((verb) => [
          `/bulk-changes/${kind}/{id}/${verb}`,
          async () => ({ path: `${await aBulkChange(kind)}/${verb}` }),
        ]),
        [
          `/bulk-changes/${kind}/{id}/undo`,
          async () => {
            const path = await aBulkChange(kind);
            await world.api.post(`${path}/cancel`);
            return { path: `${path}/undo` };
          },
        ],
      ]),
    ),
    '/exports': async () => ({
      path: '/exports',
      body: { type: 'workspace', passphrase: 'a passphrase' },
    }),
    '/exports/{id}/cancel': async () => ({
      path: `/exports/${await anOpenExport(world.api)}/cancel`,
    }),
    '/imports': async () => ({
      path: '/imports?dryRun=true',
      body: FILE,
      count: '/imports',
      headers: CSV,
    }),
    '/imports/fetch': async () => ({
      path: '/imports/fetch',
      body: { source: 'yourls', url: 'http://127.0.0.1:9', token: 'pw' },
      count: '/imports',
    }),
    '/imports/{id}/start': async () => ({ path: `${await anImport()}/start` }),
    '/imports/{id}/cancel': async () => ({ path: `${await anImport()}/cancel` }),
    '/imports/{id}/undo': async () => {
      const path = await anImport();
      await world.api.post(`${path}/cancel`);
      return { path: `${path}/undo` };
    },
    '/invitations': async () => ({
      path: '/invitations',
      body: { email: `${newId('user')}@people.test`, role: 'viewer' },
      count: '/invitations',
    }),
    '/invitations/{id}/resend': async () => {
      const invited = { email: `${newId('user')}@people.test`, role: 'viewer' };
      const { body } = await world.api.post('/invitations', invited);
      return { path: `/invitations/${body.id}/resend` };
    },
    '/keys': async () => ({ path: '/keys', body: { name: 'a' }, count: '/keys' }),
    '/keys/{id}/rotate': async () => {
      const { body } = await world.api.post('/keys', { name: 'a' });
      return { path: `/keys/${body.id}/rotate` };
    },
    '/links': async () => ({ path: '/links', body: { url: A }, count: '/links' }),
    '/links/bulk': async () => ({
      path: '/links/bulk',
      body: [{ url: A, password: 'pw' }, { url: 'javascript:' }],
      count: '/links',
    }),
    '/links/{linkId}/revert': async () => {
      const { body } = await world.api.post('/links', { url: A });
      await world.api.patch(`/links/${body.id}`, { title: 'b' });
      const [change] = (await world.api.get(`/links/${body.id}/history`)).body;
      return { path: `/links/${body.id}/revert`, body: { changeId: change.id } };
    },
    '/qrcodes/{qrcodeId}/revert': async () => {
      const { body } = await world.api.post('/qrcodes', { type: 'url', url: A });
      await world.api.patch(`/qrcodes/${body.id}`, { title: 'b' });
      const [change] = (await world.api.get(`/qrcodes/${body.id}/history`)).body;
      return { path: `/qrcodes/${body.id}/revert`, body: { changeId: change.id } };
    },
    '/links/{linkId}/restore': async () => {
      const { body } = await world.api.post('/links', { url: A });
      await world.api.delete(`/links/${body.id}`);
      return { path: `/links/${body.id}/restore` };
    },
    '/qrcodes/{qrcodeId}/restore': async () => {
      const { body } = await world.api.post('/qrcodes', { type: 'url', url: A });
      await world.api.delete(`/qrcodes/${body.id}`);
      return { path: `/qrcodes/${body.id}/restore` };
    },
    '/trash/restore': async () => {
      const { body } = await world.api.post('/links', { url: A });
      await world.api.delete(`/links/${body.id}`);
      return { path: '/trash/restore', body: { ids: [body.id] } };
    },
    '/links/{linkId}/reset': async () => {
      const { body } = await world.api.post('/links', { url: A });
      return { path: `/links/${body.id}/reset` };
    },
    '/qrcodes/{qrcodeId}/reset': async () => {
      const { body } = await world.api.post('/qrcodes', { type: 'url', url: A });
      return { path: `/qrcodes/${body.id}/reset` };
    },
    '/qrcodes': async () => ({
      path: '/qrcodes',
      body: { type: 'url', url: A },
      count: '/qrcodes',
    }),
    '/qrcodes/bulk': async () => ({
      path: '/qrcodes/bulk',
      body: [{ type: 'url', url: A }],
      count: '/qrcodes',
    }),
    '/fonts': async () => ({
      path: '/fonts',
      body: { name: 'a', source: fontUri(openType('a')) },
      count: '/fonts',
    }),
    '/tags': async () => ({ path: '/tags', body: { name: 'a' }, count: '/tags' }),
    '/folders': async () => ({ path: '/folders', body: { name: 'a' }, count: '/folders' }),
    '/customers': async () => ({
      path: '/customers',
      body: { externalId: 'a' },
      count: '/customers',
    }),
    '/customers/merge': async () => {
      for (const externalId of ['a', 'b']) await world.api.post('/customers', { externalId });
      return { path: '/customers/merge', body: { customerIds: ['ext_a'], into: 'ext_b' } };
    },
    '/utm-templates': async () => ({
      path: '/utm-templates',
      body: { name: 'a' },
      count: '/utm-templates',
    }),
    '/views': async () => ({
      path: '/views',
      body: { list: 'links', name: 'a', query: 'search=a' },
      count: '/views',
    }),
    '/reports': async () => ({
      path: '/reports',
      body: { name: 'a', password: 'secret' },
      count: '/reports',
    }),
    '/reports/{id}/rotate': async () => {
      const { body } = await world.api.post('/reports', { name: 'a' });
      return { path: `/reports/${body.id}/rotate` };
    },
    '/reports/{id}/recipients': async () => {
      const path = `/reports/${(await world.api.post('/reports', { name: 'a' })).body.id}/recipients`;
      return { path, body: { email: `${newId('user')}@people.test` }, count: path };
    },
    '/reports/{id}/recipients/{recipientId}/resend': async () => {
      const { body: report } = await world.api.post('/reports', { name: 'a' });
      const path = `/reports/${report.id}/recipients`;
      const { body } = await world.api.post(path, { email: `${newId('user')}@people.test` });
      return { path: `${path}/${body.id}/resend` };
    },
    '/pages': async () => ({ path: '/pages', body: { title: 'a' }, count: '/pages' }),
    '/domains': async () => ({ path: '/domains', body: { slug: `x.${world.domain}` } }),
    '/domains/{id}/verify': async () => {
      const [domain] = (await world.api.get('/domains')).body;
      return { path: `/domains/${domain.id}/verify` };
    },
    '/track/lead': async () => ({
      path: '/track/lead',
      body: { clickId: await aClick(), customerExternalId: 'c', eventName: 'a' },
      count: '/events?event=leads',
    }),
    '/track/sale': async () => ({
      path: '/track/sale',
      body: { customerExternalId: 'c', amount: 5 },
      count: '/events?event=sales',
    }),
    '/track/refund': async () => {
      await world.api.post('/track/sale', { customerExternalId: 'c', amount: 5, invoiceId: 'i' });
      return {
        path: '/track/refund',
        body: { invoiceId: 'i', amount: 2 },
        count: '/events?event=refunds',
      };
    },
    '/track/click': async () => {
      await world.set({ clickDedupeSeconds: 0 });
      const { body } = await world.api.post('/links', { url: A });
      return {
        path: '/track/click',
        body: { linkId: body.id, userAgent: browser(2) },
        count: '/events?event=clicks',
      };
    },
    '/integrations': async () => ({
      path: '/integrations',
      body: { type: 'stripe', name: 'a', secret: 'whsec_a' },
      count: '/integrations',
    }),
    '/destinations': async () => ({
      path: '/destinations',
      body: DESTINATION,
      count: '/destinations',
    }),
    '/destinations/{id}/test': async () => {
      const { body } = await world.api.post('/destinations', DESTINATION);
      return { path: `/destinations/${body.id}/test`, count: '/destinations' };
    },
    '/destinations/{id}/backfill': async () => {
      const { body } = await world.api.post('/destinations', DESTINATION);
      return {
        path: `/destinations/${body.id}/backfill`,
        body: { start: '2026-01-01', end: '2026-01-02' },
        count: '/destinations',
      };
    },
    '/webhooks': async () => ({ path: '/webhooks', body: WEBHOOK, count: '/webhooks' }),
    '/webhooks/{id}/rotate-secret': async () => ({
      path: `/webhooks/${await aWebhook()}/rotate-secret`,
    }),
    '/webhooks/{id}/test': async () => {
      const path = `/webhooks/${await aWebhook()}`;
      return { path: `${path}/test`, body: {}, count: `${path}/deliveries` };
    },
    '/webhooks/{id}/resend': async () => ({
      path: `/webhooks/${await aWebhook()}/resend`,
      body: { since: new Date(Date.now() - 1_000).toISOString() },
    }),
    '/webhooks/{id}/deliveries/{deliveryId}/resend': async () => {
      const path = `/webhooks/${await aWebhook()}`;
      const { body } = await world.api.post(`${path}/test`, {});
      return { path: `${path}/deliveries/${body.id}/resend` };
    },
  };
  const DESTINATION = {
    type: 'redis',
    name: 'a',
    settings: { url: 'rediss://redis.example:443', stream: 's' },
  };
  const WEBHOOK = { name: 'a', url: 'http://127.0.0.1:9/', kinds: ['link.created'] };
  const aWebhook = async () => (await world.api.post('/webhooks', WEBHOOK)).body.id as string;

  const aBulkChange = async (kind: 'links' | 'qrcodes') => {
    const body = { ids: ['none'], data: { comments: 'a' }, dryRun: true };
    return `/bulk-changes/${kind}/${(await world.api.post(`/bulk-changes/${kind}`, body)).body.id}`;
  };
  const CSV = { 'content-type': 'text/csv' };
  const FILE = 'url,key\nhttps://example.com/,imported\n';
  const anImport = async () => {
    const options = { query: { dryRun: true }, headers: CSV };
    return `/imports/${(await world.api.post('/imports', FILE, options)).body.id}`;
  };

  async function aClick(): Promise<string> {
    const { body: link } = await world.api.post('/links', { url: A });
    const report = { linkId: link.id, userAgent: browser(1) };
    return (await world.api.post('/track/click', report)).body.clickId;
  }

  it('is accepted by every POST of a workspace that writes', () => {
    const posts = routes
      .filter(({ method, scope, writes }) => method === 'post' && isOfWorkspace(scope) && writes)
      .map(({ path }) => path);
    expect(Object.keys(REQUESTS).toSorted()).to.deep.equal(posts.toSorted());
  });

  for (const [route, request] of Object.entries(REQUESTS)) {
    it(`returns the first response to a repeat of POST ${route}, and changes nothing`, async () => {
      const { path, body, count: list, headers } = await request();
      const first = await post(path, body, 'key', headers);
      expect(first.status, JSON.stringify(first.body)).to.be.oneOf([200, 201]);
      expect(isReplay(first)).to.equal(false);
      const there = list === undefined ? undefined : await count(list);
      const again = await post(path, body, 'key', headers);
      expect([again.status, again.body]).to.deep.equal([first.status, first.body]);
      expect(again.headers.get('location')).to.equal(first.headers.get('location'));
      expect(isReplay(again)).to.equal(true);
      if (list !== undefined) expect(await count(list)).to.equal(there);
    });
  }

  it('executes a hundred concurrent requests once, with one response', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => post('/links', { url: A, title: 't' }, 'key')),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    expect(answers.filter(isReplay)).to.have.lengthOf(99);
    expect(await count('/links')).to.equal(1);
  });

  it('compares bodies by value', async () => {
    const { body } = await post('/links', { url: A, title: 't', password: 'pw' }, 'key');
    const same = [
      '{ "password": "pw",  "title": "t", "url": "https://example.com/a" }',
      JSON.stringify({
        url: A,
        title: 't',
        password: 'pw',
        archived: false,
        ios: null,
        tagIds: [],
      }),
      JSON.stringify({ url: A, title: 't', password: 'pw', redirectStatus: 302, geo: null }),
    ];
    for (const text of same) {
      const again = await post('/links', text, 'key');
      expect([again.status, again.body.id]).to.deep.equal([201, body.id]);
    }
    const bulk = await post('/links/bulk', [{ url: A, key: 'a', title: 't' }], 'bulk');
    const again = [{ title: 't', archived: false, key: 'a', url: A, video: null }];
    expect((await post('/links/bulk', again, 'bulk')).body).to.deep.equal(bulk.body);
    const codes = await post('/qrcodes/bulk', [{ type: 'url', url: A }, 'none'], 'codes');
    const written = [
      { url: A, static: false, type: 'url', ios: null, useDisplayPage: true },
      'none',
    ];
    expect((await post('/qrcodes/bulk', written, 'codes')).body).to.deep.equal(codes.body);
    for (const [path, key, other] of [
      ['/links/bulk', 'bulk', [{ url: A, key: 'a', title: 'u' }]],
      ['/links/bulk', 'bulk', [...again, ...again]],
      ['/qrcodes/bulk', 'codes', ['none', { type: 'url', url: A }]],
      ['/qrcodes/bulk', 'codes', [{ type: 'url', url: A }, null]],
    ] as const) {
      expect((await post(path, other, key)).status).to.equal(409);
    }
    expect(await count('/links')).to.equal(2);
  });

  it('returns 409 for another body or another route', async () => {
    const { body } = await post('/tags', { name: 'a' }, 'key');
    for (const [path, other] of [
      ['/tags', { name: 'b' }],
      ['/tags', { name: 'a', color: body.color }],
      ['/folders', { name: 'a' }],
    ] as const) {
      const answer = await post(path, other, 'key');
      expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'conflict']);
      expect(answer.body.error.message).to.match(/^Idempotency-Key must /);
    }
    expect(await count('/tags')).to.equal(1);
    expect(await count('/folders')).to.equal(0);
  });

  it('returns 409 to all but one of concurrent requests with different bodies', async function () {
    await world.set({ requestsPerMinute: 0 });
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 20 }, (_, n) => `n${round}-${n}`);
      const key = `race ${round}`;
      const answers = await Promise.all(names.map((name) => post('/tags', { name }, key)));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).to.deep.equal([201, ...Array.from({ length: 19 }, () => 409)]);
      expect(await count('/tags')).to.equal(round + 1);
    }
  });

  it('returns 409 for another body while the first request waits for its worker', async () => {
    stack().signal('worker_writes', 'SIGSTOP');
    try {
      const prefer = { prefer: 'respond-async' };
      const first = await post('/tags', { name: 'a' }, 'key', prefer);
      expect(first.status).to.equal(202);
      expect((await post('/tags', { name: 'b' }, 'key')).status).to.equal(409);
      expect((await post('/tags', { name: 'b' }, 'key', prefer)).status).to.equal(409);
      const again = await post('/tags', { name: 'a' }, 'key', prefer);
      expect([again.status, again.body.id]).to.deep.equal([202, first.body.id]);
    } finally {
      stack().signal('worker_writes', 'SIGCONT');
    }
    expect((await post('/tags', { name: 'a' }, 'key')).status).to.equal(201);
    expect(await count('/tags')).to.equal(1);
  });

  it('returns the first refusal again, whatever has changed since', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'a' });
    const first = await post('/tags', { name: 'A' }, 'key');
    expect([first.status, first.body.error.code]).to.deep.equal([409, 'conflict']);
    await world.api.delete(`/tags/${tag.id}`);
    const again = await post('/tags', { name: 'A' }, 'key');
    expect([again.status, again.body]).to.deep.equal([409, first.body]);
    expect([isReplay(first), isReplay(again)]).to.deep.equal([false, true]);
    // A 422 is not stored under its key, since no job was added.
    expect((await post('/tags', { name: '' }, 'other')).status).to.equal(422);
    expect((await post('/tags', { name: 'b' }, 'other')).status).to.equal(201);
  });

  it('returns the first response even if the record has changed since', async () => {
    const first = await post('/links', { url: A, key: 'a' }, 'key');
    await world.api.delete(`/links/${first.body.id}`);
    const again = await post('/links', { url: A, key: 'a' }, 'key');
    expect([again.status, again.body]).to.deep.equal([201, first.body]);
    expect((await world.visit('/a')).status).to.equal(404);
  });

  it('returns the first response even if a time in the body has passed since', async () => {
    const end = Date.now() + 2_000;
    const expiresAt = new Date(end).toISOString();
    const bodies = {
      '/links': { url: A, expiresAt },
      '/qrcodes': { type: 'url', url: A, expiresAt },
    };
    const sendAll = () =>
      Promise.all(
        Object.entries(bodies).flatMap(([path, body]) => [
          post(path, body, path),
          post(`${path}/bulk`, [body], `${path}/bulk`),
        ]),
      );
    const first = await sendAll();
    expect(first.map(({ status }) => status)).to.deep.equal([201, 200, 201, 200]);
    await eventually(() => expect(Date.now()).to.be.at.least(end));
    const again = await sendAll();
    expect(again.map(({ body }) => body)).to.deep.equal(first.map(({ body }) => body));
    expect(again.every(isReplay)).to.equal(true);

    for (const [path, body] of Object.entries(bodies)) {
      const other = await post(path, { ...body, title: 't' }, path);
      expect(other.status).to.equal(409);
      for (const answer of [
        await post(path, body, `new ${path}`),
        await world.api.post(path, body),
      ]) {
        expect([answer.status, answer.body.error.message]).to.deep.equal([
          422,
          'expiresAt must be in the future',
        ]);
      }
      const both = await post(path, { ...body, archived: 1 }, path);
      expect(both.body.error.message.split('; ')).to.have.members([
        'archived must be a boolean',
        'expiresAt must be in the future',
      ]);
    }
  });

  it('returns one job for a request that got 202 and its repeat', async () => {
    const prefer = { prefer: 'respond-async' };
    const first = await post('/tags', { name: 'a' }, 'key', prefer);
    const second = await post('/tags', { name: 'a' }, 'key', prefer);
    expect(first.status).to.equal(202);
    if (second.status === 202) expect(second.body.id).to.equal(first.body.id);
    const done = await post('/tags', { name: 'a' }, 'key');
    expect([done.status, isReplay(done)]).to.deep.equal([201, true]);
    const { body: job } = await world.api.get(`/jobs/${first.body.id}`);
    expect(job).to.deep.include({ status: 'done', result: done.body });
    expect(await count('/tags')).to.equal(1);
  });

  it('stores in the job of a sale the result that the request would have had', async () => {
    const sale = { customerExternalId: 'c', amount: 5 };
    const first = await post('/track/sale', sale, 'key', { prefer: 'respond-async' });
    const done = await post('/track/sale', sale, 'key');
    expect(done.body).to.include({ amount: 5, customerId: 'c' });
    const { body: job } = await world.api.get(`/jobs/${first.body.id}`);
    expect(job).to.deep.include({ status: 'done', result: done.body });
  });

  it('works across two API processes', async function () {
    const [port, healthPort] = [await freePort(), await freePort()];
    const env = { ...process.env, API_PORT: String(port), HEALTH_PORT: String(healthPort) };
    const second = spawn(process.execPath, ['dist/programs/api.js'], { env, stdio: 'ignore' });
    try {
      const urls = [stack().apiUrl, `http://127.0.0.1:${port}`];
      await eventually(async () => {
        expect((await fetch(`${urls[1]}/readyz`)).status).to.equal(200);
      });
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const answer = await fetch(`${urls[n % 2]}/links`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${world.apiKey}`,
              'content-type': 'application/json',
              'idempotency-key': `key-${n % 4}-${Math.floor(n / 20)}`,
            },
            body: JSON.stringify({ url: A }),
          });
          return { status: answer.status, body: (await answer.json()) as { id: string } };
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(8);
      expect(await count('/links')).to.equal(8);
    } finally {
      const closed = once(second, 'close');
      second.kill();
      await closed;
    }
  });

  it('is scoped to its workspace, and can be used again after 24 hours', async () => {
    const other = await aWorkspace();
    const headers = { 'idempotency-key': 'key' };
    const first = await post('/tags', { name: 'a' }, 'key');
    const theirs = await other.api.post('/tags', { name: 'b' }, { headers });
    expect([theirs.status, isReplay(theirs)]).to.deep.equal([201, false]);

    const age = (hours: number) =>
      db()('jobs')
        .where({ project_id: world.projectId })
        .update({ created_at: new Date(Date.now() - hours * 3_600_000) });
    const { expireJobs } = await import('../../src/jobs/expire.ts');
    await age(23);
    await expireJobs();
    expect((await post('/tags', { name: 'a' }, 'key')).body).to.deep.equal(first.body);
    await age(24);
    const later = await post('/tags', { name: 'b' }, 'key');
    expect([later.status, later.body.name, isReplay(later)]).to.deep.equal([201, 'b', false]);
    expect((await post('/tags', { name: 'b' }, 'key')).body).to.deep.equal(later.body);
    await age(25);
    await expireJobs();
    expect((await post('/tags', { name: 'c' }, 'key')).body.name).to.equal('c');
  });

  it('must have 1 to 255 characters', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const answer = await post('/tags', { name: 'a' }, key);
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        422,
        'Idempotency-Key must be 1 to 255 characters long',
      ]);
    }
    expect((await post('/tags', { name: 'a' }, 'x'.repeat(255))).status).to.equal(201);
  });

  it('is stored without secrets', async () => {
    const first = await post('/webhooks', WEBHOOK, 'a');
    await post('/links', { url: A, password: 'a secret password' }, 'b');
    expect((await post('/webhooks', WEBHOOK, 'a')).body.secret).to.equal(first.body.secret);
    const rows = JSON.stringify(await db()('jobs').where({ project_id: world.projectId }));
    expect(rows).not.to.contain('a secret password');
    expect(rows).not.to.contain(first.body.secret);
  });
});
